/* "reorder" (verification competition, in ConcBugAssist): a pair that is set in two steps and looked at in between. */
#include <pthread.h>
#include <stddef.h>

extern void reach_error(void);

static volatile int a, b;

static void *set(void *unused)
{
    a = 1;
    b = -1;
    return unused;
}

static void *check(void *unused)
{
    const int first = a, second = b;
    if (!(first == 0 && second == 0) && !(first == 1 && second == -1))
        reach_error(); /* BUG */
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = { set, set, check, check };
    pthread_t threads[4];
    for (int n = 0; n < 4; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
