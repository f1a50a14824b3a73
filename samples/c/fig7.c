/*
 * Figure 7 of the MPC paper: each thread's first branch (A, B) needs a write from the other thread's second one, so A
 * and B are never both taken.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int x, y;
static int took_a, took_b;

static void *thread1(void *unused)
{
    if (y == 1) {
        took_a = 1;
        x = 1;
    } else {
        x = 2;
    }
    return unused;
}

static void *thread2(void *unused)
{
    if (x == 2) {
        took_b = 1;
        y = 2;
    } else {
        y = 1;
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, thread1, NULL);
    pthread_create(&second, NULL, thread2, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(!(took_a && took_b));
    return 0;
}
