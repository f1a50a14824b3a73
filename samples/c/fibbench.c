/*
 * "fibbench" (verification competition, in ConcBugAssist): two threads add up Fibonacci numbers, N steps each. Only
 * if they take strict turns do they get as far as 2 * N steps of one thread would.
 *
 * That is as far as it goes: with -DSAFE the bound is one higher, and no schedule reaches it.
 */
#include <pthread.h>
#include <warpath.h>

#ifndef N
#define N 2
#endif

static volatile int i = 1, j = 1;

static void *add_to_i(void *unused)
{
    for (int n = 0; n < N; n++)
        i += j;
    return unused;
}

static void *add_to_j(void *unused)
{
    for (int n = 0; n < N; n++)
        j += i;
    return unused;
}

static int bound(void)
{
    int small = 1, large = 1;
    for (int n = 0; n < N; n++) {
        small += large;
        large += small;
    }
#ifdef SAFE
    large++;
#endif
    return large;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, add_to_i, NULL);
    pthread_create(&second, NULL, add_to_j, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(i < bound() && j < bound()); /* BUG */
    return 0;
}
