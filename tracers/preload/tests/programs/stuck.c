// Two threads that wait for each other, surely.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *back(void *unused) {
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    (void)!write(1, "go\n", 3);
    pthread_mutex_lock(&a);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&thread, 0, back, 0);
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
    return 0;
}
