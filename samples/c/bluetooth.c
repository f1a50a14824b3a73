/*
 * "bluetooth" (a driver's stop routine against its requests): a request that passed the check of the stopping flag is
 * counted only afterwards, so the driver can be stopped under it. Which thread does what is an input.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int stopping, stopped, event;
static volatile int pending = 1; /* the driver itself counts as one */

static void add_to_pending(int amount)
{
    int left;
    warpath_atomic_begin();
    pending += amount;
    left = pending;
    warpath_atomic_end();
    if (left == 0)
        event = 1;
}

static void request(void)
{
    if (stopping)
        return;
    add_to_pending(1);
    warpath_assert(!stopped); /* BUG */
    add_to_pending(-1);
}

static void stop(void)
{
    stopping = 1;
    add_to_pending(-1);
    if (event)
        stopped = 1;
}

/* With -DFIXED a thread is counted before its request looks at the flag. */
static void *thread(void *name)
{
    int stops;
    warpath_input(&stops, sizeof stops, name);
    if (stops == 1) {
        stop();
    } else {
#ifdef FIXED
        add_to_pending(1);
        request();
        add_to_pending(-1);
#else
        request();
#endif
    }
    return NULL;
}

int main(void)
{
    static char names[][7] = { "stops1", "stops2" };
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, thread, names[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
