/*
 * "sor" (Con2colic, after a Java Grande program): two threads relax a 5 by 5 grid in two half sweeps, the red cells
 * and then the black ones. Each cell has a lock, but what keeps the half sweeps apart is only a counter of each
 * thread.
 *
 * Nobody waits for the other's counter, so a thread can begin one half sweep while its neighbour is in the other.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define SIDE 5

enum { IDLE, RED, BLACK, DONE };

static pthread_mutex_t locks[SIDE * SIDE] = { [0 ... SIDE * SIDE - 1] = PTHREAD_MUTEX_INITIALIZER };
static volatile int grid[SIDE * SIDE] = { 64, 64, 64, 64, 64 };
static volatile int progress[2];

static int value(int cell)
{
    pthread_mutex_lock(&locks[cell]);
    const int found = grid[cell];
    pthread_mutex_unlock(&locks[cell]);
    return found;
}

static void relax(int cell)
{
    const int around = value(cell - 1) + value(cell + 1) + value(cell - SIDE) + value(cell + SIDE);
    pthread_mutex_lock(&locks[cell]);
    grid[cell] = (grid[cell] + around / 4) / 2;
    pthread_mutex_unlock(&locks[cell]);
}

static void *sweep(void *argument)
{
    const int me = (int)(intptr_t)argument, neighbour = 1 - me;
    const int from = me == 0 ? 1 : 2, to = me == 0 ? 1 : SIDE - 2;
    for (int colour = RED; colour <= BLACK; colour++) {
        progress[me]++;
        const int theirs = progress[neighbour];
        warpath_assert(theirs == IDLE || theirs == colour || theirs == DONE); /* BUG */
        for (int row = from; row <= to; row++)
            for (int column = 1; column < SIDE - 1; column++)
                if ((row + column) % 2 == colour - RED)
                    relax(row * SIDE + column);
    }
    progress[me]++;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, sweep, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
