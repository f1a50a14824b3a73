/*
 * "gcc-25330" (in ConcBugAssist): two compilers write a class file to a temporary one and rename it. Both use the
 * same temporary name, so one may find its file renamed by the other. With -DFIXED each has its own name.
 */
#include <pthread.h>
#include <stdint.h>
#include <warpath.h>

static struct file {
    volatile int exists, content;
} temporary[2];

static void *write_class(void *argument)
{
    const int me = (int)(intptr_t)argument;
#ifdef FIXED
    struct file *mine = &temporary[me];
#else
    struct file *mine = &temporary[0];
#endif
    mine->exists = 1;
    mine->content = me;
    warpath_assert(mine->exists); /* BUG: nothing to rename */
    mine->exists = 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, write_class, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
