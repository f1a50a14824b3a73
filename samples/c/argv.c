/*
 * An amount from the command line is moved between two accounts, each under its own lock. An auditor that takes both
 * locks can still come in between and miss the money, unless the amount is nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static struct account {
    pthread_mutex_t lock;
    int balance;
} accounts[2] = { { PTHREAD_MUTEX_INITIALIZER, 100 }, { PTHREAD_MUTEX_INITIALIZER, 100 } };

static void add(struct account *account, int amount)
{
    pthread_mutex_lock(&account->lock);
    account->balance += amount;
    pthread_mutex_unlock(&account->lock);
}

static void *move(void *amount)
{
    add(&accounts[0], -*(const int *)amount);
    add(&accounts[1], *(const int *)amount);
    return NULL;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&accounts[0].lock);
    pthread_mutex_lock(&accounts[1].lock);
    assert(accounts[0].balance + accounts[1].balance == 200); /* BUG */
    pthread_mutex_unlock(&accounts[1].lock);
    pthread_mutex_unlock(&accounts[0].lock);
    return unused;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s AMOUNT\n", argv[0]);
        return 2;
    }
    int amount = atoi(argv[1]);
    pthread_t first, second;
    pthread_create(&first, NULL, move, &amount);
    pthread_create(&second, NULL, audit, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
