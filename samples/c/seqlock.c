/*
 * "seqlock" (MPC): a writer makes the sequence number odd, changes the data and makes it even again; a reader that
 * finds it even, and the same after reading, has read what belongs together. K times each, K an input.
 *
 * Correct under SC and TSO; PSO lets data out before the odd number. With -DBROKEN readers do not look a second time.
 */
#include <pthread.h>
#include <warpath.h>

#define READERS 2

static volatile int sequence, left, right;
static int attempts;

static void *writer(void *unused)
{
    for (int n = 0; n < attempts; n++) {
        sequence++;
        left++;
        right++;
        sequence++;
    }
    return unused;
}

static void *reader(void *unused)
{
    for (int n = 0; n < attempts; n++) {
        const int before = sequence;
        if (before % 2 != 0)
            continue;
        const int l = left, r = right;
#ifndef BROKEN
        if (sequence != before)
            continue;
#endif
        warpath_assert(l == r); /* BUG */
    }
    return unused;
}

int main(void)
{
    pthread_t threads[1 + READERS];
    warpath_input(&attempts, sizeof attempts, "K");
    warpath_assume(attempts >= 0 && attempts <= 3);
    for (int n = 0; n <= READERS; n++)
        pthread_create(&threads[n], NULL, n == 0 ? writer : reader, NULL);
    for (int n = 0; n <= READERS; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
