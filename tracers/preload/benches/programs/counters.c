/* Nothing but locks: threads add to one of 64 counters, each under its mutex. ROUNDS THREADS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTERS 64

static struct {
    pthread_mutex_t lock;
    uint64_t sums[4];
    char apart[64];
} counters[COUNTERS];
static long rounds;

static void *work(void *seed) {
    uint64_t x = (uintptr_t)seed;
    for (long i = 0; i < rounds; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        unsigned n = x % COUNTERS;
        pthread_mutex_lock(&counters[n].lock);
        for (int k = 0; k < 4; k++)
            counters[n].sums[k] += x >> k;
        pthread_mutex_unlock(&counters[n].lock);
    }
    return 0;
}

int main(int count, char **arguments) {
    (void)count;
    rounds = atol(arguments[1]);
    int threads = atoi(arguments[2]);
    pthread_t running[16];
    for (int i = 0; i < COUNTERS; i++)
        pthread_mutex_init(&counters[i].lock, 0);
    for (long i = 0; i < threads; i++)
        pthread_create(&running[i], 0, work, (void *)(i * 7919 + 1));
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], 0);
    uint64_t sum = 0;
    for (int i = 0; i < COUNTERS; i++)
        sum += counters[i].sums[0];
    printf("%lu\n", sum);
    return 0;
}
