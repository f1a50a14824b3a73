/* "lazy01" (verification competition, in ConcBugAssist): all is locked, but one order makes 3; not with -DFIXED. */
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *one(void *unused)
{
    pthread_mutex_lock(&mutex);
    data += 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *two(void *unused)
{
    pthread_mutex_lock(&mutex);
    data += 2;
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *check(void *unused)
{
    pthread_mutex_lock(&mutex);
    if (data >= 3)
        reach_error(); /* BUG */
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    /* The checker is created first, so that in the usual schedule it finds nothing. */
    void *(*const starts[])(void *) = { check, one, two };
    pthread_t threads[3];
#ifdef FIXED
    /* The checker is waited for, so that it is first in every schedule. */
    pthread_create(&threads[0], NULL, starts[0], NULL);
    pthread_join(threads[0], NULL);
    for (int n = 1; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 1; n < 3; n++)
        pthread_join(threads[n], NULL);
#else
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
#endif
    return 0;
}
