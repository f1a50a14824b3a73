/*
 * "glib-512624" (in ConcBugAssist, which says no more than that it is an atomicity violation; so this is one of that
 * kind): a name is registered unless it is there already. Looking and adding are locked, but each by itself, so two
 * threads can add the same name. With -DFIXED they are one section.
 */
#include <pthread.h>
#include <warpath.h>

#define ROOM 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int names[ROOM], count;

static int is_known(int name)
{
    for (int n = 0; n < count; n++)
        if (names[n] == name)
            return 1;
    return 0;
}

static void *add_if_new(void *name)
{
    const int mine = *(const int *)name;
    pthread_mutex_lock(&lock);
    const int known = is_known(mine);
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (!known) {
        names[count] = mine;
        count++;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static int name = 7;
    pthread_t first, second;
    pthread_create(&first, NULL, add_if_new, &name);
    pthread_create(&second, NULL, add_if_new, &name);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(count == 1); /* BUG */
    return 0;
}
