/* "testc" (in ConcBugAssist): the creator looks without waiting, and may see the first of its child's two stores. */
#include <pthread.h>
#include <warpath.h>

enum { NOTHING, HALF, WHOLE };

static volatile int done = NOTHING;

static void *work(void *unused)
{
    done = HALF;
    done = WHOLE;
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    warpath_assert(done != HALF); /* BUG */
    pthread_join(other, NULL);
    return 0;
}
