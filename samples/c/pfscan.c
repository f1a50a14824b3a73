/*
 * "pfscan" (Con2colic): files go through a queue to two workers that search them and count those with a match. The
 * queue has its lock, the counter has none. What is searched for is an input; both files must have it.
 */
#include <pthread.h>
#include <warpath.h>

#define SIZE 1
#define FILES 2

static const char files[FILES][2] = { "ab", "bc" };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more, less;
    volatile int occupied, closed;
    const char *volatile items[SIZE];
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .less = PTHREAD_COND_INITIALIZER };

static char wanted;
static volatile int matches;

static void put(const char *file)
{
    pthread_mutex_lock(&queue.lock);
    while (queue.occupied == SIZE)
        pthread_cond_wait(&queue.less, &queue.lock);
    queue.items[queue.occupied++] = file;
    pthread_cond_signal(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

static void finish(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.closed = 1;
    pthread_cond_broadcast(&queue.more);
    pthread_mutex_unlock(&queue.lock);
}

/* The next file, or NULL when there will be none. */
static const char *get(void)
{
    const char *file = NULL;
    pthread_mutex_lock(&queue.lock);
    while (queue.occupied == 0 && !queue.closed)
        pthread_cond_wait(&queue.more, &queue.lock);
    if (queue.occupied > 0)
        file = queue.items[--queue.occupied];
    pthread_cond_signal(&queue.less);
    pthread_mutex_unlock(&queue.lock);
    return file;
}

static int is_match(const char *file)
{
    return file[0] == wanted || file[1] == wanted;
}

static void *work(void *unused)
{
    const char *file;
    while ((file = get()) != NULL)
        if (is_match(file))
            matches++;
    return unused;
}

int main(void)
{
    pthread_t workers[2];
    int expected = 0;
    warpath_input(&wanted, sizeof wanted, "wanted");
    for (int n = 0; n < 2; n++)
        pthread_create(&workers[n], NULL, work, NULL);
    for (int n = 0; n < FILES; n++) {
        put(files[n]);
        expected += is_match(files[n]);
    }
    finish();
    for (int n = 0; n < 2; n++)
        pthread_join(workers[n], NULL);
    warpath_assert(matches == expected); /* BUG */
    return 0;
}
