/*
 * "spinlock" of the MPC paper: a test-and-set lock that is tried, not waited for, K times by each thread, K an input.
 *
 * Correct. With -DBROKEN the test and the set are two steps.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <warpath.h>

#define T 2

static atomic_int word;
static volatile int owners;
static int attempts;

static int try_lock(void)
{
#ifdef BROKEN
    if (atomic_load(&word) != 0)
        return 0;
    atomic_store(&word, 1);
    return 1;
#else
    return atomic_exchange(&word, 1) == 0;
#endif
}

static void unlock(void)
{
    /* A bare store is enough to release. */
    atomic_store_explicit(&word, 0, memory_order_release);
}

static void *work(void *unused)
{
    for (int n = 0; n < attempts; n++) {
        if (!try_lock())
            continue;
        owners++;
        warpath_assert(owners == 1); /* BUG */
        owners--;
        unlock();
    }
    return unused;
}

int main(void)
{
    pthread_t threads[T];
    warpath_input(&attempts, sizeof attempts, "K");
    warpath_assume(attempts >= 0 && attempts <= 5);
    for (int n = 0; n < T; n++)
        pthread_create(&threads[n], NULL, work, NULL);
    for (int n = 0; n < T; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
