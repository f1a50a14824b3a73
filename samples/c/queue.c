/*
 * "queue_seq" (in ConcBugAssist): a queue in an array, made for one thread; here one puts in while another takes out.
 * Both change the number of items, and a change can be lost. With -DFIXED each is locked.
 */
#include <pthread.h>
#include <warpath.h>

#define ROOM 4

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static struct queue {
    volatile int items[ROOM], head, tail, count;
} queue;
static int taken;

static void put(int item)
{
    LOCK();
    if (queue.count < ROOM) {
        queue.items[queue.tail] = item;
        queue.tail = (queue.tail + 1) % ROOM;
        queue.count++;
    }
    UNLOCK();
}

static void *producer(void *unused)
{
    put(2);
    return unused;
}

static void *consumer(void *unused)
{
    LOCK();
    if (queue.count > 0) {
        taken = queue.items[queue.head];
        queue.head = (queue.head + 1) % ROOM;
        queue.count--;
    }
    UNLOCK();
    return unused;
}

int main(void)
{
    pthread_t first, second;
    put(1);
    pthread_create(&first, NULL, producer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(taken == 1 && queue.count == 1); /* BUG */
    return 0;
}
