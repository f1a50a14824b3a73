/*
 * "aget" (Con2colic): a download in parts. Each downloader adds what it wrote to a total, under a lock; when the user
 * interrupts (an input), a reporter saves the total for a later run, without the lock. It reads the total twice, to
 * see whether anything is left and to save it, and the total may have moved between.
 *
 * The page is a constant instead of a server. With -DFIXED the reporter takes the lock.
 */
#include <pthread.h>
#include <string.h>
#include <warpath.h>

#define PART 4
#define CHUNK 2

static const char page[2 * PART] = "warpath!";
static char file[2 * PART];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int total;

static void *download(void *part)
{
    char *const to = part;
    for (int n = 0; n < PART; n += CHUNK) {
        memcpy(to + n, page + (to - file) + n, CHUNK);
        pthread_mutex_lock(&lock);
        total += CHUNK;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *report(void *unused)
{
    int interrupted;
    warpath_input(&interrupted, sizeof interrupted, "interrupted");
    if (!interrupted)
        return unused;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    const int left = 2 * PART - total;
    if (left > 0) {
        const int saved = total;
        warpath_assert(saved + left == 2 * PART); /* BUG */
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t first, second, reporter;
    pthread_create(&first, NULL, download, file);
    pthread_create(&second, NULL, download, file + PART);
    pthread_create(&reporter, NULL, report, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    pthread_join(reporter, NULL);
    return 0;
}
