// Fails in a thread, in the way that its argument says.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *how) {
    volatile int zero = 0;
    pthread_mutex_lock(&lock);
    if (!strcmp(how, "abort")) abort();
    if (!strcmp(how, "assert")) assert(zero == 1);
    if (!strcmp(how, "null")) *(volatile int *)0 = 1;
    if (!strcmp(how, "wild")) *(volatile int *)0x10000000000 = 1;
    if (!strcmp(how, "divide")) zero = 100 / zero;
    if (!strcmp(how, "exit")) exit(7);
    return how;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, 0, run, argv[argc - 1]);
    pthread_join(thread, 0);
    return 0;
}
