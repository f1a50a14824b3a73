/*
 * Peterson's mutual exclusion with spinning as in the textbook, each thread entering twice.
 *
 * Correct under sequential consistency; the loop is an await for whoever runs it. Broken under TSO, and whole again
 * with -DFENCED.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <warpath.h>

#ifdef FENCED
#define FENCE() atomic_thread_fence(memory_order_seq_cst)
#else
#define FENCE() ((void)0)
#endif

static volatile int wants[2], turn, counter;

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument, other = 1 - me;
    for (int round = 0; round < 2; round++) {
        wants[me] = 1;
        turn = other;
        FENCE();
        while (wants[other] && turn == other)
            ;
        counter++;
        wants[me] = 0;
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
    warpath_assert(counter == 4); /* BUG */
    return 0;
}
