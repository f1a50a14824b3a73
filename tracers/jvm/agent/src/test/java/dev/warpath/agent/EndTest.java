package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** How runs end. */
class EndTest {
    @Test
    void a_deadlock_says_who_waits_for_what() {
        Program program = Program.of("static final Object a = new Object(), b = new Object();", new String[] {
            "Thread t = new Thread(() -> { synchronized (b) { synchronized (a) { } } }); t.start();",
            "synchronized (a) { synchronized (b) { } } t.join();"});
        String a = "monitor(java.lang.Object@T0:0)";
        String b = "monitor(java.lang.Object@T0:1)";
        Program.Run run = program.run("step\tT0\t*\t3", "step\tT0.0\t*\t2");
        assertEquals("deadlock T0 waits for `" + b + "`, held by T0.0; T0.0 waits for `" + a + "`, held by T0",
                run.last().substring(run.last().indexOf("deadlock")));
        List<String> steps = run.steps();
        assertEquals(List.of("T0 lock " + b + " 0 0 pending", "T0.0 lock " + a + " 0 0 pending"),
                steps.subList(steps.size() - 2, steps.size()));
        assertTrue(run.status != 0);
    }

    @Test
    void a_notification_that_nobody_gives_is_a_deadlock() {
        Program.Run run = Program.of("", new String[] {"Object o = new Object(); synchronized (o) { o.wait(); }"}).run();
        assertEquals("T0 . deadlock T0 waits on `waiters(java.lang.Object@T0:0)`, which nobody notifies", run.last());
    }

    @Test
    void an_exception_that_nobody_catches_is_recorded() {
        Program.Run run = Program.of("", new String[] {
            "Thread t = new Thread(() -> { int[] a = {}; a[0] = 1; }); t.start(); t.join(); String s = null; s.length();"}).run();
        assertEquals("T0.0 java.lang.ArrayIndexOutOfBoundsException Index 0 out of bounds for length 0",
                run.all("uncaught").get(0));
        assertTrue(run.all("uncaught").get(1).startsWith("T0 java.lang.NullPointerException"), run.toString());
        assertEquals("T0 . exited 1", run.last());
        assertEquals(1, run.status);
        assertTrue(run.err.contains("at P.main(P.java:"), run.err);
    }

    @Test
    void exit_halt_and_shutdown_hooks_end_the_run() {
        Program.Run exit = Program.of("static int x;", new String[] {
            "Runtime.getRuntime().addShutdownHook(new Thread(() -> { x++; System.out.println(\"hook\"); }));",
            "new Thread(() -> System.exit(7)).start(); synchronized (P.class) { P.class.wait(); }"}).run();
        assertEquals(7, exit.status, exit.toString());
        assertEquals("hook\n", exit.out);
        assertTrue(exit.last().endsWith("exited 7"), exit.toString());
        Program.Run halt = Program.of("", new String[] {"Runtime.getRuntime().halt(9);"}).run();
        assertEquals("T0 . exited 9", halt.last());
        assertEquals(9, halt.status);
    }

    @Test
    void daemons_do_not_keep_the_program_alive() {
        Program.Run run = Program.of("static volatile long n;", new String[] {
            "Thread t = new Thread(() -> { while (true) n++; }); t.setDaemon(true); t.start();"}).run("shared\tP.n");
        assertTrue(run.last().endsWith("exited 0"), run.last());
        assertEquals(0, run.status);
    }

    @Test
    void threads_go_on_when_main_has_ended() {
        Program.Run run = Program.of("", new String[] {
            "new Thread(() -> System.out.println(\"still here\")).start();"}).run("step\tT0\t*\t3");
        assertEquals("still here\n", run.out);
        assertEquals("T0.0 . exited 0", run.last());
    }

    @Test
    void a_thread_that_blocks_outside_lets_others_go_on() {
        // A pipe of the JDK whose reader waits, with the pipe's own monitor, for what another thread writes.
        Program.Run run = Program.of("", new String[] {
            "java.io.PipedOutputStream out = new java.io.PipedOutputStream(); java.io.PipedInputStream in = new java.io.PipedInputStream(out);",
            "Thread t = new Thread(() -> { try { out.write(5); out.flush(); } catch (java.io.IOException e) { e.printStackTrace(); } });",
            "t.start(); System.out.println(in.read()); t.join();"}).run();
        assertEquals("5\n", run.out, run.toString());
        assertTrue(run.all("note").stream().anyMatch(note -> note.contains("thread T0 blocks outside")), run.toString());
    }

    @Test
    void a_plan_that_makes_no_sense_is_refused_in_a_sentence() {
        Program program = Program.of("", new String[] {"System.out.println(\"ran\");"});
        for (String line : new String[] {"nonsense\t1", "policy\tfast", "policy\trandom x", "step\tT0", "max-events\tmany",
            "model\trc11", "shared\ta\\x"}) {
            Program.Run run = program.run(line);
            assertEquals(120, run.status, line);
            assertEquals("", run.out, line);
            assertTrue(run.err.startsWith("warpath: line 2 of the plan, `" + line + "`: "), run.err);
            assertEquals(1, run.err.lines().count(), run.err);
        }
    }

    @Test
    void a_class_that_cannot_be_instrumented_is_named() {
        // A method that hooks make longer than a method can be.
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < 6000; i++) {
            body.append("x++;");
        }
        Program.Run run = Program.of("static class Large { static int x; static void m() { " + body + " } }",
                new String[] {"Large.m(); System.out.println(Large.x);"}).run();
        assertEquals("6000\n", run.out);
        assertTrue(run.err.startsWith("warpath: class P$Large is not instrumented: "), run.err);
        assertTrue(run.all("note").get(0).contains("class P$Large is not instrumented"), run.toString());
    }
}
