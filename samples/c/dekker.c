/*
 * "dekker" of the MPC and Con2colic papers: mutual exclusion with two flags and a turn, giving up after P looks.
 *
 * Correct under sequential consistency. Under TSO each thread may read the other's flag before its own is in memory, and
 * both enter.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#ifndef P
#define P 20
#endif

static volatile int flag[2], turn, inside;

static void *enter(void *argument)
{
    const int me = (int)(intptr_t)argument, other = 1 - me;
    int looks = 0;
    flag[me] = 1;
    turn = other;
    while (flag[other] == 1 && turn == other)
        if (++looks == P) {
            flag[me] = 0;
            return NULL;
        }
    inside++;
    warpath_assert(inside == 1); /* BUG */
    inside--;
    flag[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, enter, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
