//! Classes of the JDK that are followed: no frame is lost in them, every expression has the recorded value, and a run
//! happens again by its schedule.

use warpath_jvm::run::{End, Policy};

use super::build::{events, happens_again, java, text};

/// Two threads do this to the same object.
fn shared(what: &str, body: &str) {
    let built = java(&format!(
        "import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*;
        import java.util.concurrent.locks.*;
        public class Main {{
            static final {what};
            static void both() {{ try {{ {body} }} catch (Exception e) {{ throw new RuntimeException(e); }} }}
            public static void main(String[] a) throws Exception {{
                Thread t = new Thread(Main::both); t.start(); both(); t.join();
            }}
        }}"
    ));
    for policy in [Policy::RunToBlock, Policy::Random { seed: 5 }] {
        let run = built.record_by(policy);
        assert_eq!(run.end, End::Exited(0), "{what}\n{}", text(&run.trace));
        let seen = events(&run.trace).iter().any(|event| event.contains("java.util."));
        assert!(seen, "nothing inside of {what} is seen\n{}", text(&run.trace));
        happens_again(&built, &run);
    }
}

#[test]
fn collections() {
    let all = "c.add(1); c.add(2); c.contains(2); c.remove(1); c.size();";
    for class in [
        "Collections.synchronizedList(new ArrayList<>())",
        "Collections.synchronizedSet(new HashSet<>())",
        "new ArrayBlockingQueue<>(9)",
        "new LinkedBlockingQueue<>()",
        "new ConcurrentLinkedQueue<>()",
        "new CopyOnWriteArrayList<>()",
    ] {
        shared(&format!("Collection<Integer> c = {class}"), all);
    }
}

#[test]
fn executors() {
    shared(
        "ExecutorService pool = Executors.newFixedThreadPool(1); static final AtomicInteger left = new AtomicInteger(2)",
        "Future<Integer> f = pool.submit(() -> 7); if (f.get() != 7) throw new Error();
         if (left.decrementAndGet() == 0) pool.shutdown();",
    );
}

#[test]
fn futures() {
    shared(
        "CompletableFuture<Integer> c = new CompletableFuture<>()",
        "c.complete(3); c.thenAccept(x -> {}); c.get();",
    );
}

#[test]
fn stamped_locks() {
    shared(
        "StampedLock l = new StampedLock(); static int x",
        "long s = l.writeLock(); x++; l.unlockWrite(s); s = l.tryOptimisticRead(); int y = x;
         if (!l.validate(s)) { s = l.readLock(); y = x; l.unlockRead(s); }",
    );
}
