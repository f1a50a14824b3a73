// Two locks in two orders; the second thread comes so late that it passes. Nothing keeps it from coming sooner.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forth(void *unused) {
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return unused;
}

static void *back(void *unused) {
    usleep(300000);
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forth, 0);
    pthread_create(&other, 0, back, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
