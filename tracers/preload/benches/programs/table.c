/* A table shared by threads: buckets with locks, nodes on the heap that are looked up, inserted and removed.
 * ROUNDS THREADS KEYS */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BUCKETS 65536

struct node {
    struct node *next;
    uint64_t key, value;
};
static struct {
    pthread_mutex_t lock;
    struct node *first;
} table[BUCKETS];
static long rounds, keys;

static void *work(void *me) {
    uint64_t x = (uintptr_t)me * 0x9e3779b97f4a7c15u + 1, hits = 0;
    for (long i = 0; i < rounds; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t key = (x >> 8) % keys;
        unsigned bucket = (key * 0x9e3779b97f4a7c15u) >> 48;
        pthread_mutex_lock(&table[bucket].lock);
        struct node **at = &table[bucket].first;
        while (*at && (*at)->key != key)
            at = &(*at)->next;
        struct node *found = *at;
        if ((x & 3) == 0 && !found) {
            struct node *fresh = malloc(sizeof *fresh);
            *fresh = (struct node){ 0, key, x };
            *at = fresh;
        } else if ((x & 3) == 1 && found) {
            *at = found->next;
            free(found);
        } else if (found) {
            hits += found->value++ & 1;
        }
        pthread_mutex_unlock(&table[bucket].lock);
    }
    return (void *)hits;
}

int main(int count, char **arguments) {
    (void)count;
    rounds = atol(arguments[1]);
    int threads = atoi(arguments[2]);
    keys = atol(arguments[3]);
    pthread_t running[16];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&table[i].lock, 0);
    for (long i = 0; i < threads; i++)
        pthread_create(&running[i], 0, work, (void *)i);
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], 0);
    puts("done");
    return 0;
}
