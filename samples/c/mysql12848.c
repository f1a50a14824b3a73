/*
 * "mysql-12848" (in ConcBugAssist, which says only that it is an atomicity violation; so this is one of that kind): a
 * cache is made smaller while a result is put in. There was room when it was asked for, but no longer when it is used.
 * By how much it shrinks is an input. With -DFIXED asking and using are one section.
 */
#include <pthread.h>
#include <warpath.h>

#define RESULT 2

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static struct cache {
    volatile int size, used;
} cache = { 4, 1 };
static int less;

static void *insert(void *unused)
{
    LOCK();
    if (cache.used + RESULT <= cache.size)
        cache.used += RESULT;
    UNLOCK();
    return unused;
}

static void *resize(void *unused)
{
    LOCK();
    cache.size -= less;
    if (cache.used > cache.size)
        cache.used = 0;
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&less, sizeof less, "less");
    warpath_assume(less >= 0 && less <= 3);
    pthread_create(&first, NULL, insert, NULL);
    pthread_create(&second, NULL, resize, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(cache.used <= cache.size); /* BUG */
    return 0;
}
