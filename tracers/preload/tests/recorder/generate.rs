//! Programs whose threads do random things to shared memory, in C.

use std::fmt::Write;

/// Numbers that look random, the same in every run.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

const FIELDS: [&str; 5] = ["a", "b", "c", "d", "e"];
const CELLS: u64 = 6;

/// A program of so many threads, each of which does `steps` things `rounds` times. Without locks everybody does as they
/// like.
pub fn program(seed: u64, threads: u64, steps: u64, rounds: u64, locks: bool) -> String {
    let mut dice = Dice(seed);
    let mut text = String::from(
        "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
         struct cell { char a; short b; int c; long d; long e; int tail[6]; };\n\
         static struct cell cells[6], *blocks[6];\n\
         static pthread_mutex_t locks[6] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,\n\
         PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };\n\
         static _Atomic unsigned char a1; static _Atomic unsigned short a2; static _Atomic unsigned a4;\n\
         static _Atomic unsigned long a8;\n",
    );
    for thread in 0..threads {
        writeln!(text, "static void *thread{thread}(void *unused) {{\n  long x = {thread};")
            .expect("a string");
        writeln!(text, "  for (int round = 0; round < {rounds}; round++) {{").expect("a string");
        for _ in 0..steps {
            step(&mut text, &mut dice, locks);
        }
        text.push_str("  }\n  return (void *)x;\n}\n");
    }
    text.push_str("int main(void) {\n  pthread_t threads[16];\n");
    text.push_str(
        "  for (int i = 0; i < 6; i++) { blocks[i] = calloc(1, sizeof *blocks[i]); cells[i].e = i; }\n",
    );
    for thread in 0..threads {
        writeln!(text, "  pthread_create(&threads[{thread}], 0, thread{thread}, 0);").expect("a string");
    }
    writeln!(text, "  for (int i = 0; i < {threads}; i++) pthread_join(threads[i], 0);").expect("a string");
    text.push_str(
        "  long sum = a1 + a2 + a4 + a8;\n\
         for (int i = 0; i < 6; i++) {\n\
           struct cell *c = &cells[i], *b = blocks[i];\n\
           sum += c->a + c->b + c->c + c->d + c->e + b->a + b->b + b->c + b->d + b->e;\n\
           for (int k = 0; k < 6; k++) sum += c->tail[k] + b->tail[k];\n\
           free(b);\n\
         }\n\
         return sum == 12345;\n}\n",
    );
    text
}

fn step(text: &mut String, dice: &mut Dice, locks: bool) {
    let number = dice.roll(1000);
    if dice.roll(4) == 0 {
        let cell = ["a1", "a2", "a4", "a8"][dice.roll(4) as usize];
        let orders = ["memory_order_relaxed", "memory_order_acq_rel", "memory_order_seq_cst"];
        let order = orders[dice.roll(3) as usize];
        let line = match dice.roll(7) {
            0 => format!("x += atomic_fetch_add_explicit(&{cell}, {number}, {order});"),
            1 => format!("x += atomic_fetch_xor_explicit(&{cell}, x, {order});"),
            2 => format!("x += atomic_exchange_explicit(&{cell}, {number}, {order});"),
            3 => format!("x += atomic_load(&{cell});"),
            4 => format!("atomic_store(&{cell}, x);"),
            5 => format!("x += atomic_fetch_or_explicit(&{cell}, {number}, {order});"),
            _ => format!(
                "{{ __typeof__(atomic_load(&{cell})) seen = {number}; \
                 x += atomic_compare_exchange_strong(&{cell}, &seen, x); x += seen; }}"
            ),
        };
        writeln!(text, "    {line}").expect("a string");
        return;
    }
    let (one, other) = (dice.roll(CELLS), dice.roll(CELLS));
    let (low, high) = (one.min(other), one.max(other));
    if locks {
        write!(text, "    pthread_mutex_lock(&locks[{low}]);").expect("a string");
        if low != high {
            write!(text, " pthread_mutex_lock(&locks[{high}]);").expect("a string");
        }
        text.push('\n');
    }
    let place = |dice: &mut Dice, cell: u64| match dice.roll(2) {
        0 => format!("cells[{cell}]"),
        _ => format!("(*blocks[{cell}])"),
    };
    let (to, from) = (place(dice, one), place(dice, other));
    let (field, source) = (FIELDS[dice.roll(5) as usize], FIELDS[dice.roll(5) as usize]);
    let line = match dice.roll(7) {
        0 => format!("{to} = {from};"),
        1 => format!("memcpy({to}.tail, {from}.tail + 3, 3 * sizeof(int));"),
        2 => format!("memset(&{to}.tail, x, 4 + (x & 3) * 4);"),
        3 => format!("{to}.tail[x & 3]++;"),
        4 if locks => format!("blocks[{one}] = realloc(blocks[{one}], sizeof(struct cell) + (x & 255));"),
        _ => format!("{to}.{field} += {from}.{source} + {number}; x += {to}.{field};"),
    };
    writeln!(text, "    {line}").expect("a string");
    if locks {
        write!(text, "    pthread_mutex_unlock(&locks[{high}]);").expect("a string");
        if low != high {
            write!(text, " pthread_mutex_unlock(&locks[{low}]);").expect("a string");
        }
        text.push('\n');
    }
}
