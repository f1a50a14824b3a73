/*
 * "gcc-40518" (in ConcBugAssist): all empty strings share one representation, and erasing an empty string writes to
 * it what it holds anyway. Not so while another thread has a copy: its reference is wiped out. With -DFIXED what is
 * empty is left alone.
 */
#include <pthread.h>
#include <warpath.h>

static struct representation {
    volatile int references, length;
} empty;

static void *erase(void *unused)
{
#ifdef FIXED
    if (empty.length == 0)
        return unused;
#endif
    empty.references = 0;
    empty.length = 0;
    return unused;
}

static void *copy(void *unused)
{
    __atomic_fetch_add(&empty.references, 1, __ATOMIC_SEQ_CST);
    const int before = __atomic_fetch_sub(&empty.references, 1, __ATOMIC_SEQ_CST);
    warpath_assert(before > 0); /* BUG */
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, erase, NULL);
    pthread_create(&second, NULL, copy, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
