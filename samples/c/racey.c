/*
 * "racey" (MPC), bounded: three threads meet at a counting barrier that each looks at LOOKS times at most, then mix
 * words of a shared array into each other without a lock. What comes out depends on every race; one outcome counts as
 * the error.
 *
 * Which words a round takes follows from thread and round alone, so a thread's path is decided at the barrier.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define THREADS 3
#define LOOKS 10
#define ROUNDS 10
#define WORDS 64
#define UNWANTED 2376539714u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int arrived;
static volatile unsigned words[WORDS];

static unsigned mix(unsigned a, unsigned b)
{
    return (a << 3) + (a ^ b) + 1;
}

static void *work(void *argument)
{
    const int me = (int)(intptr_t)argument;
    pthread_mutex_lock(&lock);
    arrived++;
    pthread_mutex_unlock(&lock);
    for (int looks = 0; arrived < THREADS; looks++)
        if (looks == LOOKS)
            return NULL;
    for (int round = 0; round < ROUNDS; round++) {
        /* Words of the thread's own in most rounds, the same ones for all in every fourth. */
        volatile unsigned *one = &words[round % 4 == 3 ? 60 + round / 4 * 2 : me * 20 + round * 2], *two = one + 1;
        const unsigned first = *one, second = *two;
        *one = mix(first, second);
        *two = mix(second, first);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned signature = 0;
    for (unsigned n = 0; n < WORDS; n++)
        words[n] = n;
    for (intptr_t n = 0; n < THREADS; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < THREADS; n++)
        pthread_join(threads[n], NULL);
    for (int n = 0; n < WORDS; n++)
        signature = mix(signature, words[n]);
    warpath_assert(signature != UNWANTED); /* BUG */
    return 0;
}
