/*
 * Figure 9 of the MPC paper: the final value is 2*N only if thread 2's increment of each round comes between thread 1's
 * store and its check of it, so the number of context switches needed grows with N.
 */
#include <pthread.h>
#include <warpath.h>

#ifndef N
#define N 2
#endif

static volatile int x;

static void *thread1(void *unused)
{
    for (int i = 0; i < N; i++) {
        const int next = x + 1;
        x = next;
        if (x == next)
            x = 0;
    }
    return unused;
}

static void *thread2(void *unused)
{
    for (int i = 0; i < N; i++)
        x++;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, thread1, NULL);
    pthread_create(&second, NULL, thread2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(x != 2 * N); /* BUG */
    return 0;
}
