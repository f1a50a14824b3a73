/*
 * "ctrace" (Con2colic): a library that traces into a table, which one thread frees while another is about to use it.
 * An input says from which level on messages are traced.
 *
 * The first driver has no lock at all. In the second (-DSEMAPHORE) table and end are under a semaphore made of a
 * mutex, but whether tracing is on is asked before. With -DFIXED it is asked again.
 */
#include <pthread.h>
#include <stdlib.h>
#include <warpath.h>

#ifdef SEMAPHORE
static pthread_mutex_t semaphore = PTHREAD_MUTEX_INITIALIZER;
#define DOWN() pthread_mutex_lock(&semaphore)
#define UP() pthread_mutex_unlock(&semaphore)
#else
#define DOWN() ((void)0)
#define UP() ((void)0)
#endif

static struct table {
    volatile int messages;
} *volatile table;
static volatile int tracing = 1;

static void *work(void *unused)
{
    int level;
    warpath_input(&level, sizeof level, "level");
    if (level <= 0 || !tracing)
        return unused;
    DOWN();
#ifdef FIXED
    if (tracing)
#endif
        table->messages++; /* BUG */
    UP();
    return unused;
}

static void *end(void *unused)
{
    DOWN();
    tracing = 0;
    free(table);
#ifdef SEMAPHORE
    table = NULL;
#endif
    UP();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    table = calloc(1, sizeof *table);
    if (table == NULL)
        return 1;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, end, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
