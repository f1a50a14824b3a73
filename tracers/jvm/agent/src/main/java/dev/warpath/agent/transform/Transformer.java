package dev.warpath.agent.transform;

import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.plan.SharedLocations;
import dev.warpath.agent.stream.Definitions;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.Map;
import java.util.WeakHashMap;
import org.objectweb.asm.ClassReader;

/** Instruments classes as they are loaded. */
public final class Transformer implements ClassFileTransformer {
    /** Java 6: older class files have no frames, which the instrumentation goes by. */
    private static final int OLDEST_VERSION = 50;

    private final Filter filter;
    private final SharedLocations shared;
    private final Map<ClassLoader, Hierarchy> hierarchies = new WeakHashMap<>();

    private final Follower follower;

    public Transformer(Plan plan, SharedLocations shared, Instrumentation instrumentation) {
        filter = new Filter(plan.included, plan.excluded);
        this.shared = shared;
        follower = new Follower(instrumentation);
        follower.start();
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (redefined != null) {
            return follower.isWanted(name) ? ofJdk(name, bytes) : JdkPatches.patch(name, bytes);
        }
        if (loader == null && follower.isWanted(name)) {
            byte[] instrumented = ofJdk(name, bytes);
            follower.follow();
            return instrumented;
        }
        if (loader == null || !filter.isApplication(name)) {
            return null;
        }
        try {
            int version = (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
            if (version < OLDEST_VERSION) {
                return leftAlone(name, "its class file is of version " + version + "; 50 and later can be instrumented");
            }
            follower.note(new ClassReader(bytes));
            follower.follow();
            synchronized (this) {
                Hierarchy hierarchy = hierarchy(loader);
                hierarchy.add(name, ClassInfo.read(bytes));
                return ClassInstrumenter.instrument(bytes, hierarchy, filter, shared);
            }
        } catch (RuntimeException | LinkageError | StackOverflowError failure) {
            return leftAlone(name, failure.toString());
        }
    }

    private Hierarchy hierarchy(ClassLoader loader) {
        Hierarchy hierarchy = hierarchies.get(loader);
        if (hierarchy == null) {
            hierarchy = new Hierarchy(loader, filter);
            hierarchies.put(loader, hierarchy);
        }
        return hierarchy;
    }

    private byte[] ofJdk(String name, byte[] bytes) {
        try {
            follower.note(new ClassReader(bytes));
            synchronized (this) {
                return JdkInstrumenter.instrument(bytes, hierarchy(null), filter, shared);
            }
        } catch (RuntimeException | LinkageError | StackOverflowError failure) {
            return leftAlone(name, failure.toString());
        }
    }

    static byte[] leftAlone(String name, String why) {
        String text = "class " + name.replace('/', '.') + " is not instrumented: " + why;
        Definitions.note(text);
        System.err.println("warpath: " + text);
        return null;
    }
}
