/*
 * "msqueue" (MPC): the lock-free queue of Michael and Scott, with one thread that puts K numbers in and one that tries
 * K times to take one out; K is an input.
 *
 * Correct. With -DBROKEN both threads put numbers in, and the new node is linked by a plain store where the algorithm
 * compares and swaps, so that one can be lost.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <warpath.h>

#ifndef LARGEST
#define LARGEST 5
#endif

struct node {
    int number;
    struct node *_Atomic next;
};

static struct node nodes[1 + 2 * LARGEST];
static struct node *_Atomic head = &nodes[0], *_Atomic tail = &nodes[0];
static int attempts;

static void enqueue(struct node *node)
{
    for (;;) {
        struct node *last = tail, *next = last->next;
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
            continue;
        }
#ifdef BROKEN
        last->next = node;
#else
        if (!atomic_compare_exchange_strong(&last->next, &next, node))
            continue;
#endif
        atomic_compare_exchange_strong(&tail, &last, node);
        return;
    }
}

/* The number taken, or 0 if there was none. */
static int dequeue(void)
{
    for (;;) {
        struct node *first = head, *last = tail, *next = first->next;
        if (next == NULL)
            return 0;
        if (first == last)
            atomic_compare_exchange_strong(&tail, &last, next);
        else if (atomic_compare_exchange_strong(&head, &first, next))
            return next->number;
    }
}

static void *put(void *first)
{
    for (int n = 0; n < attempts; n++)
        enqueue((struct node *)first + n);
    return NULL;
}

#ifndef BROKEN
static int taken;

static void *take(void *unused)
{
    for (int n = 0; n < attempts; n++) {
        const int number = dequeue();
        if (number != 0)
            warpath_assert(number == ++taken);
    }
    return unused;
}
#endif

int main(void)
{
    pthread_t first, second;
    warpath_input(&attempts, sizeof attempts, "K");
    warpath_assume(attempts >= 0 && attempts <= LARGEST);
    for (int n = 1; n <= 2 * LARGEST; n++)
        nodes[n].number = n;
    pthread_create(&first, NULL, put, &nodes[1]);
#ifdef BROKEN
    int expected = 2 * attempts;
    pthread_create(&second, NULL, put, &nodes[1 + LARGEST]);
#else
    int expected = attempts;
    pthread_create(&second, NULL, take, NULL);
#endif
    pthread_join(first, NULL);
    pthread_join(second, NULL);
#ifndef BROKEN
    expected -= taken;
#endif
    while (dequeue() != 0)
        expected--;
    warpath_assert(expected == 0); /* BUG */
    return 0;
}
