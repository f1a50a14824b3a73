/*
 * "linux-iio" (in ConcBugAssist, from the industrial I/O part of Linux): the last consumer of a trigger enables it
 * again. The count of consumers is lowered and looked at without a lock, so two may be last, or none. With -DFIXED it
 * is one atomic step.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int use_count = 2;
static volatile int enabled;

static void *consumer(void *unused)
{
#ifdef FIXED
    const int left = __atomic_sub_fetch(&use_count, 1, __ATOMIC_SEQ_CST);
#else
    use_count--;
    const int left = use_count;
#endif
    if (left == 0)
        __atomic_fetch_add(&enabled, 1, __ATOMIC_SEQ_CST);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, consumer, NULL);
    pthread_create(&second, NULL, consumer, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(enabled == 1); /* BUG */
    return 0;
}
