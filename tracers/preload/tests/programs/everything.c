// One of each: mutexes of all kinds, conditions, read/write locks, semaphores, barriers, once, spin locks, C11.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t careful;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shelf = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t control = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_barrier_t gate;
static sem_t units;
static mtx_t c11;
static cnd_t c11_changed;
static once_flag flag = ONCE_FLAG_INIT;
static int turn, runs, c11_turn;

static void once(void) { runs++; }

static void *worker(void *number) {
    long n = (long)number;
    pthread_barrier_wait(&gate);
    pthread_once(&control, once);
    pthread_mutex_lock(&plain);
    while (turn != n)
        pthread_cond_wait(&changed, &plain);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&plain);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&again);
    if (n % 2)
        pthread_rwlock_wrlock(&shelf);
    else
        pthread_rwlock_rdlock(&shelf);
    pthread_rwlock_unlock(&shelf);
    pthread_spin_lock(&spin);
    runs++;
    pthread_spin_unlock(&spin);
    sem_wait(&units);
    sem_post(&units);
    return number;
}

static int c11_worker(void *number) {
    call_once(&flag, once);
    mtx_lock(&c11);
    while (!c11_turn)
        cnd_wait(&c11_changed, &c11);
    mtx_unlock(&c11);
    return *(int *)number + 1;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&careful, &attributes);
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&gate, 0, 4);
    sem_init(&units, 0, 2);
    mtx_init(&c11, mtx_plain);
    cnd_init(&c11_changed);
    pthread_t threads[3];
    for (long n = 0; n < 3; n++)
        pthread_create(&threads[n], 0, worker, (void *)n);
    pthread_barrier_wait(&gate);
    for (int n = 0; n < 3; n++) {
        void *answer;
        pthread_join(threads[n], &answer);
        if (answer != (void *)(long)n) return 1;
    }
    if (pthread_mutex_lock(&careful) || pthread_mutex_lock(&careful) != EDEADLK) return 2;
    if (pthread_mutex_unlock(&careful) || pthread_mutex_unlock(&careful) != EPERM) return 3;
    pthread_mutex_lock(&plain);
    if (pthread_mutex_trylock(&plain) != EBUSY) return 4;
    struct timespec soon;
    clock_gettime(CLOCK_REALTIME, &soon);
    if (pthread_cond_timedwait(&changed, &plain, &soon) != ETIMEDOUT) return 5;
    pthread_mutex_unlock(&plain);
    while (!sem_trywait(&units))
        ;
    if (errno != EAGAIN) return 6;
    thrd_t thread;
    int number = 41, result;
    thrd_create(&thread, c11_worker, &number);
    mtx_lock(&c11);
    c11_turn = 1;
    cnd_signal(&c11_changed);
    mtx_unlock(&c11);
    thrd_join(thread, &result);
    printf("%d %d %d\n", turn, runs, result);
    pthread_mutex_destroy(&careful);
    return 0;
}
