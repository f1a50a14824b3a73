package dev.warpath.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Classes of the JDK that are followed do what they do without the agent, on every JVM, and their insides are seen. */
class JdkTest {
    private static void behavesAsEver(String members, String... body) {
        Program program = Program.of(members, body);
        for (Path java : Jvms.all()) {
            program.on(java);
            Program.Run plain = program.runPlainly();
            assertEquals(0, plain.status, plain.err);
            for (String policy : new String[] {"run-to-block", "random 1"}) {
                Program.Run run = program.run("policy\t" + policy);
                assertEquals(plain.out, run.out, java + " " + policy + "\n" + run);
                assertEquals("", run.err, java + " " + policy);
                assertTrue(run.all("note").isEmpty(), java + " " + policy + " " + run.all("note"));
            }
        }
    }

    private static final String COLLECTIONS =
            "static void use(Collection<Integer> c) { c.add(1); c.add(2); c.addAll(List.of(3, 4)); int s = 0; for (int x : c) s = s * 7 + x; System.out.println(c.getClass() + \" \" + s + c.contains(2) + c.remove(1) + c.removeIf(x -> x == 3) + c.size() + c + Arrays.toString(c.toArray())); c.clear(); System.out.println(c.isEmpty()); }"
            + "static void use(Map<String, Integer> m) { for (int i = 0; i < 20; i++) m.put(\"k\" + i, i); for (Map.Entry<String, Integer> e : m.entrySet()) e.setValue(e.getValue() + 1); m.remove(\"k3\"); m.merge(\"k4\", 1, Integer::sum); m.computeIfAbsent(\"z\", k -> 5); m.keySet().remove(\"k5\"); List<String> keys = new ArrayList<>(m.keySet()); Collections.sort(keys); System.out.println(m.getClass() + \" \" + keys + m.get(\"k4\") + m.containsKey(\"q\") + m.size()); }";

    @Test
    void collections() {
        behavesAsEver(COLLECTIONS,
                "for (Collection<Integer> c : List.<Collection<Integer>>of(new ArrayList<>(), new LinkedList<>(), new ArrayDeque<>(), new PriorityQueue<>(), new HashSet<>(), new LinkedHashSet<>(), new TreeSet<>(), new Vector<>(), new Stack<>(), Collections.synchronizedList(new ArrayList<>()), Collections.synchronizedSet(new HashSet<>()))) use(c);",
                "for (Collection<Integer> c : List.<Collection<Integer>>of(new ArrayBlockingQueue<>(9), new LinkedBlockingQueue<>(), new LinkedBlockingDeque<>(), new PriorityBlockingQueue<>(), new ConcurrentLinkedQueue<>(), new ConcurrentLinkedDeque<>(), new CopyOnWriteArrayList<>(), new CopyOnWriteArraySet<>())) use(c);",
                "for (Map<String, Integer> m : List.<Map<String, Integer>>of(new HashMap<>(), new LinkedHashMap<>(), new TreeMap<>(), new Hashtable<>(), Collections.synchronizedMap(new HashMap<>()), new ConcurrentHashMap<>())) use(m);");
    }

    @Test
    void exceptions_out_of_collections() {
        behavesAsEver("static void fails(Runnable r) { try { r.run(); System.out.println(\"no\"); } catch (RuntimeException e) { System.out.println(e.getClass()); } }",
                "List<Integer> l = new ArrayList<>(List.of(1, 2, 3));",
                "fails(() -> l.get(7)); fails(() -> { for (int x : l) l.remove(0); }); fails(() -> new ArrayDeque<Integer>().pop());",
                "fails(() -> new ArrayDeque<Integer>().add(null)); fails(() -> new ArrayList<Integer>(-1)); fails(() -> new TreeMap<Object, Integer>().put(new Object(), 1)); fails(() -> new ArrayBlockingQueue<Integer>(1).remove());");
    }

    @Test
    void executors_and_futures() {
        behavesAsEver("", "ExecutorService e = Executors.newFixedThreadPool(2); Future<Integer> f = e.submit(() -> 42); System.out.println(f.get() + \" \" + f.isDone() + e.invokeAll(List.of(() -> 1, () -> 2)).size());",
                "Future<Integer> bad = e.submit(() -> { if (true) throw new IllegalStateException(\"no\"); return 1; }); try { bad.get(); } catch (ExecutionException x) { System.out.println(x.getCause()); }",
                "e.shutdown(); System.out.println(e.awaitTermination(1, TimeUnit.MINUTES)); try { e.execute(() -> {}); } catch (RejectedExecutionException x) { System.out.println(\"rejected\"); }",
                "CompletableFuture<Integer> c = new CompletableFuture<>(); Thread t = new Thread(() -> c.complete(5)); t.start(); System.out.println(c.thenApply(x -> x * 2).thenCombine(CompletableFuture.completedFuture(1), Integer::sum).get()); t.join();");
    }

    @Test
    void stamped_locks() {
        behavesAsEver("static StampedLock l = new StampedLock(); static int x;",
                "Thread t = new Thread(() -> { for (int i = 0; i < 3; i++) { long s = l.writeLock(); x++; l.unlockWrite(s); } }); t.start();",
                "for (int i = 0; i < 3; i++) { long s = l.readLock(); int a = x, b = x; l.unlockRead(s); if (a != b) System.out.println(\"torn\"); } t.join();",
                "long s = l.tryOptimisticRead(); System.out.println(l.validate(s) + \" \" + x); s = l.writeLock(); System.out.println(l.tryReadLock() + \" \" + l.isWriteLocked()); l.unlockWrite(s);");
    }

    @Test
    void what_is_inside_a_list_is_accessed_step_by_step() {
        Program program = Program.of("static List<Integer> l = new ArrayList<>(); static void add() { l.add(1); }",
                new String[] {"Thread t = new Thread(P::add); t.start(); add(); t.join(); System.out.println(l.size());"});
        List<String> steps = program.run("shared\tjava.util.ArrayList@T0:0.size").steps();
        assertTrue(steps.contains("T0 w java.util.ArrayList@T0:0.size 1"), steps.toString());
        assertTrue(steps.contains("T0.0 r java.util.ArrayList@T0:0.size 1"), steps.toString());
        assertTrue(steps.contains("T0.0 w java.util.ArrayList@T0:0.size 2"), steps.toString());
    }

    @Test
    void handles_are_accesses_to_their_fields() {
        Program program = Program.of("volatile int n; static final java.lang.invoke.VarHandle N; static final AtomicIntegerFieldUpdater<P> U = AtomicIntegerFieldUpdater.newUpdater(P.class, \"n\"); static { try { N = java.lang.invoke.MethodHandles.lookup().findVarHandle(P.class, \"n\", int.class); } catch (ReflectiveOperationException e) { throw new Error(e); } }",
                new String[] {"P p = new P(); N.setVolatile(p, 3); System.out.println(N.compareAndSet(p, 3, 4) + \" \" + U.incrementAndGet(p) + (int) N.getAndAdd(p, 2) + p.n);"});
        Program.Run run = program.run();
        assertEquals("true 557\n", run.out, run.toString());
        List<String> atomics = run.all("atomic");
        assertEquals(4, atomics.stream().filter(atomic -> atomic.contains("P@T0:") && atomic.contains(".n")).count(),
                atomics.toString());
    }
}
