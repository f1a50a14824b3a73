/*
 * A cached object of a web server (Con2colic, "apache"): two threads let go of it, each with a decrement and a look
 * that are steps of their own. Both may find zero, or neither, though it must be cleaned up exactly once. Only an
 * object that is in the cache (an input) is counted at all. With -DFIXED decrement and look are one step.
 */
#include <pthread.h>
#include <warpath.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int references = 2, cleanups;
static int cached;

static int drop(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    const int left = --references;
    pthread_mutex_unlock(&lock);
    return left;
#else
    references--;
    return references;
#endif
}

static void *release(void *unused)
{
    if (cached && drop() == 0) {
        pthread_mutex_lock(&lock);
        cleanups++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&cached, sizeof cached, "cached");
    pthread_create(&first, NULL, release, NULL);
    pthread_create(&second, NULL, release, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(!cached || cleanups == 1); /* BUG */
    return 0;
}
