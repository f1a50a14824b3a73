/*
 * The example of the MCR papers: three threads, N rounds each. Thread 3 must find x at 2 and y at 3, for which the
 * other two must take turns with it several times. Build with -DN=2 or more.
 */
#include <pthread.h>
#include <warpath.h>

#ifndef N
#define N 2
#endif

static volatile int x, y;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *unused)
{
    for (int n = 0; n < N; n++) {
        pthread_mutex_lock(&l);
        x = 1;
        y = 1;
        pthread_mutex_unlock(&l);
    }
    return unused;
}

static void *thread2(void *unused)
{
    for (int n = 0; n < N; n++) {
        pthread_mutex_lock(&l);
        x = 0;
        pthread_mutex_unlock(&l);
        if (x > 0) {
            y++;
            x = 2;
        }
    }
    return unused;
}

static void *thread3(void *unused)
{
    for (int n = 0; n < N; n++)
        if (x > 1) {
            warpath_assert(y != 3); /* BUG */
            y = 2;
        }
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, thread1, NULL);
    pthread_create(&threads[1], NULL, thread2, NULL);
    pthread_create(&threads[2], NULL, thread3, NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
