/*
 * "Pool" (MCR): a pool is filled up to a number of objects, an input. How many are missing is computed under the lock,
 * but they are added one by one with the lock taken anew, so two threads may both add what was missing. With -DFIXED
 * the lock is held all the while.
 */
#include <pthread.h>
#include <warpath.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int idle;
static int most;

static void *fill(void *unused)
{
    pthread_mutex_lock(&lock);
    const int missing = most - idle;
    for (int n = 0; n < missing; n++) {
#ifndef FIXED
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        idle++;
        warpath_assert(idle <= most); /* BUG */
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&most, sizeof most, "most");
    warpath_assume(most >= 0 && most <= 2);
    pthread_create(&first, NULL, fill, NULL);
    pthread_create(&second, NULL, fill, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
