/*
 * The log of a web server (Con2colic, "apache"): two writers append records of different length to one buffer whose
 * index has no lock, so that one record can be written over the other. The size of the buffer is an input; a record
 * that does not fit is dropped. With -DFIXED appending is under a lock.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define LARGEST 8

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static volatile char buffer[LARGEST];
static volatile int used;
static int size, added[2];

static void append(int writer, int length)
{
    LOCK();
    const int at = used;
    if (at + length <= size) {
        for (int n = 0; n < length; n++)
            buffer[at + n] = (char)('a' + writer);
        used = at + length;
        added[writer] = length;
    }
    UNLOCK();
}

static void *work(void *argument)
{
    const int writer = (int)(intptr_t)argument;
    append(writer, 1 + writer);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    warpath_input(&size, sizeof size, "size");
    warpath_assume(size >= 0 && size <= LARGEST);
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    warpath_assert(used == added[0] + added[1]); /* BUG */
    return 0;
}
