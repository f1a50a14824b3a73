/* Two threads that wait for each other, and an alarm that ends them. Every mutex is on the heap. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t *a, *b;

static pthread_mutex_t *made(void)
{
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, NULL);
    return mutex;
}

static void *back(void *argument)
{
    usleep(100000);
    pthread_mutex_lock(b);
    usleep(200000);
    pthread_mutex_lock(a);
    pthread_mutex_unlock(a);
    pthread_mutex_unlock(b);
    return argument;
}

int main(void)
{
    pthread_t thread;
    alarm(1);
    a = made();
    b = made();
    pthread_create(&thread, NULL, back, NULL);
    pthread_mutex_lock(a);
    usleep(200000);
    pthread_mutex_lock(b);
    pthread_mutex_unlock(b);
    pthread_mutex_unlock(a);
    pthread_join(thread, NULL);
    return 0;
}
