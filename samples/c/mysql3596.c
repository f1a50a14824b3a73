/*
 * "mysql-3596" (in ConcBugAssist): the status of a connection is printed if there is one, and it goes away between
 * the question and the use. With -DFIXED both are under a lock.
 */
#include <pthread.h>
#include <stddef.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static const volatile char *volatile status = "updating";
static char printed;

static void *print(void *unused)
{
    LOCK();
    if (status != NULL)
        printed = *status; /* BUG */
    UNLOCK();
    return unused;
}

static void *finish(void *unused)
{
    LOCK();
    status = NULL;
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, print, NULL);
    pthread_create(&second, NULL, finish, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
