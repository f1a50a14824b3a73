// A process with a thread forks; the child uses locks and threads of its own, then becomes another program.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    pid_t child = fork();
    if (child == 0) {
        pthread_create(&thread, 0, run, 0);
        pthread_join(thread, 0);
        pthread_create(&thread, 0, run, 0);
        pthread_join(thread, 0);
        execl("/bin/echo", "echo", "another", (char *)0);
        _exit(9);
    }
    int status;
    waitpid(child, &status, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return status;
}
