/*
 * "apache-25520" (in ConcBugAssist): two requests write to a buffered log without a lock. The fill count is read,
 * added to and written back, so what one wrote can be lost. How much each writes is an input. With -DFIXED a write is
 * locked.
 */
#include <pthread.h>
#include <warpath.h>

#define SIZE 2

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

/* Twice the room: a writer whose room was taken by the other must spoil the count only. */
static volatile char buffer[2 * SIZE];
static volatile int fill, flushed;
static int lengths[2];

static void *request(void *argument)
{
    const int length = *(const int *)argument;
    LOCK();
    if (fill + length > SIZE) {
        flushed += fill;
        fill = 0;
    }
    for (int n = 0; n < length; n++)
        buffer[fill + n] = 'x';
    fill += length;
    UNLOCK();
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&lengths[0], sizeof lengths[0], "length1");
    warpath_input(&lengths[1], sizeof lengths[1], "length2");
    for (int n = 0; n < 2; n++)
        warpath_assume(lengths[n] >= 0 && lengths[n] <= SIZE);
    pthread_create(&first, NULL, request, &lengths[0]);
    pthread_create(&second, NULL, request, &lengths[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(flushed + fill == lengths[0] + lengths[1]); /* BUG */
    return 0;
}
