/*
 * "Airline" (MCR): sellers are started while sales are not stopped, and the one that sells the last seat stops them;
 * by then more may have been started. How many of the seats are held back is an input; with none, there are as many as
 * sellers. With -DFIXED a seller looks, under a lock, whether there is a seat.
 */
#include <pthread.h>
#include <warpath.h>

#define SELLERS 3

static volatile int sold, stopped;
static int seats;

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *sell(void *unused)
{
    pthread_mutex_lock(&lock);
    if (sold < seats)
        sold++;
    if (sold == seats)
        stopped = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
#else
static void *sell(void *unused)
{
    sold++;
    if (sold == seats)
        stopped = 1;
    return unused;
}
#endif

int main(void)
{
    pthread_t sellers[SELLERS];
    int held, started = 0;
    warpath_input(&held, sizeof held, "held");
    warpath_assume(held >= 0 && held < SELLERS);
    seats = SELLERS - held;
    for (; started < SELLERS && !stopped; started++)
        pthread_create(&sellers[started], NULL, sell, NULL);
    for (int n = 0; n < started; n++)
        pthread_join(sellers[n], NULL);
    warpath_assert(sold <= seats); /* BUG */
    return 0;
}
