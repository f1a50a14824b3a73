package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Policies, and schedules that are followed. */
class ScheduleTest {
    private static final Program RACE = Program.of("static int x; static final Object m = new Object();", new String[] {
        "Thread a = new Thread(() -> { int y = x;\nx = y + 1; synchronized (m) { } });",
        "Thread b = new Thread(() -> { int y = x;\nx = y + 10; });", "a.start(); b.start(); a.join(); b.join();",
        "System.out.println(x);"});

    private static final String SHARED = "shared\tP.x";

    @Test
    void a_hundred_runs_of_one_plan_give_one_stream() {
        Program.Run first = RACE.run("policy\trandom 42", SHARED);
        for (int n = 1; n < 100; n++) {
            assertArrayEquals(first.stream, RACE.run("policy\trandom 42", SHARED).stream, "run " + n + " is different");
        }
    }

    @Test
    void seeds_lead_to_different_schedules() {
        Set<String> results = new HashSet<>();
        for (int seed = 0; seed < 30; seed++) {
            results.add(RACE.run("policy\trandom " + seed, SHARED).out);
        }
        assertEquals(Set.of("1\n", "10\n", "11\n"), results);
    }

    @Test
    void run_to_block_goes_on_until_it_cannot() {
        Program.Run run = RACE.run("policy\trun-to-block", SHARED);
        assertEquals(List.of("T0 begin", "T0 fork T0.0", "T0 fork T0.1", "T0.0 begin", "T0.0 r P.x 0", "T0.0 w P.x 1",
                "T0.0 lock monitor(java.lang.Object@T0:0) 0 0 done", "T0.0 unlock monitor(java.lang.Object@T0:0) 0 0 done",
                "T0.0 end", "T0.1 begin", "T0.1 r P.x 1", "T0.1 w P.x 11", "T0.1 end", "T0 join T0.0 done",
                "T0 join T0.1 done", "T0 r P.x 11", "T0 end"), run.steps());
        assertEquals("T0 . exited 0", run.last());
    }

    @Test
    void round_robin_makes_one_step_each() {
        List<String> threads = RACE.run("policy\tround-robin", SHARED).steps().stream().map(step -> step.split(" ")[0])
                .collect(Collectors.toList());
        assertEquals(List.of("T0", "T0", "T0.0", "T0", "T0.0", "T0.1", "T0.0", "T0.1"), threads.subList(0, 8));
    }

    @Test
    void what_a_schedule_says_happens() {
        List<String> plan = new ArrayList<>(List.of(SHARED));
        for (String step : new String[] {"T0\tbegin\t\t", "T0\tfork\tT0.0\t", "T0\tfork\tT0.1\t", "T0.1\tbegin\t\t",
            "T0.1\tr\tP.x\tP.java:6", "T0.0\t*\t3", "T0.1\tw\tP.x\tP.java:7"}) {
            plan.add("step\t" + step);
        }
        Program.Run run = RACE.run(plan.toArray(new String[0]));
        assertEquals("10\n", run.out, run.toString());
        plan.add("then\tT0.0");
        List<String> steps = RACE.run(plan.toArray(new String[0])).steps();
        assertEquals("T0.0 lock monitor(java.lang.Object@T0:0) 0 0 done", steps.get(9), "T0.0 was to go on");
    }

    @Test
    void a_schedule_that_cannot_be_followed_says_where() {
        Program.Run run = RACE.run(SHARED, "step\tT0\tbegin\t\t", "step\tT0\tjoin\tT0.1\tP.java:9");
        assertEquals("T0 . stop diverged at step 2 of 2 the schedule says `T0 join T0.1 @P.java:9`, but T0 is about to do "
                + "`fork T0.0 @P.java:8`", run.last());
        assertEquals("stop diverged at step 1 of 1 the schedule says `T0.5 begin`, but there is no thread T0.5 yet",
                RACE.run("step\tT0.5\tbegin\t\t").last().replaceFirst("^.* \\. ", ""));
    }

    @Test
    void a_step_that_is_not_possible_says_why() {
        Program program = Program.of("static final Object m = new Object();", new String[] {
            "Thread t = new Thread(() -> { synchronized (m) { } }); t.start(); synchronized (m) { Thread.yield(); }"});
        String monitor = "monitor(java.lang.Object@T0:0)";
        Program.Run run = program.run("step\tT0\t*\t3", "step\tT0.0\tbegin\t\t", "step\tT0.0\tlock\t" + monitor + "\t");
        assertEquals("T0 . stop diverged at step 3 of 3 the schedule says `T0.0 lock \"" + monitor + "\"`, but T0.0 cannot do "
                + "`lock \"" + monitor + "\" @P.java:4` now: it waits for `" + monitor + "`, held by T0",
                run.last().replaceFirst("^T0\\.0", "T0"));
    }

    @Test
    void lenient_leaves_steps_out_and_pass_others_makes_unnamed_accesses() {
        Program.Run lenient = RACE.run(SHARED, "follow\tlenient", "step\tT0.7\tbegin\t\t", "step\tT0\tjoin\t\t",
                "step\tT0\tbegin\t\t");
        assertEquals("11\n", lenient.out, lenient.toString());
        Program two = Program.of("static int x, y;", new String[] {"x = 1; y = 2; x = 3;"});
        Program.Run passed = two.run("shared\tP.x", "shared\tP.y", "pass-others", "step\tT0\tbegin\t\t", "step\tT0\tw\tP.x\t",
                "step\tT0\tw\tP.x\t", "step\tT0\tend\t\t");
        assertEquals("T0 . exited 0", passed.last(), passed.toString());
    }

    @Test
    void no_thread_makes_more_steps_than_the_plan_allows() {
        Program.Run run = Program.of("static volatile boolean stop;", new String[] {"while (!stop) { }"})
                .run("shared\tP.stop", "max-events\t50");
        assertEquals("T0 . stop events T0 has made 50 visible steps", run.last());
        assertEquals(50, run.steps().size());
    }

    @Test
    void who_spins_on_what_nobody_calls_shared_lets_others_go_on() {
        Program.Run run = Program.of("static volatile boolean go;", new String[] {
            "Thread t = new Thread(() -> go = true); t.start(); while (!go) { } System.out.println(\"gone\");"}).run();
        assertEquals("gone\n", run.out);
    }

    @Test
    void accesses_to_what_is_shared_are_steps_and_no_others() {
        Program program = Program.of("int f, g; static AtomicInteger n = new AtomicInteger();", new String[] {
            "P p = new P(); p.f = 1; p.g = 2; int[] a = new int[2]; a[0] = 3; a[1] = 4; n.incrementAndGet();"});
        String counter = "java.util.concurrent.atomic.AtomicInteger@T0:0.value";
        Program.Run run = program.run("shared\tP@T0:1.f", "shared\tint[]@T0:2[1]", "shared\t" + counter);
        List<String> steps = run.steps();
        assertEquals(List.of("T0 begin", "T0 w P@T0:1.f 1", "T0 w int[]@T0:2[1] 4",
                "T0 atomic " + counter + " op4 order4 1 0->1", "T0 end"), steps);
        assertTrue(run.all("w").contains("T0 P@T0:1.g 2"));
    }
}
