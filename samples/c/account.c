/*
 * "Account" (MCR): withdrawals lock, deposits do not, so an amount can be lost between a read and a write of the balance.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static struct account {
    pthread_mutex_t lock;
    volatile int balance;
} account = { PTHREAD_MUTEX_INITIALIZER, 100 };

static void *deposit(void *unused)
{
    account.balance += 100;
    return unused;
}

static void *withdraw(void *unused)
{
    pthread_mutex_lock(&account.lock);
    account.balance -= 100;
    pthread_mutex_unlock(&account.lock);
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = { deposit, deposit, withdraw, withdraw };
    pthread_t threads[4];
    for (int n = 0; n < 4; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 4; n++)
        pthread_join(threads[n], NULL);
    assert(account.balance == 100); /* BUG */
    return 0;
}
