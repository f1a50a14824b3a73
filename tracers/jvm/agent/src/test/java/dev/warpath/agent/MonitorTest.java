package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Monitors, wait sets and interrupts, held against a JVM without the agent where it has one answer only. */
class MonitorTest {
    private static final String[] POLICIES = {"run-to-block", "round-robin", "random 1", "random 2", "random 3",
        "pct 1 3 100", "pct 2 3 100"};

    /** Prints the same under every policy as without the agent. */
    private static void behavesAsEver(Program program) {
        Program.Run plain = program.runPlainly();
        for (String policy : POLICIES) {
            Program.Run run = program.run("policy\t" + policy);
            assertEquals(plain.out, run.out, policy + "\n" + run);
            assertEquals(plain.status, run.status, policy + "\n" + run);
        }
    }

    @Test
    void a_buffer_with_wait_and_notify_loses_nothing() {
        behavesAsEver(Program.of(
                "static List<Integer> q = new ArrayList<>(); static final Object m = new Object(); static long sum;"
                        + "static void put(int i) throws Exception { synchronized (m) { while (q.size() == 2) m.wait(); q.add(i); m.notifyAll(); } }"
                        + "static int take() throws Exception { synchronized (m) { while (q.isEmpty()) m.wait(); m.notifyAll(); return q.remove(0); } }",
                new String[] {
                    "Thread[] t = new Thread[4]; for (int k = 0; k < 4; k++) { int n = k; t[k] = new Thread(() -> { try {",
                    "for (int i = 0; i < 20; i++) { if (n % 2 == 0) put(i); else { int v = take(); synchronized (m) { sum += v; } } }",
                    "} catch (Exception e) { e.printStackTrace(); } }); t[k].start(); }",
                    "for (Thread x : t) x.join(); System.out.println(sum + \" \" + q.size());"}));
    }

    @Test
    void what_leaves_a_synchronized_method_releases_its_monitor() {
        Program program = Program.of(
                "static synchronized void s() { throw new RuntimeException(\"s\"); } synchronized int i(int n) { if (n == 0) throw new RuntimeException(\"i\"); return i(n - 1); }",
                new String[] {
                    "P p = new P(); try { s(); } catch (RuntimeException e) { System.out.println(e.getMessage() + Thread.holdsLock(P.class)); }",
                    "try { p.i(2); } catch (RuntimeException e) { System.out.println(e.getMessage() + Thread.holdsLock(p)); }",
                    "Thread t = new Thread(() -> { synchronized (P.class) { synchronized (p) { System.out.println(\"in\"); } } }); t.start(); t.join();"});
        behavesAsEver(program);
        List<String> locks = program.run().steps().stream().filter(step -> step.contains("lock")).collect(Collectors.toList());
        assertEquals(List.of("T0 lock monitor(P) 0 0 done", "T0 unlock monitor(P) 0 0 done", "T0 lock monitor(P@T0:0) 0 0 done",
                "T0 lock monitor(P@T0:0) 0 0 done", "T0 lock monitor(P@T0:0) 0 0 done", "T0 unlock monitor(P@T0:0) 0 0 done",
                "T0 unlock monitor(P@T0:0) 0 0 done", "T0 unlock monitor(P@T0:0) 0 0 done"), locks.subList(0, 8));
    }

    @Test
    void who_does_not_own_a_monitor_is_told_so() {
        behavesAsEver(Program.of("", new String[] {"Object o = new Object();",
            "try { o.wait(); } catch (IllegalMonitorStateException e) { System.out.println(\"wait \" + e.getMessage()); }",
            "try { o.notify(); } catch (IllegalMonitorStateException e) { System.out.println(\"notify \" + e.getMessage()); }",
            "try { o.notifyAll(); } catch (IllegalMonitorStateException e) { System.out.println(\"all \" + e.getMessage()); }",
            "try { synchronized (o) { o.wait(-1); } } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }",
            "try { synchronized ((Object) null) { } } catch (NullPointerException e) { System.out.println(\"null\"); }"}));
    }

    @Test
    void a_wait_gives_back_every_level_of_its_monitor() {
        behavesAsEver(Program.of("static final Object m = new Object(); static boolean set;", new String[] {
            "Thread t = new Thread(() -> { synchronized (m) { set = true; m.notify(); } });",
            "synchronized (m) { synchronized (m) { t.start(); while (!set) m.wait(); System.out.println(Thread.holdsLock(m)); }",
            "System.out.println(Thread.holdsLock(m)); } System.out.println(Thread.holdsLock(m)); t.join();"}));
    }

