/*
 * A harness as written for KLEE: a request whose length and kind are symbolic is copied into a buffer that another
 * thread may shrink between the check and the copy.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

extern void klee_make_symbolic(void *where, size_t size, const char *name);
extern void klee_assume(uintptr_t condition);

struct request {
    unsigned char kind, length;
};

static volatile unsigned capacity = 8;
static struct request request;
static unsigned char buffer[8];

static void *copy(void *unused)
{
    if (request.kind != 'c' || request.length > capacity)
        return unused;
    for (unsigned n = 0; n < request.length; n++) {
        assert(n < capacity); /* BUG */
        buffer[n] = 1;
    }
    return unused;
}

static void *shrink(void *unused)
{
    capacity = 4;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    klee_make_symbolic(&request, sizeof request, "request");
    klee_assume(request.length <= 8);
    pthread_create(&first, NULL, copy, NULL);
    pthread_create(&second, NULL, shrink, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
