/*
 * "gcc-3584" (in ConcBugAssist): an atomic addition for a processor that can only exchange. Who notices that the
 * value had changed puts back what it got and tries again, and what others have added in between is gone.
 *
 * With -DFIXED it is a real atomic addition.
 */
#include <pthread.h>
#include <warpath.h>

#define TRIES 3

static volatile int value;

static void atomic_add(int amount)
{
#ifdef FIXED
    __atomic_fetch_add(&value, amount, __ATOMIC_SEQ_CST);
#else
    for (int n = 0;; n++) {
        warpath_assume(n < TRIES);
        const int expected = value;
        const int found = __atomic_exchange_n(&value, expected + amount, __ATOMIC_SEQ_CST);
        if (found == expected)
            return;
        __atomic_exchange_n(&value, found, __ATOMIC_SEQ_CST);
    }
#endif
}

static void *once(void *unused)
{
    atomic_add(1);
    return unused;
}

static void *twice(void *unused)
{
    atomic_add(1);
    atomic_add(2);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, once, NULL);
    pthread_create(&second, NULL, twice, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(value == 4); /* BUG */
    return 0;
}
