/* Figure 6 of the MPC paper: two reads and one write; both reads may come behind the write. */
#include <pthread.h>
#include <warpath.h>

static volatile int x;

static void *thread1(void *unused)
{
    const int r1 = x;
    const int r2 = x;
    warpath_assert(r1 + r2 < 2); /* BUG */
    return unused;
}

static void *thread2(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, thread1, NULL);
    pthread_create(&second, NULL, thread2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
