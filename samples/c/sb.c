/* Store buffering: each thread writes its own variable and reads the other's. Both reading zero needs TSO or weaker. */
#include <pthread.h>
#include <warpath.h>

static volatile int x, y;
static int seen_x, seen_y;

static void *write_x(void *unused)
{
    x = 1;
    seen_y = y;
    return unused;
}

static void *write_y(void *unused)
{
    y = 1;
    seen_x = x;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, write_x, NULL);
    pthread_create(&second, NULL, write_y, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(seen_x == 1 || seen_y == 1); /* BUG */
    return 0;
}
