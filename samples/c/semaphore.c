/*
 * A buffer of two slots between two semaphores. With -DBROKEN one item is promised that nobody has put there.
 */
#include <pthread.h>
#include <semaphore.h>
#include <warpath.h>

#define SLOTS 2

static sem_t items, room;
static volatile int slots[SLOTS];

static void *producer(void *unused)
{
    for (int n = 0; n < SLOTS; n++) {
        sem_wait(&room);
        slots[n % SLOTS] = n + 1;
        sem_post(&items);
    }
    return unused;
}

static void *consumer(void *unused)
{
    for (int n = 0; n < SLOTS; n++) {
        sem_wait(&items);
        const int item = slots[n % SLOTS];
        warpath_assert(item == n + 1); /* BUG */
        sem_post(&room);
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
#ifdef BROKEN
    sem_init(&items, 0, 1);
#else
    sem_init(&items, 0, 0);
#endif
    sem_init(&room, 0, SLOTS);
    pthread_create(&first, NULL, producer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    sem_destroy(&items);
    sem_destroy(&room);
    return 0;
}
