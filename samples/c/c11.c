/* Threads of C11: a value is handed over under a mutex and a condition; the receiver's thread-specific copy is its own. */
#include <threads.h>
#include <warpath.h>

static mtx_t lock;
static cnd_t changed;
static int full, value;
static _Thread_local int copy;

static int give(void *unused)
{
    int given;
    (void)unused;
    warpath_input(&given, sizeof given, "given");
    mtx_lock(&lock);
    value = given;
    full = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    return given;
}

static int take(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    while (!full)
        cnd_wait(&changed, &lock);
    copy = value;
    mtx_unlock(&lock);
    return copy;
}

int main(void)
{
    thrd_t giver, taker;
    int given, taken;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    thrd_create(&giver, give, NULL);
    thrd_create(&taker, take, NULL);
    thrd_join(giver, &given);
    thrd_join(taker, &taken);
    warpath_assert(taken == given && copy == 0);
    cnd_destroy(&changed);
    mtx_destroy(&lock);
    return 0;
}
