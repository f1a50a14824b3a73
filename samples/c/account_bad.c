/*
 * "account" (in ConcBugAssist): a deposit and a withdrawal, and an audit that waits for neither. All is locked, but
 * each is called done before it is booked, so the audit can come too early. It shows only if an amount (an input) is
 * not zero. With -DFIXED booking and calling it done are one section.
 */
#include <pthread.h>
#include <warpath.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int balance, deposited, withdrawn;
static int in, out;

static void book(volatile int *done, int amount)
{
    pthread_mutex_lock(&lock);
    *done = 1;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance += amount;
    pthread_mutex_unlock(&lock);
}

static void *deposit(void *unused)
{
    book(&deposited, in);
    return unused;
}

static void *withdraw(void *unused)
{
    book(&withdrawn, -out);
    return unused;
}

static void *audit(void *unused)
{
    pthread_mutex_lock(&lock);
    if (deposited && withdrawn)
        warpath_assert(balance == in - out); /* BUG */
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = { deposit, withdraw, audit };
    pthread_t threads[3];
    warpath_input(&in, sizeof in, "in");
    warpath_input(&out, sizeof out, "out");
    warpath_assume(in >= 0 && in <= 1000 && out >= 0 && out <= 1000);
    for (int n = 0; n < 3; n++)
        pthread_create(&threads[n], NULL, starts[n], NULL);
    for (int n = 0; n < 3; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
