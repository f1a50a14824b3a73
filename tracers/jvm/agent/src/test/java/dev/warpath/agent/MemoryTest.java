package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Store buffers: what is written is seen by others when it is committed, not before. */
class MemoryTest {
    private static final Program FLAGS = Program.of("static int x, y;", new String[] {
        "Thread a = new Thread(() -> { x = 1;\nif (y == 0) System.out.println(\"a\"); });",
        "Thread b = new Thread(() -> { y = 1;\nif (x == 0) System.out.println(\"b\"); });",
        "a.start(); b.start(); a.join(); b.join();"});

    private static Program.Run run(Program program, String model, String[] shared, String... steps) {
        List<String> plan = new ArrayList<>(List.of("model\t" + model));
        for (String location : shared) {
            plan.add("shared\t" + location);
        }
        for (String step : steps) {
            plan.add("step\t" + step.replace(' ', '\t') + "\t\t");
        }
        return program.run(plan.toArray(new String[0]));
    }

    @Test
    void both_threads_read_before_either_write_takes_effect() {
        String[] shared = {"P.x", "P.y"};
        String[] steps = {"T0 * 3", "T0.0 * 3", "T0.1 * 3", "T0.1 commit P.y", "T0.0 commit P.x"};
        for (String model : new String[] {"tso", "pso"}) {
            Program.Run run = run(FLAGS, model, shared, steps);
            assertEquals("a\nb\n", run.out, run.toString());
        }
        Program.Run strict = FLAGS.run("shared\tP.x", "shared\tP.y");
        assertTrue(strict.out.length() < 4, strict.toString());
    }

    @Test
    void a_write_that_is_not_the_oldest_waits_under_tso_only() {
        Program program = Program.of("static int x, y;", new String[] {"x = 1; y = 2; System.out.println(x + y);"});
        String[] shared = {"P.x", "P.y"};
        String[] steps = {"T0 begin", "T0 w P.x", "T0 w P.y", "T0 commit P.y", "T0 r P.x", "T0 commit P.x"};
        assertEquals("T0 . exited 0", run(program, "pso", shared, steps).last());
        String said = run(program, "tso", shared, steps).last();
        assertTrue(said.endsWith("`T0 commit P.y`, but T0 has no such write in its buffer"), said);
    }

    @Test
    void what_synchronises_waits_for_the_buffer() {
        Program program = Program.of("static int x; static volatile int v;", new String[] {"x = 1; v = 2;"});
        String said = run(program, "pso", new String[] {"P.x", "P.v"}, "T0 begin", "T0 w P.x", "T0 w P.v").last();
        assertTrue(said.endsWith("but T0 has writes in its buffer, which must reach memory first"), said);
    }

    @Test
    void every_type_is_buffered_and_seen_by_its_own_thread() {
        String types = "boolean z; byte b; char c; short s; int i; long j; float f; double d; Object o; final int last = 7; "
                + "static P it = new P(); static int[] e = new int[2];";
        String body = "P p = it; p.z = true; p.b = -3; p.c = 'x'; p.s = -300; p.i = -5; p.j = 1L << 40; p.f = 1.5f; p.d = -2.5; "
                + "p.o = \"text\"; e[1] = 9; e[1] = 10; System.out.println(p.z + \" \" + p.b + p.c + p.s + p.i + p.j + \" \" "
                + "+ p.f + p.d + p.o + e[1]); Thread.yield(); System.out.println(p.b + p.i + e[1]);";
        String other = "Thread t = new Thread(() -> System.out.println(it.z + \" \" + it.b + it.s + it.i + it.o + e[1] + it.last)); t.start();";
        Program program = Program.of(types, new String[] {other, body, "t.join();"});
        List<String> plan = new ArrayList<>(List.of("model\tpso", "shared\tint[]@T0:1[1]"));
        for (String field : "z b c s i j f d o".split(" ")) {
            plan.add("shared\tP@T0:0." + field);
        }
        Program.Run run = program.run(plan.toArray(new String[0]));
        // The other thread reads while the first one has yielded, and finds nothing of it.
        assertEquals("true -3x-300-51099511627776 1.5-2.5text10\nfalse 000null07\n2\n", run.out, run.toString());
        assertEquals("T0 . exited 0", run.last());
    }

    @Test
    void chance_lets_writes_out_in_every_order() {
        Program program = Program.of("static int x, y;", new String[] {
            "Thread a = new Thread(() -> { x = 1; y = 1; });", "a.start(); int seen = y * 2 + 10 * x; a.join();",
            "System.out.println(seen);"});
        List<String> seen = new ArrayList<>();
        for (int seed = 0; seed < 40; seed++) {
            Program.Run run = program.run("model\tpso", "policy\trandom " + seed, "shared\tP.x", "shared\tP.y");
            assertEquals("T0 . exited 0", run.last(), run.toString());
            seen.add(run.out.trim());
        }
        assertTrue(seen.containsAll(List.of("0", "12", "10")), seen.toString());
    }
}
