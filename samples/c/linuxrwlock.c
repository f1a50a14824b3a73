/*
 * "linuxrwlock" (MPC): a read/write lock in one word, as Linux had it. The word begins at BIAS; a reader takes 1 from
 * it, a writer all of it, and whoever took too much gives it back and has failed. Two threads try K times each, by
 * turns as reader and as writer; K is an input.
 *
 * Correct. With -DBROKEN a writer looks whether the word is whole, and takes it in a second step.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <warpath.h>

#define BIAS 0x100000

static atomic_int word = BIAS;
static volatile int left, right;
static int attempts;

static int try_read(void)
{
    if (atomic_fetch_sub(&word, 1) > 0)
        return 1;
    atomic_fetch_add(&word, 1);
    return 0;
}

static int try_write(void)
{
#ifdef BROKEN
    if (atomic_load(&word) != BIAS)
        return 0;
    atomic_fetch_sub(&word, BIAS);
    return 1;
#else
    if (atomic_fetch_sub(&word, BIAS) == BIAS)
        return 1;
    atomic_fetch_add(&word, BIAS);
    return 0;
#endif
}

static void check(void)
{
    warpath_assert(left == right); /* BUG */
}

static void *work(void *writes)
{
    int writing = (int)(intptr_t)writes;
    for (int n = 0; n < attempts; n++, writing = !writing) {
        if (!writing && try_read()) {
            check();
            atomic_fetch_add(&word, 1);
        } else if (writing && try_write()) {
            check();
            left++;
            right++;
            atomic_fetch_add(&word, BIAS);
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    warpath_input(&attempts, sizeof attempts, "K");
    warpath_assume(attempts >= 0 && attempts <= 5);
    for (intptr_t n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, work, (void *)n);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
