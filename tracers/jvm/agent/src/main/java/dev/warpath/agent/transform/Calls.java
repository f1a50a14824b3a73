package dev.warpath.agent.transform;

import dev.warpath.agent.hook.FenceCalls;
import dev.warpath.agent.hook.RandomCalls;
import dev.warpath.agent.hook.SystemCalls;
import dev.warpath.agent.hook.ThreadLocalRandomCalls;
import dev.warpath.agent.hook.VerifierCalls;
import dev.warpath.agent.hook.WarpathCalls;
import java.util.HashMap;
import java.util.Map;

/** Calls that become calls of the agent: same arguments, receiver first, and the place where {@code takesPlace}. */
final class Calls {
    /** What is called instead. */
    static final class Replacement {
        final String owner;
        final String name;
        final String descriptor;
        final boolean takesPlace;

        Replacement(String owner, String name, String descriptor, boolean takesPlace) {
            this.owner = owner;
            this.name = name;
            this.descriptor = descriptor;
            this.takesPlace = takesPlace;
        }
    }

    private static final String VERIFIER = "org/sosy_lab/sv_benchmarks/Verifier";
    private static final Map<String, Replacement> ON_ANY_OBJECT = new HashMap<>();
    private static final Map<String, Replacement> ON_THREADS = new HashMap<>();
    private static final Map<String, Replacement> OTHERS = new HashMap<>();
    private static final Models MODELS = new Models();

    static {
        ON_ANY_OBJECT.put("wait()V", at("Monitor", "await", "(Ljava/lang/Object;J)V"));
        ON_ANY_OBJECT.put("wait(J)V", at("Monitor", "await", "(Ljava/lang/Object;JJ)V"));
        ON_ANY_OBJECT.put("wait(JI)V", at("Monitor", "await", "(Ljava/lang/Object;JIJ)V"));
        ON_ANY_OBJECT.put("notify()V", at("Monitor", "signal", "(Ljava/lang/Object;J)V"));
        ON_ANY_OBJECT.put("notifyAll()V", at("Monitor", "signalAll", "(Ljava/lang/Object;J)V"));
        ON_THREADS.put("join()V", at("ThreadHook", "joinAt", "(Ljava/lang/Thread;J)V"));
        ON_THREADS.put("join(J)V", at("ThreadHook", "joinAt", "(Ljava/lang/Thread;JJ)V"));
        ON_THREADS.put("isAlive()Z", plain("ThreadHook", "isAlive", "(Ljava/lang/Thread;)Z"));
        ON_THREADS.put("isInterrupted()Z", at("ThreadHook", "isInterruptedAt", "(Ljava/lang/Thread;J)Z"));
        ON_THREADS.put("interrupted()Z", at("ThreadHook", "interruptedAt", "(J)Z"));
        ON_THREADS.put("sleep(J)V", at("ThreadHook", "sleepAt", "(JJ)V"));
        ON_THREADS.put("yield()V", at("ThreadHook", "yieldAt", "(J)V"));
        ON_THREADS.put("onSpinWait()V", at("ThreadHook", "onSpinWaitAt", "(J)V"));
        OTHERS.put("java/lang/System.currentTimeMillis()J", plain("Clock", "currentTimeMillis", "()J"));
        OTHERS.put("java/lang/System.nanoTime()J", plain("Clock", "nanoTime", "()J"));
        OTHERS.put("java/lang/System.identityHashCode(Ljava/lang/Object;)I",
                plain("Clock", "identityHashCode", "(Ljava/lang/Object;)I"));
        OTHERS.put("java/lang/Object.hashCode()I", at("Clock", "hashCode", "(Ljava/lang/Object;J)I"));
        OTHERS.put("java/lang/Math.random()D", plain("Clock", "random", "()D"));
        OTHERS.put("java/util/UUID.randomUUID()Ljava/util/UUID;", plain("Clock", "randomUuid", "()Ljava/util/UUID;"));
    }

    static {
        MODELS.addStatic("dev/warpath/Warpath", WarpathCalls.class);
        MODELS.addStatic(VERIFIER, VerifierCalls.class);
        MODELS.addStatic("java/lang/System", SystemCalls.class);
        MODELS.add("java/io/InputStream", SystemCalls.class);
        MODELS.add("java/io/BufferedReader", SystemCalls.class);
        MODELS.addStatic("java/lang/invoke/VarHandle", FenceCalls.class);
        MODELS.add("java/util/Random", RandomCalls.class);
        MODELS.add("java/security/SecureRandom", RandomCalls.class);
        MODELS.add("java/util/concurrent/ThreadLocalRandom", RandomCalls.class);
        MODELS.add("java/util/concurrent/ThreadLocalRandom", ThreadLocalRandomCalls.class);
        ConcurrentModels.addTo(MODELS);
    }

    private Calls() {}

    private static Replacement at(String owner, String name, String descriptor) {
        return new Replacement("dev/warpath/agent/hook/" + owner, name, descriptor, true);
    }

    private static Replacement plain(String owner, String name, String descriptor) {
        return new Replacement("dev/warpath/agent/hook/" + owner, name, descriptor, false);
    }

    /** What is to be called instead of a method that is not the program's own, or null. */
    static Replacement of(Hierarchy hierarchy, String owner, String name, String descriptor) {
        String method = name + descriptor;
        Replacement replacement = ON_ANY_OBJECT.get(method);
        if (replacement == null && ON_THREADS.containsKey(method) && hierarchy.isThread(owner)) {
            replacement = ON_THREADS.get(method);
        }
        if (replacement == null) {
            replacement = OTHERS.get(owner + '.' + method);
        }
        return replacement != null ? replacement : MODELS.of(owner + '.' + method);
    }

    /** Is it a method of the verification competition's interface? Its class belongs to the program, but is modelled. */
    static boolean isVerifier(String owner, String name, String descriptor) {
        return owner.equals(VERIFIER) && MODELS.of(owner + '.' + name + descriptor) != null;
    }
}
