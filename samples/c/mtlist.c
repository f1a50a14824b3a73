/*
 * "MTList" (MCR): two lists whose operations lock the list that they change, but adding all of one list to the other
 * goes through that other without its lock. An iteration must not see its list change, as Java's lists check. Which
 * operation each thread does is an input: 1 adds all, 2 clears, all else adds one.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

static struct list {
    pthread_mutex_t lock;
    volatile int count, changes;
    volatile int items[8];
} lists[2] = { { .lock = PTHREAD_MUTEX_INITIALIZER, .count = 1 }, { .lock = PTHREAD_MUTEX_INITIALIZER, .count = 1 } };

static void add(struct list *list, int item)
{
    list->changes++;
    list->items[list->count++] = item;
}

static void clear(struct list *list)
{
    list->changes++;
    list->count = 0;
}

static void add_all(struct list *list, const struct list *from)
{
    const int changes = from->changes;
    for (int n = 0; n < from->count; n++) {
        warpath_assert(from->changes == changes); /* BUG */
        add(list, from->items[n]);
    }
}

static void *work(void *argument)
{
    static const char *const names[] = { "operation1", "operation2" };
    const int me = (int)(intptr_t)argument;
    int operation;
    warpath_input(&operation, sizeof operation, names[me]);
    pthread_mutex_lock(&lists[me].lock);
    if (operation == 1)
        add_all(&lists[me], &lists[1 - me]);
    else if (operation == 2)
        clear(&lists[me]);
    else
        add(&lists[me], 1);
    pthread_mutex_unlock(&lists[me].lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
