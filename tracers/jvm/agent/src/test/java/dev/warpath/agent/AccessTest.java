package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Fields, arrays, calls and exceptions in the stream. */
class AccessTest {
    private static List<String> of(Program.Run run, String method) {
        // Between entry and exit of a method, which has no other calls of the program in it.
        List<String> lines = run.events.stream().map(event -> event.what + ' ' + event.text).collect(Collectors.toList());
        int from = lines.indexOf(lines.stream().filter(line -> line.startsWith("enter P." + method)).findFirst()
                .orElseThrow(() -> new AssertionError("no entry of " + method + " in " + run)));
        int to = lines.subList(from, lines.size()).indexOf("exit P." + method);
        return lines.subList(from, from + to);
    }

    @Test
    void values_of_every_type_are_recorded_with_the_access() {
        Program.Run run = Program.of(
                "boolean z; byte b; char c; short s; int i; long j; float f; double d; String l; static long sj; static String sl;"
                        + "void put() { z = true; b = -1; c = 'x'; s = -2; i = -3; j = -4L; f = 1.5f; d = -2.5; l = \"t\"; sj = 9; sl = null; }"
                        + "void get() { Object o = z ? l : null; double n = b + c + s + i + j + f + d + sj; }",
                new String[] {"P p = new P(); p.put(); p.get();"}).run();
        assertEquals(List.of("enter P.put P@T0:0", "w P@T0:0.z 1", "w P@T0:0.b -1", "w P@T0:0.c 120", "w P@T0:0.s -2",
                "w P@T0:0.i -3", "w P@T0:0.j -4", "w P@T0:0.f 1.5", "w P@T0:0.d -2.5", "w P@T0:0.l \"t\"", "w P.sj 9",
                "w P.sl null"), of(run, "put"));
        assertEquals(List.of("enter P.get P@T0:0", "r P@T0:0.z 1", "r P@T0:0.l \"t\"", "r P@T0:0.b -1", "r P@T0:0.c 120",
                "r P@T0:0.s -2", "r P@T0:0.i -3", "r P@T0:0.j -4", "r P@T0:0.f 1.5", "r P@T0:0.d -2.5", "r P.sj 9"),
                of(run, "get"));
    }

    @Test
    void elements_of_arrays_of_every_type_are_recorded() {
        Program.Run run = Program.of(
                "static void a() { byte[] b = {1}; b[0]--; boolean[] z = {true}; long[] j = {2}; j[0] = j[0] * 2; double[] d = {.5}; d[0] = -d[0];"
                        + "float[] f = {1}; f[0]++; char[] c = {'a'}; Object[] o = {c}; int[][] m = new int[1][2]; m[0][1] = 3; }",
                new String[] {"a();"}).run();
        List<String> lines = of(run, "a").stream().filter(line -> !line.startsWith("alloc")).collect(Collectors.toList());
        assertEquals(List.of("enter P.a", "w byte[]@T0:0[0] 1", "r byte[]@T0:0[0] 1", "w byte[]@T0:0[0] 0",
                "w boolean[]@T0:1[0] 1", "w long[]@T0:2[0] 2", "r long[]@T0:2[0] 2", "w long[]@T0:2[0] 4",
                "w double[]@T0:3[0] 0.5", "r double[]@T0:3[0] 0.5", "w double[]@T0:3[0] -0.5", "w float[]@T0:4[0] 1.0",
                "r float[]@T0:4[0] 1.0", "w float[]@T0:4[0] 2.0", "w char[]@T0:5[0] 97",
                "w java.lang.Object[]@T0:6[0] char[]@T0:5", "r int[][]@T0:7[0] int[]@T0:8", "w int[]@T0:8[1] 3"), lines);
    }

    @Test
    void inherited_statics_go_by_the_class_that_declares_them_when_they_are_shared() {
        Program program = Program.of("static class A { static int x; } static class B extends A {}",
                new String[] {"B.x = 1;"});
        assertTrue(program.run("shared\tP$A.x").steps().contains("T0 w P$B.x 1"), "the access was no step");
    }

    @Test
    void objects_are_named_by_who_made_them() {
        Program.Run run = Program.of("static class N { N next; N(N n) { next = n; } }",
                new String[] {"Thread t = new Thread(() -> { N a = new N(null); new N(a); }); t.start(); t.join(); new N(new N(null));"})
                .run();
        List<String> made = run.all("alloc").stream().filter(line -> line.contains("P$N")).collect(Collectors.toList());
        assertEquals(List.of("T0.0 P$N@T0.0:0", "T0.0 P$N@T0.0:1", "T0 P$N@T0:1", "T0 P$N@T0:2"), made);
    }

    @Test
    void an_exception_out_of_a_super_constructor_unwinds_every_frame() {
        Program.Run run = Program.of(
                "static class A { A(int x) { if (x > 0) throw new IllegalStateException(); } }"
                        + "static class B extends A { B(int x) { super(x); } } static class C extends B { C() { super(1); } }",
                new String[] {"try { new C(); } catch (IllegalStateException e) { System.out.println(\"caught\"); }"}).run();
        assertEquals("caught\n", run.out);
        List<String> unwound = run.all("unwind").stream().map(line -> line.split(" ")[1]).collect(Collectors.toList());
        assertEquals(List.of("P$A.<init>", "P$B.<init>", "P$C.<init>"), unwound);
        assertEquals(List.of("T0 P.main"), run.all("exit").subList(run.all("exit").size() - 1, run.all("exit").size()));
    }

    @Test
    void constructors_may_compute_and_assign_before_super() {
        Program.Run run = Program.of(
                "class I { int v = base; } int base = 4; static class A { A(Object o) {} }"
                        + "static class B extends A { B(boolean b) { super(b ? \"x\" : new int[2]); } }",
                new String[] {"P p = new P(); System.out.println(p.new I().v); new B(true); new B(false);"}).run();
        assertEquals("4\n", run.out, run.toString());
        assertTrue(run.all("w").contains("T0 null.this$0 P@T0:0"), run.toString());
    }

    @Test
    void copies_of_arrays_are_accesses_to_their_elements() {
        Program.Run run = Program.of("", new String[] {
            "int[] a = {1, 2, 3}; System.arraycopy(a, 0, a, 1, 2); System.out.println(Arrays.toString(a));",
            "try { System.arraycopy(a, 0, a, 2, 2); } catch (IndexOutOfBoundsException e) { System.out.println(\"out\"); }"})
                .run();
        assertEquals("[1, 1, 2]\nout\n", run.out);
        List<String> lines = run.events.stream().map(event -> event.what + ' ' + event.text).collect(Collectors.toList());
        int at = lines.indexOf("arraycopy ");
        assertEquals(List.of("r int[]@T0:0[1] 2", "w int[]@T0:0[2] 2", "r int[]@T0:0[0] 1", "w int[]@T0:0[1] 1",
                "ret arraycopy"), lines.subList(at + 1, at + 6));
    }

    @Test
    void hash_codes_time_and_chance_are_the_same_in_every_run() {
        Program program = Program.of("", new String[] {
            "Set<Object> s = new HashSet<>(); for (int i = 0; i < 50; i++) s.add(new P());",
            "for (Object o : s) System.out.println(o); System.out.println(System.nanoTime() + \" \" + Math.random()",
            "+ new Random().nextInt() + UUID.randomUUID() + System.currentTimeMillis());"});
        assertEquals(program.run().out, program.run().out);
    }
}
