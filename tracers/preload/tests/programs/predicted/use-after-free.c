// A box that is looked up under the lock and used behind it. Who closes it comes late.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct box {
    int full, value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct box *box;

static void *use(void *unused) {
    pthread_mutex_lock(&lock);
    struct box *mine = box;
    pthread_mutex_unlock(&lock);
    if (mine) mine->value = 7;
    return unused;
}

static void *close_it(void *unused) {
    usleep(50000);
    pthread_mutex_lock(&lock);
    struct box *old = box;
    box = 0;
    pthread_mutex_unlock(&lock);
    free(old);
    return unused;
}

int main(void) {
    pthread_t one, other;
    box = malloc(sizeof *box);
    box->value = 1;
    pthread_create(&one, 0, use, 0);
    pthread_create(&other, 0, close_it, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
