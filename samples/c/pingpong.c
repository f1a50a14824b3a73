/*
 * "PingPong" (MCR): five players share one ball; each looks at it, takes it from the table for a moment and puts it
 * back. Whoever looks in that moment follows a null pointer.
 */
#include <pthread.h>
#include <stddef.h>

#define PLAYERS 5

struct ball {
    volatile int hits;
};

static struct ball ball;
static struct ball *volatile table = &ball;

static void *play(void *unused)
{
    (void)table->hits; /* BUG */
    struct ball *mine = table;
    table = NULL;
    table = mine;
    return unused;
}

int main(void)
{
    pthread_t players[PLAYERS];
    for (int n = 0; n < PLAYERS; n++)
        pthread_create(&players[n], NULL, play, NULL);
    for (int n = 0; n < PLAYERS; n++)
        pthread_join(players[n], NULL);
    return 0;
}
