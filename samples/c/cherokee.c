/*
 * "cherokee-0.9.2" (in ConcBugAssist): two threads append to the buffer of a log. Copying the text and counting it
 * are two steps, so one text can overwrite the other. With -DFIXED they are locked.
 */
#include <pthread.h>
#include <warpath.h>

#define LENGTH 2

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
#else
#define LOCK() ((void)0)
#define UNLOCK() ((void)0)
#endif

static volatile char text[2 * LENGTH];
static volatile int used;

static void *append(void *letter)
{
    LOCK();
    for (int n = 0; n < LENGTH; n++)
        text[used + n] = *(const char *)letter;
    used += LENGTH;
    UNLOCK();
    return NULL;
}

int main(void)
{
    static char letters[] = "ab";
    pthread_t first, second;
    pthread_create(&first, NULL, append, &letters[0]);
    pthread_create(&second, NULL, append, &letters[1]);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(used == 2 * LENGTH && text[0] == text[1] && text[2] == text[3] && text[1] != text[2]); /* BUG */
    return 0;
}
