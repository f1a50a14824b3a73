/* "Counter" (MCR): increments against decrements without a lock. With -DLOCKED each is under one, and all is well. */
#include <pthread.h>
#include <warpath.h>

#define ROUNDS 3

static volatile int counter;

#ifdef LOCKED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static void *up(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        LOCK();
        counter++;
        UNLOCK();
    }
    return unused;
}

static void *down(void *unused)
{
    for (int n = 0; n < ROUNDS; n++) {
        LOCK();
        counter--;
        UNLOCK();
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, up, NULL);
    pthread_create(&second, NULL, down, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(counter == 0); /* BUG */
    return 0;
}
