package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Inputs, assumptions and claims. */
class InputTest {
    private static final Program ALL = Program.of("", new String[] {
        "System.out.println(Warpath.input(\"i\", 1) + \" \" + Warpath.input(\"i\", 2L) + \" \" + Warpath.input(\"z\", true)",
        "+ \" \" + Warpath.input(\"b\", (byte) 3) + \" \" + Warpath.input(\"c\", 'x') + \" \" + Warpath.input(\"s\", (short) 4));"});

    @Test
    void without_a_value_the_default_is_taken() {
        assertEquals("1 2 true 3 x 4\n", ALL.runPlainly().out);
        Program.Run run = ALL.run();
        assertEquals("1 2 true 3 x 4\n", run.out);
        assertEquals(List.of("T0 i#0 32 1", "T0 i#1 64 2", "T0 z#0 1 1", "T0 b#0 8 3", "T0 c#0 16 120", "T0 s#0 16 4"),
                run.all("input"));
        assertEquals("7 7 true 3 x 4\n", ALL.run(List.of("-Dwarpath.input.i=7"), "").out);
    }

    @Test
    void the_plan_gives_values() {
        Program.Run run = ALL.run("input\ti\t0\t32\tffffffff", "input\ti\t1\t64\tfffffffffffffffe", "input\tz\t0\t1\t0",
                "input\tb\t0\t8\tff", "input\tc\t0\t16\t41", "input\ts\t0\t16\t8000");
        assertEquals("-1 -2 false -1 A -32768\n", run.out);
    }

    @Test
    void standard_input_is_an_input_as_far_as_the_plan_says() {
        Program program = Program.of("", new String[] {
            "System.out.println(System.in.read() + \" \" + System.in.read() + \" \" + System.in.read());"});
        Program.Run run = program.run(List.of(), "ab", "symbolic\tstdin\t1", "input\tstdin\t0\t8\tff");
        assertEquals("255 98 -1\n", run.out);
        assertEquals(List.of("T0 stdin#0 8 -1"), run.all("input"));
    }

    @Test
    void lines_and_arrays_of_standard_input_are_inputs() {
        Program program = Program.of("", new String[] {
            "java.io.BufferedReader in = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));",
            "System.out.println(in.readLine() + in.readLine() + in.readLine() + in.readLine());"});
        Program.Run run = program.run(List.of(), "ab\n\nxyz", "symbolic\tstdin\t5", "input\tstdin\t1\t8\t51");
        assertEquals("aQxyznull\n", run.out);
        assertEquals(List.of("T0 0 3", "T0 3 1", "T0 4 1"), run.all("line"));
        Program array = Program.of("", new String[] {
            "byte[] b = new byte[3]; int n = System.in.read(b); System.out.println(n + \" \" + b[0] + \" \" + b[1]);"});
        run = array.run(List.of(), "abc", "symbolic\tstdin\t2", "input\tstdin\t1\t8\t7");
        assertEquals("3 97 7\n", run.out);
        assertEquals(List.of("T0 stdin#0 8 97", "T0 stdin#1 8 7"), run.all("input"));
        assertEquals(List.of(), run.all("note"));
    }

    @Test
    void standard_input_that_is_read_unseen_is_noted() {
        Program program = Program.of("", new String[] {
            "System.out.println(new java.util.Scanner(System.in).nextInt());"});
        Program.Run run = program.run(List.of(), "12\n", "symbolic\tstdin\t2");
        assertEquals("12\n", run.out);
        assertEquals(1, run.all("note").size());
    }

    @Test
    void an_assumption_that_does_not_hold_ends_the_run() {
        Program.Run run = Program.of("", new String[] {"Warpath.assume(1 < 2); Warpath.assume(2 < 1); System.out.println();"}).run();
        assertEquals(List.of("T0 1", "T0 0"), run.all("assume"));
        assertEquals("T0 . stop assumption T0 assumed what does not hold", run.last());
        assertEquals("", run.out);
    }

    @Test
    void a_claim_that_does_not_hold_is_an_assertion_error() {
        Program.Run run = Program.of("", new String[] {"Warpath.check(true); Warpath.check(false, \"no\");"}).run();
        assertEquals(List.of("T0 java.lang.AssertionError no"), run.all("uncaught"));
    }

    @Test
    void the_interface_of_the_verification_competition_gives_inputs() throws Exception {
        Program program = Program.of("V", "public class V { public static void main(String[] a) { "
                + "System.out.println(org.sosy_lab.sv_benchmarks.Verifier.nondetInt()); } }",
                "org/sosy_lab/sv_benchmarks/Verifier.java",
                "package org.sosy_lab.sv_benchmarks; public class Verifier { public static int nondetInt() { return new java.util.Random().nextInt(); } }");
        Program.Run run = program.run("input\tnondet_int\t0\t32\t2a");
        assertEquals("42\n", run.out);
        assertEquals(List.of("T0 nondet_int#0 32 42"), run.all("input"));
    }
}
