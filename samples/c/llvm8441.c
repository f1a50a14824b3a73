/*
 * "llvm-8441" (in ConcBugAssist): shared attributes are found through a list and counted. Who gives up the last
 * reference takes them off the list only afterwards, so another thread can find them in between, and they are freed
 * under it.
 *
 * With -DFIXED the count is lowered and the list changed in one section.
 */
#include <pthread.h>
#include <stdlib.h>

struct attributes {
    volatile int references, bits;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct attributes *volatile listed;
static int seen;

static void *drop(void *argument)
{
    struct attributes *mine = argument;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    const int left = __atomic_sub_fetch(&mine->references, 1, __ATOMIC_SEQ_CST);
#else
    const int left = __atomic_sub_fetch(&mine->references, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&lock);
#endif
    if (left == 0)
        listed = NULL;
    pthread_mutex_unlock(&lock);
    if (left == 0) {
        mine->bits = 0;
        free(mine);
    }
    return NULL;
}

static void *find(void *unused)
{
    pthread_mutex_lock(&lock);
    struct attributes *found = listed;
    if (found != NULL)
        __atomic_fetch_add(&found->references, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
    /* What is found is kept for good: this reference is never given up. */
    if (found != NULL)
        seen = found->bits; /* BUG */
    return unused;
}

int main(void)
{
    pthread_t first, second;
    struct attributes *only = calloc(1, sizeof *only);
    if (only == NULL)
        return 1;
    only->references = 1;
    only->bits = 1;
    listed = only;
    pthread_create(&first, NULL, drop, only);
    pthread_create(&second, NULL, find, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
