/*
 * "VectPrime02" (in ConcBugAssist): two threads take the next number of a vector and count those that are prime. Both
 * may take the same, and both may count at once. With -DFIXED taking and counting are locked.
 */
#include <pthread.h>
#include <warpath.h>

#define SIZE 3

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static const int vector[SIZE] = { 7, 9, 5 };
static volatile int next, primes;

static int is_prime(int number)
{
    for (int divisor = 2; divisor * divisor <= number; divisor++)
        if (number % divisor == 0)
            return 0;
    return number > 1;
}

static int take(void)
{
    LOCK();
    const int index = next;
    if (index < SIZE)
        next = index + 1;
    UNLOCK();
    return index;
}

static void *work(void *unused)
{
    for (int index = take(); index < SIZE; index = take())
        if (is_prime(vector[index])) {
            LOCK();
            primes++;
            UNLOCK();
        }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, work, NULL);
    pthread_create(&second, NULL, work, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(primes == 2); /* BUG */
    return 0;
}
