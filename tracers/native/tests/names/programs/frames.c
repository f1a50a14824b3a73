/* Three calls deep, then a stop: the test looks at the stack from outside. */
struct pair {
    long left, right[2];
};

struct place {
    const char *function, *path;
    void *address;
    unsigned long size;
};

struct place places[16];
int filled;

#define NOTE(name, part) NOTE_AS(name, #part, part)
#define NOTE_AS(name, text, part)                                                                                    \
    (places[filled++] = (struct place){ name, text, (void *)&(part), sizeof(part) })

__attribute__((noinline)) static long inner(long *given, long last)
{
    volatile long mine = *given + last;
    NOTE("inner", mine);
    __asm__ volatile("int3" ::: "memory");
    return mine;
}

__attribute__((noinline)) static long middle(struct pair *pair, int depth)
{
    struct pair copy = *pair;
    long sum = 0;
    NOTE("middle", copy.left);
    NOTE("middle", copy.right[1]);
    if (depth > 0) {
        struct pair deeper = copy;
        NOTE("middle", deeper.right[0]);
        NOTE("middle", depth);
        sum += inner(&deeper.right[0], depth);
    }
    return sum + inner(&copy.left, 1);
}

int main(int argc, char **argv)
{
    volatile struct pair pair = { argc, { 2, 3 } };
    (void)argv;
    NOTE("main", pair.right[0]);
    return middle((struct pair *)&pair, argc) == 0;
}
