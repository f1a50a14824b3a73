/* Two mutexes taken in opposite orders. With -DORDERED both threads take them alike, and nobody waits forever. */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int moved;

static void *to_right(void *unused)
{
    pthread_mutex_lock(&left);
    pthread_mutex_lock(&right); /* BUG: waits for the other */
    moved++;
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *to_left(void *unused)
{
#ifdef ORDERED
    return to_right(unused);
#else
    pthread_mutex_lock(&right);
    pthread_mutex_lock(&left); /* BUG: waits for the other */
    moved--;
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
#endif
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, to_right, NULL);
    pthread_create(&second, NULL, to_left, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
