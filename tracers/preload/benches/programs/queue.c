/* A bounded queue with a mutex and two conditions, between a thread that makes jobs and one that checks them. JOBS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 64

struct job {
    uint64_t words[8], sum;
};
static struct job queue[ROOM];
static unsigned head, tail;
static long jobs;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;

static uint64_t hash(const uint64_t *words) {
    uint64_t sum = 14695981039346656037u;
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 8; i++)
            sum = (sum ^ words[i]) * 1099511628211u;
    return sum;
}

static void *produce(void *unused) {
    uint64_t x = 88172645463325252u;
    for (long n = 0; n < jobs; n++) {
        struct job job;
        for (int i = 0; i < 8; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            job.words[i] = x;
        }
        job.sum = hash(job.words);
        pthread_mutex_lock(&lock);
        while (tail - head == ROOM)
            pthread_cond_wait(&emptied, &lock);
        queue[tail++ % ROOM] = job;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *wrong) {
    for (long n = 0; n < jobs; n++) {
        pthread_mutex_lock(&lock);
        while (tail == head)
            pthread_cond_wait(&filled, &lock);
        struct job job = queue[head++ % ROOM];
        pthread_cond_signal(&emptied);
        pthread_mutex_unlock(&lock);
        *(long *)wrong += hash(job.words) != job.sum;
    }
    return 0;
}

int main(int count, char **arguments) {
    (void)count;
    jobs = atol(arguments[1]);
    long wrong = 0;
    pthread_t producer, consumer;
    pthread_create(&producer, 0, produce, 0);
    pthread_create(&consumer, 0, consume, &wrong);
    pthread_join(producer, 0);
    pthread_join(consumer, 0);
    printf("%ld\n", wrong);
    return 0;
}
