/*
 * Lamport's fast mutual exclusion (one of MCR's programs for weak memory), two threads that enter once each and give
 * up after a few looks.
 *
 * Correct under sequential consistency. Under TSO a thread may find no owner while its own claim is not yet in memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define LOOKS 2
#define ROUNDS 2

/* Threads are 1 and 2; 0 is nobody. */
static volatile int trying[3], last, owner, inside;

static int becomes_zero(const volatile int *word)
{
    for (int looks = 0; looks < LOOKS; looks++)
        if (*word == 0)
            return 1;
    return 0;
}

static int take(int me)
{
    const int other = 3 - me;
    for (int round = 0; round < ROUNDS; round++) {
        trying[me] = 1;
        last = me;
        if (owner != 0) {
            trying[me] = 0;
            if (!becomes_zero(&owner))
                return 0;
            continue;
        }
        owner = me;
        if (last == me)
            return 1; /* the fast way: nobody came in between */
        trying[me] = 0;
        if (!becomes_zero(&trying[other]))
            return 0;
        if (owner == me)
            return 1;
        if (!becomes_zero(&owner))
            return 0;
    }
    return 0;
}

static void *enter(void *argument)
{
    const int me = (int)(intptr_t)argument;
    if (!take(me))
        return NULL;
    inside++;
    warpath_assert(inside == 1); /* BUG */
    inside--;
    owner = 0;
    trying[me] = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, enter, (void *)(n + 1));
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
