/*
 * "jetty-1187" (in ConcBugAssist): channels are handed to the selectors in turn, by a counter that two threads may
 * increment at once, so both channels can get to the same one. With -DFIXED the increment is atomic.
 */
#include <pthread.h>
#include <warpath.h>

#define SELECTORS 2

static volatile unsigned turn;
static volatile int channels[SELECTORS];

static void *register_channel(void *unused)
{
#ifdef FIXED
    const unsigned mine = __atomic_fetch_add(&turn, 1, __ATOMIC_SEQ_CST);
#else
    const unsigned mine = turn++;
#endif
    __atomic_fetch_add(&channels[mine % SELECTORS], 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, register_channel, NULL);
    pthread_create(&second, NULL, register_channel, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(channels[0] == 1 && channels[1] == 1); /* BUG */
    return 0;
}
