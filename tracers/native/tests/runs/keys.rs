//! Keys of thread-specific data work, and do not tell a thread what others did before it.

use std::collections::BTreeSet;

use warpath_native::run::{End, Policy};
use warpath_trace::event::Op;

use crate::build::{c, output, quiet};

const TWO: &str = "#include <pthread.h>\n#include <stdio.h>\npthread_key_t made[2]; int first[2];\n\
    static void *f(void *p) { long n = (long)p; pthread_key_t k; __atomic_add_fetch(&first[0], 1, 5);\n\
    pthread_key_create(&k, 0); made[n] = k; pthread_setspecific(k, &first[n]); __atomic_add_fetch(&first[1], 1, 5);\n\
    return pthread_getspecific(k) == &first[n] ? 0 : p; }\n\
    int main(void) { pthread_t a, b; pthread_create(&a, 0, f, (void *)0); pthread_create(&b, 0, f, (void *)1);\n\
    pthread_join(a, 0); pthread_join(b, 0); printf(\"%d\\n\", made[0] != made[1]); return 0; }";

#[test]
fn a_key_does_not_depend_on_who_made_one_first() {
    let built = c(TWO);
    let mut orders = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for seed in 0..30 {
        let run = built.record(quiet(), Policy::Random { seed });
        assert_eq!((&run.end, output(&run).as_str()), (&End::Exited(0), "1\n"));
        let mut order = Vec::new();
        for (thread, _, event) in run.trace.in_order().unwrap() {
            if let Op::Write { location, value } = event.op
                && run.trace.tables.location_name(location).starts_with("made")
            {
                let thread = run.trace.tables.key(thread).to_string();
                order.push(thread.clone());
                keys.insert((thread, value.value));
            }
        }
        orders.insert(order);
    }
    assert_eq!(orders.len(), 2, "both are first sometimes");
    assert_eq!(keys.len(), 2, "each thread has one key: {keys:?}");
}

#[test]
fn keys_do_what_they_are_for() {
    let run = c("#include <pthread.h>\n#include <threads.h>\n#include <stdio.h>\n\
        static pthread_key_t k[40]; static int ended; static void end(void *p) { ended += *(int *)p; }\n\
        static void *f(void *p) { pthread_setspecific(k[3], p); pthread_setspecific(k[39], p); return pthread_getspecific(k[4]); }\n\
        int main(void) { int x = 5, bad = 0; for (int n = 0; n < 40; n++) bad |= pthread_key_create(&k[n], end);\n\
        pthread_t t; void *r; pthread_setspecific(k[4], &x); pthread_create(&t, 0, f, &x); pthread_join(t, &r);\n\
        tss_t s; bad |= tss_create(&s, 0) != thrd_success || tss_set(s, &x) != thrd_success || tss_get(s) != &x; tss_delete(s);\n\
        int gone = pthread_key_delete(k[4]), again = pthread_key_delete(k[4]), set = pthread_setspecific(k[4], &x);\n\
        pthread_key_t last; int made = 0; while (pthread_key_create(&last, 0) == 0) made++;\n\
        printf(\"%d %d %d %d %d %d %d\\n\", bad, r == 0, ended, gone, again, set, made > 900); return 0; }")
    .run();
    assert_eq!((&run.end, output(&run).as_str()), (&End::Exited(0), "0 1 10 0 22 22 1\n"));
}
