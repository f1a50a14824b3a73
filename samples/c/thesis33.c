/*
 * The running example of ConcBugAssist (Figure 2.1, diagnosed in Section 3.3): what was checked is read again to be
 * used, and the other thread's only store can come in between.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int x = 1;

static void *clear(void *unused)
{
    x = 0;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, clear, NULL);
    if (x != 0)
        warpath_assert(x != 0); /* BUG */
    pthread_join(other, NULL);
    return 0;
}
