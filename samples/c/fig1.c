/*
 * Figure 1 of the MPC paper: no schedule reaches the error unless an input is at least 100, and then only one in which
 * thread 3 reads x before it is overwritten.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int x, y;

static void *thread1(void *unused)
{
    int i;
    warpath_input(&i, sizeof i, "i");
    x = i;
    x = 2;
    return unused;
}

static void *thread2(void *unused)
{
    int j;
    warpath_input(&j, sizeof j, "j");
    x = j;
    x = 4;
    return unused;
}

static void *thread3(void *unused)
{
    const int seen = x;
    warpath_assert(seen < 100); /* BUG */
    y = 2;
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = { thread1, thread2, thread3 };
    pthread_t threads[3];
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
