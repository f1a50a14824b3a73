/* Takes a lock as often as the argument says. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(int argc, char **argv)
{
    for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0; n--) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return 3;
}