    @Test
    void interrupts_end_waits_joins_and_sleeps() {
        behavesAsEver(Program.of(
                "static void say(String s) { System.out.println(s + Thread.currentThread().isInterrupted()); }"
                        + "interface Body { void run() throws InterruptedException; }"
                        + "static void interrupted(String name, Body body) throws Exception { Thread t = new Thread(() -> { try { body.run(); say(name + \" went on\"); } catch (InterruptedException e) { say(name); } }); t.start(); t.interrupt(); t.join(); }",
                new String[] {"Object o = new Object(); Thread main = Thread.currentThread();",
                    "interrupted(\"wait \", () -> { synchronized (o) { o.wait(); } });",
                    "interrupted(\"timed \", () -> { synchronized (o) { o.wait(100000); } });",
                    "interrupted(\"sleep \", () -> Thread.sleep(100000));", "interrupted(\"join \", () -> main.join());",
                    "interrupted(\"latch \", () -> new CountDownLatch(1).await());",
                    "interrupted(\"lock \", () -> { ReentrantLock l = new ReentrantLock(); l.lock(); l.newCondition().await(); });",
                    "Thread.currentThread().interrupt(); say(\"set \"); System.out.println(Thread.interrupted()); say(\"cleared \");"}));
    }

    @Test
    void an_interrupt_outlives_what_it_does_not_end() {
        behavesAsEver(Program.of("", new String[] {"Thread t = new Thread(() -> { LockSupport.park();",
            "System.out.println(Thread.currentThread().isInterrupted()); }); t.start(); t.interrupt(); t.join();"}));
    }

    @Test
    void time_limits_cost_nothing_and_are_kept() {
        Program program = Program.of("static final Object m = new Object();", new String[] {
            "long before = System.nanoTime(); synchronized (m) { m.wait(3_600_000); } Thread.sleep(3_600_000);",
            "Thread t = new Thread(() -> { synchronized (m) { try { m.wait(); } catch (InterruptedException e) { System.out.println(\"end\"); } } });",
            "t.start(); t.join(1000); System.out.println(t.isAlive()); t.interrupt(); t.join();",
            "System.out.println(new Semaphore(0).tryAcquire(1, TimeUnit.HOURS));",
            "System.out.println((System.nanoTime() - before) / 3_600_000_000_000L);"});
        Program.Run run = program.run();
        assertEquals("true\nend\nfalse\n3\n", run.out, run.toString());
        assertTrue(run.steps().contains("T0 wake monitor(java.lang.Object@T0:0) 2 0 timed-out"), run.toString());
    }

    @Test
    void a_notification_reaches_one_of_those_who_waited_before_it() {
        Program.Run run = Program.of("static final Object m = new Object(); static int waiting;", new String[] {
            "Thread[] t = new Thread[2]; for (int i = 0; i < 2; i++) { t[i] = new Thread(() -> { synchronized (m) { waiting++; try { m.wait(); } catch (InterruptedException e) { System.out.println(\"interrupted\"); } } }); t[i].start(); }",
            "while (true) { synchronized (m) { if (waiting == 2) break; } Thread.yield(); }",
            "synchronized (m) { m.notify(); m.notify(); m.notify(); } for (Thread x : t) x.join(); System.out.println(\"done\");"})
                .run();
        assertEquals("done\n", run.out);
        assertEquals(List.of("T0 monitor(java.lang.Object@T0:0) 1 0 done", "T0 monitor(java.lang.Object@T0:0) 1 0 done",
                "T0 monitor(java.lang.Object@T0:0) 0 0 done"), run.all("notify"));
    }

    @Test
    void code_of_the_jdk_that_synchronises_on_the_same_object_is_kept_out() {
        // Whoever iterates holds the list's own monitor, which `add` takes within the JDK.
        Program program = Program.of("static final List<Integer> l = Collections.synchronizedList(new ArrayList<>(List.of(1, 2, 3)));"
                + "static volatile int ticks;", new String[] {
                    "Thread t = new Thread(() -> { for (int i = 0; i < 3; i++) l.add(i); }); t.start();",
                    "int n = 0; synchronized (l) { for (int i : l) { ticks++; Thread.yield(); n += i > 0 ? 1 : 0; } }",
                    "t.join(); System.out.println(l.size());"});
        for (String policy : new String[] {"round-robin", "random 5"}) {
            Program.Run run = program.run("policy\t" + policy, "shared\tP.ticks");
            assertEquals("6\n", run.out, run.toString());
            assertTrue(run.all("note").isEmpty(), "nobody blocks for real: " + run);
        }
    }
}
