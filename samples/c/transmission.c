/*
 * "transmission-1.42" (in ConcBugAssist, Figure 5.2): the one thread uses what the other sets up, and hopes to be
 * late enough. With -DFIXED it waits.
 */
#include <pthread.h>
#include <stdlib.h>
#include <warpath.h>

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_set_up = PTHREAD_COND_INITIALIZER;
#endif

static int *volatile bandwidth;

static void *set_up(void *unused)
{
    int *made = calloc(1, sizeof *made);
    if (made == NULL)
        abort();
#ifdef FIXED
    pthread_mutex_lock(&lock);
    bandwidth = made;
    pthread_cond_signal(&is_set_up);
    pthread_mutex_unlock(&lock);
#else
    bandwidth = made;
#endif
    return unused;
}

static void *allocate(void *unused)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    while (bandwidth == NULL)
        pthread_cond_wait(&is_set_up, &lock);
    pthread_mutex_unlock(&lock);
#endif
    warpath_assert(bandwidth != NULL); /* BUG */
    *bandwidth = 100;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, set_up, NULL);
    pthread_create(&second, NULL, allocate, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(bandwidth);
    return 0;
}
