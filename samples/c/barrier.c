/*
 * Three threads fill their part, meet at a barrier, and add up what all have filled in, twice.
 *
 * With -DBROKEN the last thread adds up before it meets the others.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define T 3

static pthread_barrier_t barrier;
static volatile int part[T];

static int sum(void)
{
    int total = 0;
    for (int n = 0; n < T; n++)
        total += part[n];
    return total;
}

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument;
    int total;
    part[me] = me + 1;
#ifdef BROKEN
    total = me == T - 1 ? sum() : T * (T + 1) / 2;
    pthread_barrier_wait(&barrier);
#else
    pthread_barrier_wait(&barrier);
    total = sum();
#endif
    warpath_assert(total == T * (T + 1) / 2); /* BUG */
    pthread_barrier_wait(&barrier);
    part[me] = 2 * (me + 1);
    pthread_barrier_wait(&barrier);
    warpath_assert(sum() == T * (T + 1));
    return NULL;
}

int main(void)
{
    pthread_t threads[T];
    pthread_barrier_init(&barrier, NULL, T);
    for (intptr_t n = 0; n < T; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < T; n++)
        pthread_join(threads[n], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
