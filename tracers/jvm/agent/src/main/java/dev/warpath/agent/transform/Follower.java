package dev.warpath.agent.transform;

import dev.warpath.agent.schedule.Watchdog;
import java.lang.instrument.Instrumentation;
import java.lang.instrument.UnmodifiableClassException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.ClassReader;

/**
 * Has the classes of the JDK instrumented that the program uses, before it uses them. The JVM asks no transformer about
 * what a transformer does, so another thread does it.
 */
final class Follower extends Thread {
    private final Instrumentation instrumentation;
    /** Followed, or about to be. */
    private final Set<String> wanted = new HashSet<>();
    private Set<String> fresh = new HashSet<>();
    private boolean busy;

    Follower(Instrumentation instrumentation) {
        super(Watchdog.rootGroup(), null, "warpath follower", 0, false);
        setDaemon(true);
        this.instrumentation = instrumentation;
    }

    synchronized boolean isWanted(String name) {
        return wanted.contains(name);
    }

    /** A class that is instrumented names others. */
    synchronized void note(ClassReader reader) {
        for (String name : FollowedClasses.namedIn(reader)) {
            if (wanted.add(name)) {
                fresh.add(name);
            }
        }
    }

    /** Waits until everything that was noted, and what that names in turn, is instrumented. */
    synchronized void follow() {
        if (Thread.currentThread() == this) {
            // What it loads on its way is its next work.
            return;
        }
        notifyAll();
        Watchdog.look(false);
        while (busy || !fresh.isEmpty()) {
            rest();
        }
        Watchdog.look(true);
    }

    private void rest() {
        try {
            wait();
        } catch (InterruptedException signal) {
            // Instrumenting is not to be interrupted; it does not take long.
            interrupt();
        }
    }

    private synchronized Set<String> take() {
        busy = false;
        notifyAll();
        while (fresh.isEmpty()) {
            rest();
        }
        busy = true;
        Set<String> names = fresh;
        fresh = new HashSet<>();
        return names;
    }

    @Override
    public void run() {
        try {
            work();
        } catch (Throwable failure) {
            // Without it the program would wait for ever, or be followed by half.
            System.err.println("warpath: classes of the JDK cannot be followed: " + failure);
            Runtime.getRuntime().halt(120);
        }
    }

    private void work() {
        while (true) {
            Set<String> names = take();
            List<Class<?>> classes = new ArrayList<>();
            // What is not loaded yet is instrumented when it is.
            for (Class<?> type : instrumentation.getAllLoadedClasses()) {
                if (type.getClassLoader() == null && names.contains(type.getName().replace('.', '/'))) {
                    classes.add(type);
                }
            }
            if (classes.isEmpty()) {
                continue;
            }
            try {
                instrumentation.retransformClasses(classes.toArray(new Class<?>[0]));
            } catch (UnmodifiableClassException | LinkageError | UnsupportedOperationException failure) {
                for (Class<?> type : classes) {
                    Transformer.leftAlone(type.getName(), failure.toString());
                }
            }
        }
    }
}
