// A counter under a lock, and a flag that nobody protects. The second thread comes so late that nothing shows.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, done;

static void *early(void *unused) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    done = 1;
    return unused;
}

static void *late(void *unused) {
    usleep(50000);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    done = 2;
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, early, 0);
    pthread_create(&other, 0, late, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    printf("%d %d\n", count, done);
    return 0;
}
