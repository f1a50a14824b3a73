/* Takes something from everywhere: two arguments, a variable, standard input, files, a socket. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int pair[2];

static void *peer(void *argument)
{
    write(pair[1], "hello", 5);
    shutdown(pair[1], SHUT_WR);
    return argument;
}

int main(int argc, char **argv)
{
    char text[64];
    ssize_t got;
    printf("%d %s %s\n", argc, argv[1], getenv("INPUT_TEST"));

    if (argc > 3) {
        printf("%s", fgets(text, sizeof text, stdin));
    } else {
        while ((got = read(0, text, 3)) > 0)
            printf("%.*s", (int)got, text);
    }

    FILE *stream = fopen("read.txt", "r");
    printf("%s", fgets(text, sizeof text, stream));
    fclose(stream);
    int fd = open("read.txt", O_RDONLY);
    got = pread(fd, text, sizeof text, 2);
    printf("%.*s", (int)got, text);
    close(fd);
    fd = open("./read.txt", O_RDONLY);
    close(fd);

    fd = open("written.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
    write(fd, "mine", 4);
    close(fd);
    fd = open("written.txt", O_RDONLY);
    close(fd);

    socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
    pthread_t thread;
    pthread_create(&thread, NULL, peer, NULL);
    recv(pair[0], text, 1, MSG_PEEK | MSG_WAITALL);
    recv(pair[0], text, 2, MSG_WAITALL);
    struct iovec parts[2] = {{text + 2, 1}, {text + 3, 60}};
    got = 2;
    while (got < 5) {
        ssize_t more = readv(pair[0], parts, 2);
        if (more <= 0)
            break;
        if (got == 2 && more > 0) {
            parts[0].iov_base = text + 2 + more;
            parts[1].iov_base = text + 3 + more;
        }
        got += more;
    }
    printf("%.*s\n", (int)got, text);
    pthread_join(thread, NULL);
    return 0;
}
