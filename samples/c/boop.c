/*
 * "boop" (verification competition, in ConcBugAssist): a toy driver whose device is for one user at a time. Whether
 * it is free is asked in one step and said in another, so two can open it. With -DFIXED it is one step.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static volatile int in_use, owner;

static int open_device(void)
{
    LOCK();
    const int is_free = !in_use;
    if (is_free)
        in_use = 1;
    UNLOCK();
    return is_free;
}

static void close_device(void)
{
    LOCK();
    in_use = 0;
    UNLOCK();
}

static void *user(void *argument)
{
    const int me = (int)(intptr_t)argument;
    if (open_device()) {
        owner = me;
        warpath_assert(owner == me); /* BUG */
        close_device();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, user, (void *)(n + 1));
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
