/*
 * As the verification competition writes programs: two buyers look at the stock and take from it in two steps, each only
 * atomic in itself. How much they want is up to __VERIFIER_nondet_int().
 */
#include <pthread.h>
#include <stddef.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);

static int stock = 3;

static int in_stock(void)
{
    __VERIFIER_atomic_begin();
    const int found = stock;
    __VERIFIER_atomic_end();
    return found;
}

static void *buy(void *unused)
{
    const int wanted = __VERIFIER_nondet_int();
    __VERIFIER_assume(wanted >= 0 && wanted <= 3);
    if (in_stock() >= wanted) {
        __VERIFIER_atomic_begin();
        stock -= wanted;
        __VERIFIER_atomic_end();
    }
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, buy, NULL);
    pthread_create(&second, NULL, buy, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    if (stock < 0)
        reach_error(); /* BUG */
    return 0;
}
