/*
 * "rbtree" (Con2colic): two threads insert into a red-black tree under one mutex and count their operations under
 * another. A thread that sees that the other has inserted checks the tree.
 *
 * Correct: whoever comes first, the tree stays balanced. (The red-black tree that leans left: red links only on the
 * left.)
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

enum { LEFT, RIGHT };

struct node {
    int key;
    volatile int is_red;
    struct node *volatile child[2];
};

static struct node nodes[] = {
    { 1, 1, { NULL, NULL } },
    { 3, 1, { NULL, NULL } },
    { 2, 0, { NULL, NULL } },
};
static struct node *volatile root = &nodes[2];
static pthread_mutex_t tree = PTHREAD_MUTEX_INITIALIZER, counters = PTHREAD_MUTEX_INITIALIZER;
static volatile int operations, inserted[2];

static int is_red(const struct node *node)
{
    return node != NULL && node->is_red;
}

static struct node *rotate(struct node *top, int side)
{
    struct node *up = top->child[side];
    top->child[side] = up->child[!side];
    up->child[!side] = top;
    up->is_red = top->is_red;
    top->is_red = 1;
    return up;
}

static struct node *insert(struct node *top, struct node *node)
{
    if (top == NULL)
        return node;
    const int side = node->key > top->key;
    top->child[side] = insert(top->child[side], node);
    if (is_red(top->child[RIGHT]) && !is_red(top->child[LEFT]))
        top = rotate(top, RIGHT);
    if (is_red(top->child[LEFT]) && is_red(top->child[LEFT]->child[LEFT]))
        top = rotate(top, LEFT);
    if (is_red(top->child[LEFT]) && is_red(top->child[RIGHT])) {
        top->is_red = 1;
        top->child[LEFT]->is_red = top->child[RIGHT]->is_red = 0;
    }
    return top;
}

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument, other = 1 - me;
    pthread_mutex_lock(&tree);
    root = insert(root, &nodes[me]);
    root->is_red = 0;
    pthread_mutex_unlock(&tree);
    pthread_mutex_lock(&counters);
    operations++;
    inserted[me] = 1;
    const int is_whole = inserted[other];
    pthread_mutex_unlock(&counters);
    if (is_whole) {
        pthread_mutex_lock(&tree);
        warpath_assert(root == &nodes[2] && !is_red(root->child[LEFT]) && !is_red(root->child[RIGHT]));
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
