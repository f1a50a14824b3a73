package dev.warpath.agent.hook;

import dev.warpath.agent.model.Inputs;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.transform.FollowedClasses;
import java.util.Map;
import java.util.WeakHashMap;

/** Time, chance and identity, where instrumented code asks for them: the same in every run. */
public final class Clock {
    /** When virtual time begins: 1 January 2020, in milliseconds. */
    static final long EPOCH = 1_577_836_800_000L;
    /** Time goes on by this whenever it is looked at, so that who waits for it does not wait for ever. */
    private static final long TICK = 1_000;

    private static final Map<Class<?>, Boolean> byIdentity = new WeakHashMap<>();

    private Clock() {}

    public static long currentTimeMillis() {
        return Scheduler.current() == null ? System.currentTimeMillis() : told(EPOCH + tick() / 1_000_000);
    }

    public static long nanoTime() {
        return Scheduler.current() == null ? System.nanoTime() : told(tick());
    }

    private static long told(long time) {
        return Inputs.isTimeSymbolic() ? Inputs.take("time", 64, time) : time;
    }

    private static long tick() {
        Scheduler.clock += TICK;
        return Scheduler.clock;
    }

    public static double random() {
        ThreadState t = Scheduler.current();
        return t == null ? Math.random() : (t.chance.next() & (1L << 48) - 1) * 0x1p-48;
    }

    /** What {@code new Random()} starts from. */
    public static long seed() {
        ThreadState t = Scheduler.current();
        return t == null ? System.nanoTime() : t.chance.next();
    }

    public static java.util.UUID randomUuid() {
        ThreadState t = Scheduler.current();
        return t == null ? java.util.UUID.randomUUID()
                : new java.util.UUID(t.chance.next() & ~0xf000L | 0x4000, t.chance.next() | 1L << 63);
    }

    /** {@code Object.hashCode}: that of a followed object of the JDK may decide where in a table it is. */
    public static int hashCode(Object object, long at) {
        Flow.call(at);
        ThreadState t = object == null ? null : Scheduler.current();
        return t != null && isByIdentity(object.getClass()) ? Objects.hash(t, object) : object.hashCode();
    }

    private static boolean isByIdentity(Class<?> type) {
        Boolean known = byIdentity.get(type);
        if (known == null) {
            known = FollowedClasses.contains(type.getName().replace('.', '/')) && inheritsHash(type);
            byIdentity.put(type, known);
        }
        return known;
    }

    private static boolean inheritsHash(Class<?> type) {
        try {
            return type.getMethod("hashCode").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException error) {
            throw new IllegalStateException("every class has a hash code", error);
        }
    }

    public static int identityHashCode(Object object) {
        ThreadState t = object == null ? null : Scheduler.current();
        return t == null ? System.identityHashCode(object) : Objects.hash(t, object);
    }
}
