// A deposit in one piece under its lock, and a correction under another.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t deposits = PTHREAD_MUTEX_INITIALIZER, corrections = PTHREAD_MUTEX_INITIALIZER;
static atomic_int balance;

static void *deposit(void *unused) {
    pthread_mutex_lock(&deposits);
    int now = atomic_load(&balance);
    atomic_store(&balance, now + 10);
    pthread_mutex_unlock(&deposits);
    return unused;
}

static void *correct(void *unused) {
    usleep(50000);
    pthread_mutex_lock(&corrections);
    atomic_store(&balance, 100);
    pthread_mutex_unlock(&corrections);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, deposit, 0);
    pthread_create(&other, 0, correct, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return balance != 100;
}
