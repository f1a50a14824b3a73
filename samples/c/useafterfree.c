/* A reader that took the pointer just before its owner freed what it points to. */
#include <pthread.h>
#include <stdlib.h>

struct settings {
    int level, limit;
};

static struct settings *volatile current;
static int seen;

static void *reader(void *unused)
{
    const struct settings *mine = current;
    if (mine != NULL)
        seen = *(const volatile int *)&mine->limit; /* BUG */
    return unused;
}

static void *owner(void *unused)
{
    struct settings *old = current;
    current = NULL;
    free(old);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    current = malloc(sizeof *current);
    if (current == NULL)
        return 1;
    current->level = 1;
    current->limit = 10;
    pthread_create(&first, NULL, reader, NULL);
    pthread_create(&second, NULL, owner, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
