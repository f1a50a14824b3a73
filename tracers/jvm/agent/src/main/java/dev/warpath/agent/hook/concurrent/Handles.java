package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Access;
import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Definitions;
import org.objectweb.asm.Type;

/**
 * VarHandles, field updaters and {@code Unsafe}, where instrumented code calls them: a hook before the call, which waits for
 * the turn if the location is shared, and one behind it, which records what the call did.
 */
public final class Handles {
    private static HandleTarget target;
    private static Object old;

    private Handles() {}

    /** {@code coordinate} is an index, an offset, or negative. */
    public static void before(Object handle, Object object, long coordinate, int op, long at) {
        Flow.call(at);
        ThreadState t = Scheduler.current();
        target = null;
        if (t == null || handle == null) {
            return;
        }
        HandleTarget found = HandleTarget.of(handle, object, coordinate);
        if (found == null) {
            if (object != null) {
                Definitions.note("accesses by a handle that cannot be told to a field");
            }
            return;
        }
        String verb = op == Atomics.GET ? "r" : op == Atomics.SET ? "w" : "rmw";
        if (found.object == null) {
            Access.beforeStatic(t, found.name, verb, at);
        } else if (found.field == null) {
            Access.beforeElement(found.object, found.index, verb, at);
        } else {
            Access.beforePart(t, found.object, found.name, verb, at);
        }
        // Others may have been here meanwhile; from here on nobody is until the call is over.
        target = found;
        old = found.value();
    }

    /** The operands of the call, null where there is none. */
    public static void after(Object first, Object second, int op, int order, long at) {
        HandleTarget found = target;
        ThreadState t = found == null ? null : Scheduler.current();
        target = null;
        if (t == null) {
            return;
        }
        Object before = old;
        old = null;
        Object after = found.value();
        int operands = op == Atomics.GET ? 0 : op == Atomics.COMPARE_AND_SET ? 2 : 1;
        Class<?> type = found.type();
        String descriptor = type.isPrimitive() ? Type.getDescriptor(type) : "Ljava/lang/Object;";
        if (!type.isPrimitive()) {
            Object[] given = operands == 0 ? new Object[0]
                    : operands == 1 ? new Object[] {first} : new Object[] {first, second};
            Atomics.recordReference(t, found.object, found.name, descriptor, op, order, at, before, after, given);
        } else if (type == float.class || type == double.class) {
            Definitions.note("accesses to floating-point numbers by a handle");
        } else {
            long[] given = operands == 0 ? new long[0]
                    : operands == 1 ? new long[] {number(first)} : new long[] {number(first), number(second)};
            Atomics.record(t, found.object, found.name, descriptor, op, order, at, number(before), number(after), given);
        }
    }

    private static long number(Object box) {
        if (box instanceof Boolean) {
            return (Boolean) box ? 1 : 0;
        }
        return box instanceof Character ? (Character) box : ((Number) box).longValue();
    }

    public static Object box(long value) {
        return value;
    }

    public static Object box(float value) {
        return value;
    }

    public static Object box(double value) {
        return value;
    }
}
