/*
 * "apache-21287" (in ConcBugAssist): a request and the cache each give up an object. The count is lowered atomically,
 * but read once more to see whether it was the last, so both may find zero and free. With -DFIXED the lowering itself
 * tells.
 */
#include <pthread.h>
#include <stdlib.h>

static struct object {
    volatile int references;
    char *body;
} object;

static void *give_up(void *unused)
{
#ifdef FIXED
    const int left = __atomic_sub_fetch(&object.references, 1, __ATOMIC_SEQ_CST);
#else
    __atomic_fetch_sub(&object.references, 1, __ATOMIC_SEQ_CST);
    const int left = object.references;
#endif
    if (left == 0)
        free(object.body); /* BUG */
    return unused;
}

int main(void)
{
    pthread_t request, cache;
    object.references = 2;
    object.body = malloc(16);
    if (object.body == NULL)
        return 1;
    pthread_create(&request, NULL, give_up, NULL);
    pthread_create(&cache, NULL, give_up, NULL);
    pthread_join(request, NULL);
    pthread_join(cache, NULL);
    return 0;
}
