package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code java.util.concurrent}: whatever the policy, a correct program prints what it prints without the agent. */
class ConcurrentTest {
    private static void behavesAsEver(String members, String... body) {
        Program program = Program.of(members, body);
        Program.Run plain = program.runPlainly();
        assertEquals(0, plain.status, plain.err);
        for (String policy : new String[] {"run-to-block", "round-robin", "random 1", "random 2", "pct 3 3 100"}) {
            Program.Run run = program.run("policy\t" + policy);
            assertEquals(plain.out, run.out, policy + "\n" + run);
            assertEquals("", run.err, policy);
            assertTrue(run.all("note").isEmpty(), policy + " " + run.all("note"));
        }
    }

    private static final String WORKERS = "interface Body { void run(int n) throws Exception; }"
            + "static void workers(int count, Body body) throws Exception { Thread[] t = new Thread[count]; for (int i = 0; i < count; i++) { int n = i; t[i] = new Thread(() -> { try { body.run(n); } catch (Exception e) { e.printStackTrace(); } }); t[i].start(); } for (Thread x : t) x.join(); }";

    @Test
    void locks_and_conditions() {
        behavesAsEver(WORKERS + "static ReentrantLock l = new ReentrantLock(); static Condition c = l.newCondition(); static int turn, sum;",
                "workers(3, n -> { for (int i = 0; i < 3; i++) { l.lock(); try { while (turn % 3 != n) c.await(); turn++; sum = sum * 3 + n; c.signalAll(); } finally { l.unlock(); } } });",
                "System.out.println(sum); l.lock(); l.lock(); System.out.println(l.getHoldCount() + \" \" + l.isLocked());",
                "System.out.println(c.await(1, TimeUnit.SECONDS) + \" \" + l.getHoldCount()); l.unlock(); l.unlock();",
                "workers(1, n -> { System.out.println(l.tryLock()); l.unlock(); try { l.unlock(); } catch (IllegalMonitorStateException e) { System.out.println(\"not mine\"); } });",
                "l.lock(); workers(1, n -> System.out.println(l.tryLock() + \" \" + l.tryLock(1, TimeUnit.SECONDS)));");
    }

    @Test
    void read_write_locks() {
        behavesAsEver(WORKERS + "static ReadWriteLock rw = new ReentrantReadWriteLock(); static int x; static AtomicInteger odd = new AtomicInteger();",
                "workers(4, n -> { for (int i = 0; i < 5; i++) { if (n < 2) { rw.writeLock().lock(); x++; x++; rw.writeLock().unlock(); } else { rw.readLock().lock(); if (x % 2 != 0) odd.incrementAndGet(); rw.readLock().unlock(); } } });",
                "System.out.println(x + \" \" + odd); rw.readLock().lock(); System.out.println(rw.writeLock().tryLock() + \" \" + rw.readLock().tryLock());");
    }

    @Test
    void semaphores_latches_and_barriers() {
        behavesAsEver(WORKERS + "static Semaphore s = new Semaphore(2); static CountDownLatch d = new CountDownLatch(3); static AtomicInteger in = new AtomicInteger(), most = new AtomicInteger(), rounds = new AtomicInteger(); static CyclicBarrier b = new CyclicBarrier(3, () -> rounds.incrementAndGet());",
                "workers(4, n -> { if (n == 3) { d.await(); return; } s.acquire(); most.accumulateAndGet(in.incrementAndGet(), Math::max); in.decrementAndGet(); s.release(); d.countDown(); for (int i = 0; i < 3; i++) b.await(); });",
                "System.out.println((most.get() <= 2) + \" \" + rounds + \" \" + d.getCount() + \" \" + s.availablePermits());",
                "workers(2, n -> { try { b.await(1, TimeUnit.SECONDS); } catch (TimeoutException | BrokenBarrierException e) { rounds.incrementAndGet(); } });",
                "System.out.println(b.isBroken() + \" \" + rounds);");
    }

    @Test
    void executors_and_futures() {
        behavesAsEver("", "ExecutorService e = Executors.newFixedThreadPool(3); List<Future<Integer>> f = new ArrayList<>();",
                "for (int i = 0; i < 6; i++) { int n = i; f.add(e.submit(() -> n * n)); } int sum = 0; for (Future<Integer> x : f) sum += x.get();",
                "e.shutdown(); System.out.println(sum + \" \" + e.awaitTermination(5, TimeUnit.SECONDS));",
                "System.out.println(CompletableFuture.supplyAsync(() -> 20).thenCombine(CompletableFuture.supplyAsync(() -> 22), Integer::sum).get());",
                "ScheduledExecutorService t = Executors.newScheduledThreadPool(1); System.out.println(t.schedule(() -> 5, 10, TimeUnit.MILLISECONDS).get()); t.shutdownNow();");
    }

