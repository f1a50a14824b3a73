/*
 * "mysql-169" (in ConcBugAssist, Figure 3.2): a delete and an insert change the table and write the log in two steps
 * each. If they do so in different orders, a replay of the log ends with another table. With -DFIXED both steps are
 * locked.
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

static volatile int rows, rows_by_log;

static void *delete_all(void *unused)
{
    LOCK();
    rows = 0;
    rows_by_log = 0;
    UNLOCK();
    return unused;
}

static void *insert(void *unused)
{
    LOCK();
    rows = 1;
    rows_by_log = 1;
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, delete_all, NULL);
    pthread_create(&second, NULL, insert, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(rows == rows_by_log); /* BUG */
    return 0;
}
