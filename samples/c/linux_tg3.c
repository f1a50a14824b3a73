/*
 * "linux-tg3" (in ConcBugAssist, from an Ethernet driver of Linux): statistics are brought up to date while the
 * device is being closed, which frees them. With -DFIXED both hold the device's lock.
 */
#include <pthread.h>
#include <stdlib.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

struct statistics {
    volatile int packets;
};

static struct statistics *volatile statistics;
static int before; /* what was counted until the device was closed */

static void *update(void *unused)
{
    LOCK();
    struct statistics *mine = statistics;
    if (mine != NULL)
        mine->packets = 1; /* BUG */
    UNLOCK();
    return unused;
}

static void *close_device(void *unused)
{
    LOCK();
    struct statistics *old = statistics;
    statistics = NULL;
    before = old->packets;
    free(old);
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    statistics = calloc(1, sizeof *statistics);
    if (statistics == NULL)
        return 1;
    pthread_create(&first, NULL, update, NULL);
    pthread_create(&second, NULL, close_device, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
