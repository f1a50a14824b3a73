/* Variables of every shape that C has. */
#include "say.h"

#include <pthread.h>
#include <stdatomic.h>

struct node {
    int key;
    struct node *next;
};
typedef struct node cell_t;

struct node table[8];
static int hidden = 7;
int matrix[3][5];
static const volatile cell_t fixed = { 1, NULL };
_Atomic int tally;
char text[16];

union mixed {
    int whole;
    char bytes[4];
    struct {
        short low, high;
    } halves;
} mixed;

struct {
    struct {
        int a, b;
    } inner;
    double weights[2];
    union {
        int anonymous;
        float real;
    };
    cell_t cells[2][2];
} nested;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int count(void)
{
    static int calls = 41;
    SAY_AS("count::calls", calls);
    HERE();
    return ++calls;
}

static inline __attribute__((always_inline)) void inlined(int depth)
{
    HERE();
    if (depth > 0)
        hidden++;
}

__attribute__((noinline)) void worker(int n)
{
    HERE();
    inlined(n);
    HERE();
}

int main(void)
{
    SAY(table[0].key);
    SAY(table[3].next);
    SAY(table[5]);
    SAY(table);
    SAY(hidden);
    SAY(matrix[0][0]);
    SAY(matrix[2][4]);
    SAY(fixed.next);
    SAY(tally);
    SAY(text[3]);
    SAY(mixed.whole);
    SAY(mixed.bytes[1]);
    SAY(mixed.halves.high);
    SAY(nested.inner.b);
    SAY(nested.weights[1]);
    SAY(nested.anonymous);
    SAY(nested.cells[1][0].next);
    SAY(lock);
    SAY(lock.__data.__owner);
    SAY_FUNCTION(worker);
    SAY_FUNCTION(count);
    SAY_FUNCTION(main);
    SAY_FUNCTION(pthread_mutex_lock);
    worker(count());
    HERE();
    say_maps();
    return 0;
}
