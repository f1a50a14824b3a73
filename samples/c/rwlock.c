/*
 * Readers of a pair that is written under a read/write lock, and a table that is set up once. With -DBROKEN one reader
 * takes no lock.
 */
#include <pthread.h>
#include <warpath.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int low, high, set_up;

static void prepare(void)
{
    set_up++;
}

static void *writer(void *unused)
{
    int value;
    pthread_once(&once, prepare);
    warpath_input(&value, sizeof value, "value");
    pthread_rwlock_wrlock(&lock);
    low = value;
    high = value;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    pthread_once(&once, prepare);
#ifndef BROKEN
    pthread_rwlock_rdlock(&lock);
#endif
    const int first = low, second = high;
    warpath_assert(first == second); /* BUG */
#ifndef BROKEN
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = { writer, reader, reader };
    pthread_t threads[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    warpath_assert(set_up == 1);
    return 0;
}
