/*
 * "addAll" (Con2colic): append vector u to v. The room needed is computed before the lock is taken.
 *
 * The assertion fails with a count of at least 4 and two threads that both compute before either has appended.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <warpath.h>

typedef struct {
    volatile int cnt, size;
    int *data;
} vector;

static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static vector v, u;

static void add_all(vector *to, const vector *from)
{
    const int needed = to->cnt + from->cnt;
    pthread_mutex_lock(&lk);
    if (needed > to->size) {
        int *larger = realloc(to->data, (size_t)needed * sizeof *larger);
        if (larger == NULL)
            abort();
        to->data = larger;
        to->size = needed;
    }
    warpath_assert(to->size >= from->cnt + to->cnt); /* BUG */
    memcpy(to->data + to->cnt, from->data, (size_t)from->cnt * sizeof *from->data);
    to->cnt += from->cnt;
    pthread_mutex_unlock(&lk);
}

/* With -DFIXED a caller holds a lock of its own from before the room is computed. */
static void *append(void *unused)
{
#ifdef FIXED
    static pthread_mutex_t whole = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&whole);
    add_all(&v, &u);
    pthread_mutex_unlock(&whole);
#else
    add_all(&v, &u);
#endif
    return unused;
}

int main(void)
{
    int count;
    pthread_t first, second;
    warpath_input(&count, sizeof count, "count");
    warpath_assume(count >= 0 && count <= 8);
    v.size = 10;
    v.cnt = 4;
    v.data = calloc(10, sizeof *v.data);
    u.size = u.cnt = count;
    u.data = calloc(8, sizeof *u.data);
    if (v.data == NULL || u.data == NULL)
        return 1;
    pthread_create(&first, NULL, append, NULL);
    pthread_create(&second, NULL, append, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    free(v.data);
    free(u.data);
    return 0;
}
