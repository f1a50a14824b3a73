/* A library that stands for a C library whose mutexes are others: one that is held has a mark where the usual ones have
 * none. Ends the program when it finds a mutex that was taken or released without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef int function(pthread_mutex_t *);

static function *next(const char *name) {
    return (function *)dlsym(RTLD_NEXT, name);
}

static void mark(pthread_mutex_t *mutex, unsigned from, unsigned to) {
    if (mutex->__data.__kind != 0)
        return;
    if (mutex->__data.__count != from)
        abort();
    mutex->__data.__count = to;
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    int answer = next("pthread_mutex_lock")(mutex);
    if (answer == 0)
        mark(mutex, 0, 1);
    return answer;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    int answer = next("pthread_mutex_trylock")(mutex);
    if (answer == 0)
        mark(mutex, 0, 1);
    return answer;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    mark(mutex, 1, 0);
    return next("pthread_mutex_unlock")(mutex);
}
