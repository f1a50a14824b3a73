/*
 * warpath.h: how a C or C++ program names its inputs, assumptions and properties.
 *
 * Compile with `warpath cc`, which finds this header and links the stubs, so that the same binary also runs without
 * Warpath. Under Warpath the calls below are seen by the tracer; in a plain run they behave as each comment says.
 *
 *     #include <warpath.h>
 *
 *     int main(void) {
 *         int i;
 *         warpath_input(&i, sizeof i, "i");
 *         warpath_assume(i >= 0 && i < 10);
 *         ...
 *         warpath_assert(total == 3 * i);
 *     }
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef WARPATH_H
#define WARPATH_H

#include <stddef.h>

#ifdef __cplusplus
#define WARPATH_BOOL bool
extern "C" {
#else
#define WARPATH_BOOL _Bool
#endif

/*
 * Makes the `size` bytes at `where` the input called `name`: Warpath may choose any value for them.
 *
 * Plain run: the bytes become zero, or what the environment variable WARPATH_INPUT_<name> says: a decimal or
 * hexadecimal number ("42", "-7", "0x2a"; sign-extended to `size`), or bytes in memory order ("hex:00ff10").
 * A value that cannot be read or does not fit ends the program with exit code 2 and a sentence.
 */
void warpath_input(void *where, size_t size, const char *name);

/*
 * Says that runs in which `condition` is false are of no interest.
 *
 * Plain run: when it is false, standard output is flushed and the program ends with exit code 0 and a note on
 * standard error.
 */
void warpath_assume(WARPATH_BOOL condition);

/*
 * States a property: Warpath looks for a schedule and inputs for which `condition` is false.
 * Unlike assert() it does not depend on NDEBUG.
 *
 * Plain run: when it is false, file, line and condition are printed on standard error and the program aborts.
 */
#define warpath_assert(condition) warpath_assert_at(!!(condition), #condition, __FILE__, __LINE__)

/* What warpath_assert() expands to: use the macro, it fills in the place. */
void warpath_assert_at(WARPATH_BOOL holds, const char *condition, const char *file, int line);

/*
 * Between begin and end no other thread takes a step. May be nested.
 *
 * Plain run: one global lock, so such sections exclude each other, but not code outside any of them.
 */
void warpath_atomic_begin(void);
void warpath_atomic_end(void);

#ifdef __cplusplus
}
#endif

#undef WARPATH_BOOL

#endif
