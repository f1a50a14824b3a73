/*
 * A reference count that is lowered and looked at in two steps (as in a web server's cache): both holders may see zero,
 * and both free. Only an object that has a body (an input) is freed at all.
 */
#include <pthread.h>
#include <stdlib.h>
#include <warpath.h>

static struct entry {
    volatile int references;
    char *body;
} entry;

static void *release(void *unused)
{
    entry.references--;
    if (entry.references == 0 && entry.body != NULL)
        free(entry.body); /* BUG */
    return unused;
}

int main(void)
{
    int size;
    pthread_t first, second;
    warpath_input(&size, sizeof size, "size");
    warpath_assume(size >= 0 && size <= 64);
    entry.references = 2;
    entry.body = size > 0 ? malloc((size_t)size) : NULL;
    pthread_create(&first, NULL, release, NULL);
    pthread_create(&second, NULL, release, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
