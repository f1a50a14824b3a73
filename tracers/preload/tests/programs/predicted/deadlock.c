// Transfers in both directions, each with the lock of its source first.
#include <pthread.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account ours = {PTHREAD_MUTEX_INITIALIZER, 100}, theirs = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *forth(void *unused) {
    transfer(&ours, &theirs, 10);
    return unused;
}

static void *back(void *unused) {
    usleep(50000);
    transfer(&theirs, &ours, 20);
    return unused;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, forth, 0);
    pthread_create(&other, 0, back, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return ours.balance + theirs.balance != 200;
}
