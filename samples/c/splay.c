/*
 * "splay" (Con2colic): two threads insert into a splay tree under one mutex and count their operations under another.
 * A thread that sees that the other has inserted looks its key up; it must be there.
 *
 * Correct: an insertion is counted after it was made.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

struct node {
    int key;
    struct node *volatile child[2];
};

static struct node nodes[] = { { 1, { NULL, NULL } }, { 3, { NULL, NULL } }, { 2, { NULL, NULL } } };
static struct node *volatile root = &nodes[2];
static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER, counters = PTHREAD_MUTEX_INITIALIZER;
static volatile int operations, inserted[2];

/* Brings the child on that side up. */
static struct node *rotate(struct node *top, int side)
{
    struct node *up = top->child[side];
    top->child[side] = up->child[!side];
    up->child[!side] = top;
    return up;
}

/* Brings the node with the key up to the top, or the last one met on the way to where it would be. */
static struct node *splay(struct node *top, int key)
{
    const int side = key > top->key;
    struct node *below = top->child[side];
    if (key == top->key || below == NULL)
        return top;
    const int next = key > below->key;
    if (key != below->key && below->child[next] != NULL) {
        below->child[next] = splay(below->child[next], key);
        if (next == side)
            top = rotate(top, side);
        else
            top->child[side] = rotate(below, next);
    }
    return rotate(top, side);
}

static void insert(struct node *node)
{
    struct node *top = splay(root, node->key);
    const int side = node->key > top->key;
    node->child[side] = top->child[side];
    node->child[!side] = top;
    top->child[side] = NULL;
    root = node;
}

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument, other = 1 - me;
    pthread_mutex_lock(&tree);
    insert(&nodes[me]);
    pthread_mutex_unlock(&tree);
    pthread_mutex_lock(&counters);
    operations++;
    inserted[me] = 1;
    const int is_there = inserted[other];
    pthread_mutex_unlock(&counters);
    if (is_there) {
        pthread_mutex_lock(&tree);
        root = splay(root, nodes[other].key);
        warpath_assert(root == &nodes[other]);
        pthread_mutex_unlock(&tree);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    warpath_assert(operations == 2);
    return 0;
}
