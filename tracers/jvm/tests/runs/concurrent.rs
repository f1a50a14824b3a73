//! `java.util.concurrent`: each operation is one of the trace's, and every run happens again by its schedule.

use warpath_jvm::run::{End, Policy, Run};

use super::build::{Built, events, happens_again, java, text};

fn built(members: &str, first: &str, second: &str) -> Built {
    java(&format!(
        "import java.util.concurrent.*; import java.util.concurrent.atomic.*; import java.util.concurrent.locks.*;
        public class Main {{
            static int x;
            {members}
            static void first() throws Exception {{ {first} }}
            static void second() throws Exception {{ {second} }}
            public static void main(String[] a) throws Exception {{
                Thread t = new Thread(() -> {{ try {{ second(); }} catch (Exception e) {{ throw new RuntimeException(e); }} }});
                t.start(); first(); t.join();
            }}
        }}"
    ))
}

/// Runs it in several ways, each of them twice; the first run.
fn run(members: &str, first: &str, second: &str) -> Run {
    let built = built(members, first, second);
    let mut runs: Vec<Run> = [Policy::RunToBlock, Policy::RoundRobin, Policy::Random { seed: 7 }]
        .into_iter()
        .map(|policy| {
            let run = built.record_by(policy);
            assert_eq!(run.end, End::Exited(0), "{}", text(&run.trace));
            happens_again(&built, &run);
            run
        })
        .collect();
    runs.swap_remove(0)
}

fn has(run: &Run, wanted: &[&str]) {
    let events = events(&run.trace);
    for wanted in wanted {
        assert!(events.iter().any(|event| event.starts_with(wanted)), "{wanted}\n{events:#?}");
    }
}

#[test]
fn locks_and_conditions() {
    let run = run(
        "static final ReentrantLock lock = new ReentrantLock(); static final Condition ready = lock.newCondition();",
        "lock.lock(); try { while (x == 0) ready.await(); x = 2; } finally { lock.unlock(); }",
        "lock.lock(); try { lock.lock(); x = 1; lock.unlock(); ready.signalAll(); } finally { lock.unlock(); }
         if (lock.tryLock()) lock.unlock();",
    );
    let lock = "\"java.util.concurrent.locks.ReentrantLock@T0:0\"";
    has(
        &run,
        &[
            &format!("T0 lock {lock}"),
            &format!("T0.0 unlock {lock}"),
            &format!("T0.0 lock try {lock}"),
            "T0 cond-wait",
            "T0.0 broadcast",
            "T0 cond-wake",
        ],
    );
}

#[test]
fn read_write_locks() {
    let run = run(
        "static final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();",
        "lock.readLock().lock(); int seen = x; lock.readLock().unlock(); if (seen > 5) throw new Error();",
        "lock.writeLock().lock(); x = 3; lock.writeLock().unlock();",
    );
    has(&run, &["T0 rdlock", "T0 rdunlock", "T0.0 wrlock", "T0.0 wrunlock"]);
}

#[test]
fn units_are_taken_together() {
    let run = run(
        "static final Semaphore units = new Semaphore(1);",
        "units.acquire(2); x = 1; units.release(2);",
        "units.release(); units.acquire(1); units.release(); if (units.availablePermits() > 9) throw new Error();",
    );
    has(
        &run,
        &["T0 init", "T0 atomic-begin", "T0 sem-wait", "T0 atomic-end", "T0.0 sem-post", "T0.0 sem-value"],
    );
}

#[test]
fn a_latch_opens_when_all_have_counted_down() {
    let run = run(
        "static final CountDownLatch latch = new CountDownLatch(2), open = new CountDownLatch(0);",
        "open.await(); latch.countDown(); latch.await(); assert x == 1; if (!latch.await(1, TimeUnit.SECONDS)) throw new Error();",
        "x = 1; latch.countDown();",
    );
    has(&run, &["T0 sem-post", "T0 atomic-begin", "T0.0 sem-post"]);
}

#[test]
fn barriers() {
    let run = run(
        "static final CyclicBarrier barrier = new CyclicBarrier(2);",
        "barrier.await(); assert x == 1; barrier.await();",
        "x = 1; barrier.await(); barrier.await();",
    );
    has(&run, &["T0 barrier-arrive", "T0.0 barrier-leave"]);
}

#[test]
fn atomics_are_read_modify_writes() {
    let run = run(
        "static final AtomicInteger n = new AtomicInteger(5); static final AtomicLong l = new AtomicLong();
         static final AtomicBoolean b = new AtomicBoolean(); static final AtomicReference<String> r = new AtomicReference<>(\"a\");
         static final AtomicIntegerArray s = new AtomicIntegerArray(3);",
        "for (;;) { int seen = n.get(); if (n.compareAndSet(seen, seen * 2)) break; }
         if (n.incrementAndGet() > 100 || l.addAndGet(3) < 0 || b.getAndSet(true) && n.getAndAdd(2) == 3) throw new Error();
         s.set(1, 4); s.incrementAndGet(1); r.compareAndSet(\"a\", \"b\"); n.updateAndGet(v -> v + 1);",
        "n.addAndGet(3); l.incrementAndGet(); b.compareAndSet(false, true); if (r.get() == null) throw new Error(); s.getAndAdd(1, 2);
         n.accumulateAndGet(4, (p, q) -> p ^ q);",
    );
    let n = "\"java.util.concurrent.atomic.AtomicInteger@T0:0.value\"";
    has(
        &run,
        &[
            &format!("T0 r {n} seqcst $1=5"),
            &format!("T0 rmw {n} seqcst $2=5 -> 10 := (ite $e1=(= $1 $2) (shl $1 1:32) $2)"),
            &format!("T0.0 rmw {n} seqcst"),
        ],
    );
}

#[test]
fn permits_and_interrupts() {
    let run = run(
        "static volatile Thread main = null; static volatile boolean done;",
        "main = Thread.currentThread(); while (!done) LockSupport.park(); if (Thread.interrupted()) x = 1;
         if (Thread.currentThread().isInterrupted()) throw new Error();",
        "while (main == null) Thread.yield(); main.interrupt(); done = true; LockSupport.unpark(main);",
    );
    has(
        &run,
        &[
            "T0.0 init \"permit(T0)\" semaphore 0 max 1",
            "T0.0 sem-post \"permit(T0)\"",
            "T0.0 w \"interrupted(T0)\" seqcst 1",
            "T0 rmw \"interrupted(T0)\" seqcst",
        ],
    );
}
