/*
 * "Point" as the MCR slides reduce it: both coordinates move, then a flag says so. Correct under SC and TSO; under PSO
 * the flag may be in memory before a coordinate is. (publish.c has the same bug with a pointer.)
 */
#include <pthread.h>
#include <warpath.h>

static volatile int x = 1, y = 2, moved;

static void *look(void *unused)
{
    if (moved == 1)
        warpath_assert(x + 1 == y); /* BUG */
    return unused;
}

int main(void)
{
    pthread_t looker;
    pthread_create(&looker, NULL, look, NULL);
    moved = 0;
    x++;
    y++;
    moved = 1;
    pthread_join(looker, NULL);
    return 0;
}
