/*
 * "art" (Con2colic: a made-up program that grows with its threads): every thread puts its mark and looks whether it is
 * still there. The n-th thread has an assertion that fails once it was overwritten n times in a row, so each thread
 * more needs one interference more. The main thread's mark comes last. Build with -DN=1 to -DN=4.
 */
#include <pthread.h>
#include <warpath.h>

#ifndef N
#define N 1
#endif

static volatile int mark;

static int overwritten(int mine)
{
    mark = mine;
    return mark != mine;
}

static void *thread1(void *unused)
{
    warpath_assert(!overwritten(1)); /* BUG */
    return unused;
}

#if N >= 2
static void *thread2(void *unused)
{
    if (overwritten(2))
        warpath_assert(!overwritten(2)); /* BUG */
    return unused;
}
#endif

#if N >= 3
static void *thread3(void *unused)
{
    if (overwritten(3) && overwritten(3))
        warpath_assert(!overwritten(3)); /* BUG */
    return unused;
}
#endif

#if N >= 4
static void *thread4(void *unused)
{
    if (overwritten(4) && overwritten(4) && overwritten(4))
        warpath_assert(!overwritten(4)); /* BUG */
    return unused;
}
#endif

int main(void)
{
    void *(*const starts[N])(void *) = {
        thread1,
#if N >= 2
        thread2,
#endif
#if N >= 3
        thread3,
#endif
#if N >= 4
        thread4,
#endif
    };
    pthread_t threads[N];
    for (int n = 0; n < N; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    mark = 0;
    for (int n = 0; n < N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
