/*
 * What the calls of warpath.h do when no tracer is watching, and stand-ins for the like-minded calls of the
 * verification competition (__VERIFIER_*) and of KLEE (klee_*), so that such programs link as they are.
 *
 * Everything is weak: a program that brings its own definition keeps it, and linking this file twice does no harm.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "warpath.h"

#define STUB __attribute__((weak))

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the stubs write numbers byte by byte and know only little-endian machines"
#endif

extern char **environ;

/* ---- Inputs ---------------------------------------------------------------------------------------------------- */

static const char prefix[] = "WARPATH_INPUT_";

/* getenv() would need the joined name in a buffer; names come from programs and may have any length. */
static const char *setting_of(const char *name)
{
    const size_t prefix_length = sizeof prefix - 1, name_length = strlen(name);
    if (environ == NULL)
        return NULL;
    for (char **entry = environ; *entry != NULL; entry++) {
        if (strncmp(*entry, prefix, prefix_length) != 0)
            continue;
        const char *rest = *entry + prefix_length;
        if (strncmp(rest, name, name_length) == 0 && rest[name_length] == '=')
            return rest + name_length + 1;
    }
    return NULL;
}

static _Noreturn void refuse(const char *name, const char *text, const char *why)
{
    fprintf(stderr, "warpath: the value of $%s%s, \"%s\", %s\n", prefix, name, text, why);
    _exit(2);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static void take_bytes(unsigned char *where, size_t size, const char *name, const char *text)
{
    const char *digits = text + strlen("hex:");
    const size_t length = strlen(digits);
    if (length != 2 * size) {
        char why[96];
        snprintf(why, sizeof why, "has %zu hexadecimal digits, but the input has %zu bytes", length, size);
        refuse(name, text, why);
    }
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(digits[2 * i]), low = digit_of(digits[2 * i + 1]);
        if (high < 0 || low < 0)
            refuse(name, text, "has something that is no hexadecimal digit");
        where[i] = (unsigned char)(high << 4 | low);
    }
}

/* Reads the number into 64 bits of two's complement. A leading zero means nothing: "010" is ten. */
static uint64_t number_of(const char *name, const char *text, int *negative)
{
    const char *digits = text;
    *negative = *digits == '-';
    if (*digits == '-' || *digits == '+')
        digits++;
    const int base = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') ? 16 : 10;
    if (base == 16)
        digits += 2;
    uint64_t magnitude = 0;
    if (*digits == '\0')
        refuse(name, text, "is not a number (decimal, 0x…, or hex:BYTES)");
    for (; *digits != '\0'; digits++) {
        const int digit = digit_of(*digits);
        if (digit < 0 || digit >= base)
            refuse(name, text, "is not a number (decimal, 0x…, or hex:BYTES)");
        if (__builtin_mul_overflow(magnitude, (uint64_t)base, &magnitude) ||
            __builtin_add_overflow(magnitude, (uint64_t)digit, &magnitude))
            refuse(name, text, "needs more than 64 bits: give it as hex:BYTES");
    }
    if (*negative && magnitude > (uint64_t)1 << 63)
        refuse(name, text, "needs more than 64 bits: give it as hex:BYTES");
    *negative = *negative && magnitude != 0;
    return *negative ? 0 - magnitude : magnitude;
}

static void take_number(unsigned char *where, size_t size, const char *name, const char *text)
{
    int negative;
    const uint64_t value = number_of(name, text, &negative);
    if (size < 8) {
        /* Both readings of the bits are welcome: 255 and -1 are the same byte. */
        const uint64_t above = size == 0 ? value : value >> (8 * size);
        const int fits = negative ? (int64_t)value >= -((int64_t)1 << (8 * size)) / 2 : above == 0;
        if (!fits)
            refuse(name, text, "does not fit into the input's bytes");
    }
    for (size_t i = 0; i < size; i++)
        where[i] = i < 8 ? (unsigned char)(value >> (8 * i)) : negative ? 0xff : 0;
}

static void take_input(void *where, size_t size, const char *name)
{
    const char *text = setting_of(name);
    memset(where, 0, size);
    if (text == NULL)
        return;
    if (strncmp(text, "hex:", strlen("hex:")) == 0)
        take_bytes(where, size, name, text);
    else
        take_number(where, size, name, text);
}

