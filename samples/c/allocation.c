/*
 * "Allocation" (MCR): a thread finds a free block, then marks it as used; each is under the lock, but not both
 * together, so two threads may get the same block. How many blocks each of them needs is an input. With -DFIXED the
 * lock is held from finding to marking.
 */
#include <pthread.h>
#include <warpath.h>

#define BLOCKS 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int used[BLOCKS];
static int needed;

static int find_free(void)
{
    int block = 0;
    while (used[block])
        block++;
    return block;
}

static void mark(int block)
{
    warpath_assert(!used[block]); /* BUG */
    used[block] = 1;
}

static void *allocate(void *unused)
{
    for (int n = 0; n < needed; n++) {
        pthread_mutex_lock(&lock);
        const int block = find_free();
#ifndef FIXED
        pthread_mutex_unlock(&lock);
        pthread_mutex_lock(&lock);
#endif
        mark(block);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&needed, sizeof needed, "needed");
    warpath_assume(needed >= 0 && needed <= BLOCKS / 2);
    pthread_create(&first, NULL, allocate, NULL);
    pthread_create(&second, NULL, allocate, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
