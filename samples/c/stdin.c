/*
 * Commands from standard input, one byte each, carried out by two threads without a lock: '+' and '-' count, all else
 * does nothing. Two commands that count and one bad moment lose a step.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static unsigned char commands[2];
static volatile int counter;

static int step_of(unsigned char command)
{
    return command == '+' ? 1 : command == '-' ? -1 : 0;
}

static void *carry_out(void *command)
{
    const int step = step_of(*(const unsigned char *)command);
    if (step != 0)
        counter += step;
    return NULL;
}

int main(void)
{
    size_t length = 0;
    ssize_t got;
    while (length < sizeof commands && (got = read(STDIN_FILENO, commands + length, sizeof commands - length)) > 0)
        length += (size_t)got;
    pthread_t threads[2];
    for (int n = 0; n < 2; n++)
        pthread_create(&threads[n], NULL, carry_out, &commands[n]);
    for (int n = 0; n < 2; n++)
        pthread_join(threads[n], NULL);
    assert(counter == step_of(commands[0]) + step_of(commands[1])); /* BUG */
    return 0;
}
