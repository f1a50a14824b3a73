/*
 * M_n of the MPC paper (Figure 2 is M_0): the crash needs one input, one schedule, and all N extra threads.
 *
 * Thread 2 must find x at 101 + N and y at 2: thread 3 sets x to 100 after thread 2 cleared both, thread 1 (i = 3) and
 * each extra thread (its k = 10) add one, and thread 3 (j = 2) counts y up. Build with -DN=0 to -DN=9.
 */
#include <pthread.h>
#include <warpath.h>

#ifndef N
#define N 0
#endif

/* Volatile here and in the other samples: every access is made as it is written, whatever the optimisation. */
static volatile int x, y;
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *thread1(void *unused)
{
    int i;
    warpath_input(&i, sizeof i, "i");
    x = 2;
    y = 5;
    if (i == 3) {
        x++;
        pthread_mutex_lock(&l);
        y--;
        pthread_mutex_unlock(&l);
    }
    return unused;
}

static void *thread2(void *unused)
{
    x = 5;
    y = 0;
    if (x == 101 + N)
        warpath_assert(y != 2); /* BUG */
    return unused;
}

static void *thread3(void *unused)
{
    int j;
    warpath_input(&j, sizeof j, "j");
    warpath_assume(j <= 2);
    x = 100;
    for (int n = 0; n < j; n++) {
        pthread_mutex_lock(&l);
        y++;
        pthread_mutex_unlock(&l);
    }
    return unused;
}

#if N > 0
static void *extra(void *name)
{
    int k;
    warpath_input(&k, sizeof k, name);
    if (k == 10)
        x++;
    return NULL;
}
#endif

int main(void)
{
    pthread_t threads[3 + N];
    pthread_create(&threads[0], NULL, thread1, NULL);
    pthread_create(&threads[1], NULL, thread2, NULL);
    pthread_create(&threads[2], NULL, thread3, NULL);
#if N > 0
    static char names[][3] = { "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9" };
    for (int n = 0; n < N; n++)
        pthread_create(&threads[3 + n], NULL, extra, names[n]);
#endif
    for (int n = 0; n < 3 + N; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
