// Locks in two orders, one thread behind the other: it passes, and could deadlock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static long count;

static void *forth(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&a);
        pthread_mutex_lock(&b);
        count++;
        pthread_mutex_unlock(&b);
        pthread_mutex_unlock(&a);
    }
    return unused;
}

static void *back(void *unused) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    count++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forth, 0);
    pthread_join(one, 0);
    pthread_create(&other, 0, back, 0);
    pthread_join(other, 0);
    printf("%ld\n", count);
    return count == 4 ? 0 : 3;
}
