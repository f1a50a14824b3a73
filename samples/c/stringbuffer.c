/*
 * "StringBuffer" (MCR): appending one buffer to another asks for its length and then for that many characters, each
 * under the lock; a deletion between the two leaves fewer. How many are deleted is an input. With -DFIXED the lock is
 * held from length to characters.
 */
#include <pthread.h>
#include <string.h>
#include <warpath.h>

#define LENGTH 3

typedef struct {
    pthread_mutex_t lock;
    volatile int length;
    char text[2 * LENGTH];
} buffer;

static buffer to = { PTHREAD_MUTEX_INITIALIZER, 0, "" }, from = { PTHREAD_MUTEX_INITIALIZER, LENGTH, "abc" };

static void copy(const buffer *source, int length, char *target)
{
    warpath_assert(length <= source->length); /* BUG */
    memcpy(target, source->text, (size_t)length);
}

static void *append(void *unused)
{
    pthread_mutex_lock(&to.lock);
    pthread_mutex_lock(&from.lock);
    const int length = from.length;
#ifndef FIXED
    pthread_mutex_unlock(&from.lock);
    pthread_mutex_lock(&from.lock);
#endif
    copy(&from, length, to.text + to.length);
    pthread_mutex_unlock(&from.lock);
    to.length += length;
    pthread_mutex_unlock(&to.lock);
    return unused;
}

static void *delete(void *unused)
{
    int count;
    warpath_input(&count, sizeof count, "count");
    warpath_assume(count >= 0 && count <= LENGTH);
    pthread_mutex_lock(&from.lock);
    from.length -= count;
    pthread_mutex_unlock(&from.lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, append, NULL);
    pthread_create(&second, NULL, delete, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
