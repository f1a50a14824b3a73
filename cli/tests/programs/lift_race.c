/* Fails if the reader looks at one moment out of many. Where `SLOW` is set, that is when it looks. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int turn;
static int slow;

static void *writer(void *argument)
{
    for (int i = 1; i <= 40; i++) {
        turn = i;
        if (slow && i == 29)
            usleep(600000);
    }
    return argument;
}

static void *reader(void *argument)
{
    if (slow)
        usleep(200000);
    int seen = turn;
    assert(seen != 29);
    return argument;
}

int main(void)
{
    slow = getenv("SLOW") != NULL;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
