/*
 * "lineEq2t01" (in ConcBugAssist): the left side of 3x + 5y, one term by each thread; x and y are inputs. A term that
 * is not zero can be lost. With -DFIXED each is added in one step.
 */
#include <pthread.h>
#include <warpath.h>

static volatile int left;
static int x, y;

static void add(int term)
{
#ifdef FIXED
    __atomic_fetch_add(&left, term, __ATOMIC_SEQ_CST);
#else
    left += term;
#endif
}

static void *first_term(void *unused)
{
    add(3 * x);
    return unused;
}

static void *second_term(void *unused)
{
    add(5 * y);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    warpath_input(&x, sizeof x, "x");
    warpath_input(&y, sizeof y, "y");
    warpath_assume(x >= -100 && x <= 100 && y >= -100 && y <= 100);
    pthread_create(&first, NULL, first_term, NULL);
    pthread_create(&second, NULL, second_term, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    warpath_assert(left == 3 * x + 5 * y); /* BUG */
    return 0;
}
