/*
 * Figure 8 of the MPC paper: the write that the error needs is on a branch that the first run does not see (not A, but
 * B), so combining only what was seen misses it.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int x;
static int i, j;

static void *thread1(void *unused)
{
    if (i > 0)
        x = 1;
    else if (j > 0)
        x = 2;
    else
        x = 3;
    return unused;
}

static void *thread2(void *unused)
{
    warpath_assert(x != 2); /* BUG */
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&i, sizeof i, "i");
    warpath_input(&j, sizeof j, "j");
    pthread_create(&first, NULL, thread1, NULL);
    pthread_create(&second, NULL, thread2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
