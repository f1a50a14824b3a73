/*
 * "read_write" (verification competition, in ConcBugAssist): a lock for many readers or one writer, which is tried
 * and not waited for. A reader looks for a writer before it is counted, so a writer may come in between.
 *
 * With -DFIXED it looks and is counted in one section.
 */
#include <pthread.h>
#include <warpath.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int readers, writing;
static volatile int low, high;

static int begin_reading(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    const int may = !writing;
#else
    const int may = !writing;
    pthread_mutex_lock(&lock);
#endif
    if (may)
        readers++;
    pthread_mutex_unlock(&lock);
    return may;
}

static int begin_writing(void)
{
    pthread_mutex_lock(&lock);
    const int may = !writing && readers == 0;
    if (may)
        writing = 1;
    pthread_mutex_unlock(&lock);
    return may;
}

static void *writer(void *unused)
{
    if (begin_writing()) {
        low = 1;
        high = 1;
        pthread_mutex_lock(&lock);
        writing = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *reader(void *unused)
{
    if (begin_reading()) {
        const int first = low, second = high;
        warpath_assert(first == second); /* BUG */
        pthread_mutex_lock(&lock);
        readers--;
        pthread_mutex_unlock(&lock);
    }
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
    return 0;
}
