/*
 * "list_seq" (in ConcBugAssist, Figure 5.1): a list in an array, made for one thread and used by two. The item and
 * the new length are stored in two steps, so one item can overwrite the other. With -DFIXED adding is locked.
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

static struct list {
    volatile int items[2], length;
} list;

static void *add(void *item)
{
    LOCK();
    list.items[list.length] = (int)(intptr_t)item;
    list.length++;
    UNLOCK();
    return NULL;
}

static int contains(int item)
{
    for (int n = 0; n < list.length; n++)
        if (list.items[n] == item)
            return 1;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, add, (void *)(n + 1));
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    warpath_assert(contains(1) && contains(2)); /* BUG */
    return 0;
}
