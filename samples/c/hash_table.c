/*
 * "hash_table" (in ConcBugAssist): two threads add a key each to a table of chains, without a lock. If both keys
 * (inputs) belong to the same chain, one can be lost. With -DFIXED adding is locked.
 */
#include <pthread.h>
#include <warpath.h>

#define CHAINS 2

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

struct node {
    unsigned key;
    struct node *next;
};

static struct node *volatile chains[CHAINS];
static struct node nodes[2];

static void *add(void *argument)
{
    struct node *mine = argument;
    struct node *volatile *chain = &chains[mine->key % CHAINS];
    LOCK();
    mine->next = *chain;
    *chain = mine;
    UNLOCK();
    return NULL;
}

static int contains(unsigned key)
{
    for (const struct node *node = chains[key % CHAINS]; node != NULL; node = node->next)
        if (node->key == key)
            return 1;
    return 0;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&nodes[0].key, sizeof nodes[0].key, "first");
    warpath_input(&nodes[1].key, sizeof nodes[1].key, "second");
    nodes[1].key ^= 1; /* so that zeros belong to different chains */
    pthread_create(&first, NULL, add, &nodes[0]);
    pthread_create(&second, NULL, add, &nodes[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(contains(nodes[0].key) && contains(nodes[1].key)); /* BUG */
    return 0;
}
