/*
 * Lamport's bakery (one of MCR's programs for weak memory), two threads that enter once each and leave after LOOKS
 * looks in vain.
 *
 * Correct under sequential consistency. Under TSO a thread may look at the other's number before its own is in memory.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define LOOKS 3

static volatile int choosing[2], number[2], inside;

static int may_enter(int me)
{
    const int other = 1 - me;
    int looks = 0;
    choosing[me] = 1;
    number[me] = number[other] + 1;
    choosing[me] = 0;
    while (choosing[other])
        if (++looks == LOOKS)
            return 0;
    for (; looks < LOOKS; looks++) {
        const int theirs = number[other], mine = number[me];
        if (theirs == 0 || mine < theirs || (mine == theirs && me < other))
            return 1;
    }
    return 0;
}

static void *enter(void *argument)
{
    const int me = (int)(intptr_t)argument;
    if (may_enter(me)) {
        inside++;
        warpath_assert(inside == 1); /* BUG */
        inside--;
    }
    number[me] = 0;
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
