/*
 * "Point" (MCR, a well-known 12-million-dollar bug): a new position is filled in and published by two plain stores, which
 * PSO may swap: the reader then sees a position that is not filled in. Correct under SC and TSO.
 */
#include <pthread.h>
#include <warpath.h>

static struct point {
    volatile int x, y;
} positions[2] = { { 1, 1 }, { 0, 0 } };
static struct point *volatile current = &positions[0];

static void *move(void *unused)
{
    positions[1].x = positions[0].x + 1;
    positions[1].y = positions[0].y + 1;
    current = &positions[1];
    return unused;
}

static void *look(void *unused)
{
    const struct point *seen = current;
    const int x = seen->x, y = seen->y;
    warpath_assert(x == y); /* BUG */
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, move, NULL);
    pthread_create(&second, NULL, look, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
