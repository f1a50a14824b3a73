/* Hardly anything but memory in the nearest cache: threads sort arrays of their own and now and then add to a shared one.
 * ROUNDS THREADS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 4096

static int sums[COUNT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void sift(int *heap, int at, int count) {
    for (;;) {
        int child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1] > heap[child])
            child++;
        if (heap[at] >= heap[child])
            return;
        int kept = heap[at];
        heap[at] = heap[child];
        heap[child] = kept;
        at = child;
    }
}

static void *work(void *seed) {
    int *own = malloc(COUNT * sizeof *own);
    uint32_t x = (uintptr_t)seed;
    for (long round = 0; round < rounds; round++) {
        for (int i = 0; i < COUNT; i++)
            own[i] = (x = x * 1664525u + 1013904223u) >> 8;
        for (int i = COUNT / 2 - 1; i >= 0; i--)
            sift(own, i, COUNT);
        for (int i = COUNT - 1; i > 0; i--) {
            int kept = own[0];
            own[0] = own[i];
            own[i] = kept;
            sift(own, 0, i);
        }
        pthread_mutex_lock(&lock);
        for (int i = 0; i < COUNT; i += 16)
            sums[i] += own[i];
        pthread_mutex_unlock(&lock);
    }
    free(own);
    return 0;
}

int main(int count, char **arguments) {
    (void)count;
    rounds = atol(arguments[1]);
    int threads = atoi(arguments[2]);
    pthread_t running[16];
    for (long i = 0; i < threads; i++)
        pthread_create(&running[i], 0, work, (void *)(i + 1));
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], 0);
    printf("%d\n", sums[0]);
    return 0;
}
