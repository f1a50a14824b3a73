/* How the programs of these tests tell where things are: the test compares that with what the images say. */
#include <stdio.h>

#define SAY(x) printf("variable %s %p %zu\n", #x, (void *)&(x), sizeof(x))
#define SAY_AS(name, x) printf("variable %s %p %zu\n", name, (void *)&(x), sizeof(x))
#define SAY_FUNCTION(f) printf("function %s %p\n", #f, (void *)(f))

/* Prints where it was called from and what the source says about that place. */
__attribute__((noinline)) static void here(const char *function, int line)
{
    printf("line %s %d %p\n", function, line, __builtin_return_address(0));
}
/* The empty instruction keeps the call from becoming a jump, which would return elsewhere. */
#define HERE()                                                                                                       \
    do {                                                                                                             \
        here(__func__, __LINE__);                                                                                    \
        __asm__ volatile("" ::: "memory");                                                                           \
    } while (0)

static void say_maps(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    puts("maps");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        fputs(line, stdout);
    if (maps != NULL)
        fclose(maps);
}
