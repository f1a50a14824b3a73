/*
 * "mozilla-61369" (in ConcBugAssist): a new thread asks for its own state, which its creator notes only after the
 * thread was created. With -DFIXED it is noted before.
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int running = 1, seen;
static volatile int *volatile state;

static void *run(void *unused)
{
    usleep(1000); /* what else there is to do at its start; usually enough to be late */
    seen = *state; /* BUG */
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef FIXED
    state = &running;
    pthread_create(&thread, NULL, run, NULL);
#else
    pthread_create(&thread, NULL, run, NULL);
    state = &running;
#endif
    pthread_join(thread, NULL);
    return 0;
}
