/* "PingPong" (MCR): a pointer is checked, and used when another thread has just taken it away for a moment. */
#include <pthread.h>
#include <stddef.h>

struct ball {
    int hits;
};

static struct ball ball;
static struct ball *volatile table = &ball;

static void *play(void *unused)
{
    if (table != NULL) {
        *(volatile int *)&table->hits = 1; /* BUG */
        struct ball *mine = table;
        table = NULL;
        table = mine;
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, play, NULL);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    return 0;
}
