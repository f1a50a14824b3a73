/*
 * "mysql-644" (in ConcBugAssist, which says no more than that it is an order violation; so this is one of that kind):
 * a table says how many rows it has before it has them, and a reader that comes in between follows a null pointer.
 * How many is an input. With -DFIXED both are set and read under a lock.
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

static volatile int storage[3];
static struct table {
    volatile int count;
    volatile int *volatile rows;
} table;
static int wanted, seen;

static void *fill(void *unused)
{
    LOCK();
    table.count = wanted;
    table.rows = storage;
    UNLOCK();
    return unused;
}

static void *scan(void *unused)
{
    LOCK();
    if (table.count > 0)
        seen = table.rows[0]; /* BUG */
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&wanted, sizeof wanted, "rows");
    warpath_assume(wanted >= 0 && wanted <= 3);
    pthread_create(&first, NULL, fill, NULL);
    pthread_create(&second, NULL, scan, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