STUB void warpath_input(void *where, size_t size, const char *name)
{
    take_input(where, size, name);
}

void klee_make_symbolic(void *where, size_t size, const char *name);
STUB void klee_make_symbolic(void *where, size_t size, const char *name)
{
    take_input(where, size, name != NULL ? name : "unnamed");
}

/* Every call of one kind reads the same variable, e.g. $WARPATH_INPUT_nondet_int. */
#define NONDET(kind, type)                                                                                           \
    type __VERIFIER_nondet_##kind(void);                                                                             \
    STUB type __VERIFIER_nondet_##kind(void)                                                                         \
    {                                                                                                                \
        type value;                                                                                                  \
        take_input(&value, sizeof value, "nondet_" #kind);                                                           \
        return value;                                                                                                \
    }

NONDET(char, char)
NONDET(uchar, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned int)
NONDET(unsigned, unsigned int)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(loff_t, long long)
NONDET(size_t, size_t)
NONDET(pointer, void *)
NONDET(pchar, char *)
NONDET(charp, char *)
#ifdef __SIZEOF_INT128__
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
#endif

/* A _Bool that holds anything but 0 or 1 is undefined behaviour, so the byte is taken first. */
_Bool __VERIFIER_nondet_bool(void);
STUB _Bool __VERIFIER_nondet_bool(void)
{
    unsigned char byte;
    take_input(&byte, sizeof byte, "nondet_bool");
    return byte != 0;
}

static double real_of(const char *name)
{
    const char *text = setting_of(name);
    if (text == NULL)
        return 0;
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0')
        refuse(name, text, "is not a real number");
    return value;
}

float __VERIFIER_nondet_float(void);
STUB float __VERIFIER_nondet_float(void)
{
    return (float)real_of("nondet_float");
}

double __VERIFIER_nondet_double(void);
STUB double __VERIFIER_nondet_double(void)
{
    return real_of("nondet_double");
}

/* ---- Assumptions ----------------------------------------------------------------------------------------------- */

/*
 * _exit and not exit: other threads are running, and handlers or destructors under their feet could crash a run that
 * is merely uninteresting.
 */
static void assume(int holds)
{
    if (holds)
        return;
    fflush(stdout);
    fputs("warpath: an assumption does not hold for these inputs; the run ends here\n", stderr);
    _exit(0);
}

STUB void warpath_assume(_Bool condition)
{
    assume(condition);
}

void __VERIFIER_assume(int condition);
STUB void __VERIFIER_assume(int condition)
{
    assume(condition != 0);
}

void klee_assume(uintptr_t condition);
STUB void klee_assume(uintptr_t condition)
{
    assume(condition != 0);
}

/* ---- Properties ------------------------------------------------------------------------------------------------ */

STUB void warpath_assert_at(_Bool holds, const char *condition, const char *file, int line)
{
    if (holds)
        return;
    fflush(stdout);
    fprintf(stderr, "%s:%d: warpath_assert(%s) does not hold\n", file, line, condition);
    abort();
}

static _Noreturn void reached(const char *function)
{
    fflush(stdout);
    fprintf(stderr, "warpath: %s() was reached\n", function);
    abort();
}

void reach_error(void);
STUB void reach_error(void)
{
    reached("reach_error");
}

void __VERIFIER_error(void);
STUB void __VERIFIER_error(void)
{
    reached("__VERIFIER_error");
}

/* ---- Atomic sections ------------------------------------------------------------------------------------------- */

static pthread_mutex_t atomic_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local unsigned long atomic_depth;

static void enter_atomic(void)
{
    if (atomic_depth++ == 0)
        pthread_mutex_lock(&atomic_lock);
}

static void leave_atomic(void)
{
    if (atomic_depth == 0) {
        fputs("warpath: an atomic section ends that this thread never began\n", stderr);
        abort();
    }
    if (--atomic_depth == 0)
        pthread_mutex_unlock(&atomic_lock);
}

STUB void warpath_atomic_begin(void)
{
    enter_atomic();
}

STUB void warpath_atomic_end(void)
{
    leave_atomic();
}

void __VERIFIER_atomic_begin(void);
STUB void __VERIFIER_atomic_begin(void)
{
    enter_atomic();
}

void __VERIFIER_atomic_end(void);
STUB void __VERIFIER_atomic_end(void)
{
    leave_atomic();
}
