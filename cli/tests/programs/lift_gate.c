/* Fails for some arguments, variables, input and file contents, if `late` is set before `check` looks. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int late, key;

static void *writer(void *argument)
{
    pthread_mutex_lock(&lock);
    late = 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *checker(void *argument)
{
    usleep(200000);
    pthread_mutex_lock(&lock);
    int seen = late;
    pthread_mutex_unlock(&lock);
    if (key == 7)
        assert(!seen);
    return argument;
}

int main(int argc, char **argv)
{
    char text[8] = "", word[8] = "";
    int fd = open("key.txt", O_RDONLY);
    if (fd < 0 || read(fd, word, 4) < 1)
        return 9;
    close(fd);
    if (read(0, text, 4) < 1)
        return 8;
    const char *from = getenv("GATE");
    if (argc > 1 && argv[1][0] == 'x')
        key++;
    if (from && from[0] == 'y')
        key += 2;
    if (text[0] == 'z' && word[0] == 'w')
        key += 4;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, checker, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    puts("passed");
    return 0;
}
