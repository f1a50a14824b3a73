/*
 * "BubbleSort" (MCR): every pass over the numbers is a thread of its own. One after the other they sort; at the same
 * time a pass can miss what the other has not yet brought to its place, or they can swap over each other.
 */
#include <pthread.h>
#include <warpath.h>

#define NUMBERS 3

static volatile int numbers[NUMBERS] = { 3, 2, 1 };

static void *pass(void *unused)
{
    for (int n = 0; n + 1 < NUMBERS; n++) {
        const int left = numbers[n], right = numbers[n + 1];
        if (left > right) {
            numbers[n] = right;
            numbers[n + 1] = left;
        }
    }
    return unused;
}

int main(void)
{
    pthread_t passes[NUMBERS - 1];
    for (int n = 0; n < NUMBERS - 1; n++)
        pthread_create(&passes[n], NULL, pass, NULL);
    for (int n = 0; n < NUMBERS - 1; n++)
        pthread_join(passes[n], NULL);
    for (int n = 0; n + 1 < NUMBERS; n++)
        warpath_assert(numbers[n] <= numbers[n + 1]); /* BUG */
    return 0;
}
