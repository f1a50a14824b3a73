/*
 * "freebsd-aa" (in ConcBugAssist, from FreeBSD's auditing of arguments): three threads each fill in one argument of a
 * record and mark it as valid, all in one word of flags and without a lock, so that a mark can be lost.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

#define T 3

static struct record {
    volatile int arguments[T];
    volatile unsigned valid;
} record;

static void *audit(void *argument)
{
    const int me = (int)(intptr_t)argument;
    record.arguments[me] = me + 1;
    record.valid |= 1u << me;
    return NULL;
}

int main(void)
{
    pthread_t threads[T];
    for (intptr_t n = 0; n < T; n++)
        pthread_create(&threads[n], NULL, audit, (void *)n);
    for (int n = 0; n < T; n++)
        pthread_join(threads[n], NULL);
    warpath_assert(record.valid == (1u << T) - 1); /* BUG */
    return 0;
}
