/*
 * "gcc-21334" (in ConcBugAssist): a string whose text is shared until somebody gets a pointer into it. One thread
 * sees that nobody shares it and marks it as not to be shared, a negative count; in between the other has made its
 * copy. When that copy ends, the negative count looks like the last reference, and the text is freed under the
 * pointer.
 *
 * With -DFIXED every step that looks at the count and changes it is a section.
 */
#include <pthread.h>
#include <stdlib.h>

struct text {
    volatile int shared; /* references besides the first; -1: not to be shared */
    volatile char letters[2];
};

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static struct text *string;
static char seen;

static void release(struct text *text)
{
    if (__atomic_fetch_sub(&text->shared, 1, __ATOMIC_SEQ_CST) <= 0)
        free(text);
}

static void *copy_and_look(void *argument)
{
    struct text *text = argument;
    LOCK();
    const int may_share = text->shared >= 0;
    if (may_share)
        __atomic_fetch_add(&text->shared, 1, __ATOMIC_SEQ_CST);
    UNLOCK();
    if (may_share) {
        seen = text->letters[0];
        LOCK();
        release(text);
        UNLOCK();
    }
    return NULL;
}

static void *change(void *unused)
{
    LOCK();
    if (string->shared > 0) {
        struct text *own = calloc(1, sizeof *own);
        if (own == NULL)
            abort();
        release(string);
        string = own;
    }
    string->shared = -1;
    UNLOCK();
    string->letters[0] = 'T'; /* BUG */
    return unused;
}

int main(void)
{
    pthread_t first, second;
    string = calloc(1, sizeof *string);
    if (string == NULL)
        return 1;
    pthread_create(&first, NULL, copy_and_look, string);
    pthread_create(&second, NULL, change, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