    @Test
    void queues_exchangers_and_phasers() {
        behavesAsEver(WORKERS + "static ArrayBlockingQueue<Integer> q = new ArrayBlockingQueue<>(1); static SynchronousQueue<Integer> h = new SynchronousQueue<>(); static AtomicLong sum = new AtomicLong(); static Exchanger<Integer> x = new Exchanger<>(); static Phaser p = new Phaser(2);",
                "workers(2, n -> { for (int i = 0; i < 5; i++) if (n == 0) q.put(i); else sum.addAndGet(q.take()); });",
                "workers(2, n -> { for (int i = 0; i < 5; i++) if (n == 0) h.put(i); else sum.addAndGet(h.take()); });",
                "workers(2, n -> { sum.addAndGet(x.exchange(n + 1) == 2 - n ? 1 : 0); p.arriveAndAwaitAdvance(); });", "System.out.println(sum);");
    }

    @Test
    void concurrent_maps() {
        behavesAsEver(WORKERS + "static Map<String, Integer> m = new ConcurrentHashMap<>();",
                "workers(3, n -> { for (int i = 0; i < 3; i++) m.merge(\"k\" + i, 1, Integer::sum); m.putIfAbsent(\"n\", 7); });",
                "System.out.println(new TreeMap<>(m) + \" \" + m.size() + m.get(\"k0\") + m.getOrDefault(\"x\", 9) + m.remove(\"n\") + m.containsKey(\"n\") + m.put(\"k0\", 5) + m.replace(\"k0\", 5, 6) + m.computeIfAbsent(\"y\", k -> 8) + m.isEmpty());",
                "Map<String, Integer> h = new HashMap<>(); h.put(null, 1); System.out.println(h.get(null) + \" \" + h.size() + h.remove(\"z\"));");
    }

    @Test
    void a_map_has_a_location_for_each_key_and_one_for_its_size() {
        Program.Run run = Program.of("", new String[] {
            "ConcurrentHashMap<String, String> m = new ConcurrentHashMap<>(); m.put(\"a\", \"x\"); m.get(\"b\");"})
                .run("shared\tjava.util.concurrent.ConcurrentHashMap@T0:0.size");
        String map = "T0 java.util.concurrent.ConcurrentHashMap@T0:0";
        assertEquals(List.of(map + ".a op2 order4 \"x\" null->\"x\"", map + ".size op4 order4 1 0->1",
                map + ".b op0 order4 null->null"), run.all("atomic"));
        assertEquals(3, run.steps().size(), "begin, the change of the size, end: " + run.steps());
    }

    @Test
    void parking() {
        behavesAsEver("static volatile boolean go;",
                "Thread t = new Thread(() -> { while (!go) LockSupport.park(); System.out.println(\"on\"); }); t.start(); go = true; LockSupport.unpark(t); t.join();",
                "LockSupport.unpark(Thread.currentThread()); LockSupport.park(); LockSupport.parkNanos(1000); System.out.println(\"main\");");
    }

    @Test
    void atomics_give_what_they_give() {
        behavesAsEver("", "AtomicInteger i = new AtomicInteger(5); System.out.println(i.getAndIncrement() + \" \" + i.incrementAndGet() + \" \" + i.getAndAdd(3) + \" \" + i.addAndGet(-1) + \" \" + i.getAndSet(7) + \" \" + i.compareAndSet(7, 8) + \" \" + i.compareAndSet(7, 9) + \" \" + i.updateAndGet(x -> x * 2) + \" \" + i.getAndAccumulate(4, Math::max) + \" \" + i.decrementAndGet() + \" \" + i);",
                "AtomicLong l = new AtomicLong(1L << 40); System.out.println(l.getAndDecrement() + \" \" + l.accumulateAndGet(5, (a, b) -> a % b) + \" \" + l.intValue());",
                "AtomicBoolean b = new AtomicBoolean(); System.out.println(b.getAndSet(true) + \" \" + b.compareAndSet(false, true) + \" \" + b.get());",
                "AtomicReference<String> r = new AtomicReference<>(\"a\"); String a = r.get(); System.out.println(r.compareAndSet(a, \"b\") + \" \" + r.updateAndGet(s -> s + s) + \" \" + r.getAndSet(null) + r.get());",
                "AtomicIntegerArray n = new AtomicIntegerArray(3); System.out.println(n.incrementAndGet(1) + \" \" + n.getAndAdd(1, 5) + \" \" + n); try { n.get(3); } catch (IndexOutOfBoundsException e) { System.out.println(\"out\"); }");
    }
}
