/*
 * "counter_seq" (in ConcBugAssist): a counter that gives out numbers, made for one thread and used by two, which may
 * get the same. With -DFIXED it is locked.
 */
#include <pthread.h>
#include <warpath.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static volatile int counter;
static int numbers[2];

static void *take(void *number)
{
    LOCK();
    *(int *)number = counter++;
    UNLOCK();
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, take, &numbers[0]);
    pthread_create(&second, NULL, take, &numbers[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(numbers[0] != numbers[1]); /* BUG */
    return 0;
}
