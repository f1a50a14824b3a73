package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Access;
import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** ATOMIC records: accesses to the value of an atomic object, which are steps where it is shared. */
final class Atomics {
    static final String VALUE = "value";
    static final int GET = 0;
    static final int SET = 1;
    static final int GET_AND_SET = 2;
    static final int COMPARE_AND_SET = 3;
    static final int ADD = 4;
    static final int UPDATE = 8;
    private static final int VOLATILE = 4;

    private Atomics() {}

    /** Waits for the turn if the value is shared. Null if nothing is recorded. */
    static ThreadState before(Object object, String field, String verb, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            Access.beforePart(t, object, field, verb, at);
        }
        return t;
    }

    /** An operation on a reference that may be a step of its own, with its record. */
    static void access(Object object, String field, Change change, long at) {
        ThreadState t = Scheduler.current();
        recordReference(t, object, field, "Ljava/lang/Object;", change.op, VOLATILE, at, change.before, change.after,
                change.operands);
    }

    /** What an operation did to a reference. */
    static final class Change {
        final int op;
        final Object before;
        final Object after;
        final Object[] operands;

        Change(int op, Object before, Object after, Object... operands) {
            this.op = op;
            this.before = before;
            this.after = after;
            this.operands = operands;
        }
    }

    /** The name of an element of an atomic array. */
    static String element(int length, int index) {
        return ("[" + java.util.Objects.checkIndex(index, length) + ']').intern();
    }

    private static int start(long at, int holder, int name, int type, int op, int order) {
        int p = Stream.u(Stream.start(), Place.pc(at));
        p = Stream.u(p, holder);
        p = Stream.u(p, name);
        p = Stream.u(p, type);
        return Stream.u(Stream.u(p, op), order);
    }

    private static void end(ThreadState t, int p, long at) {
        if (Stream.end(p, Access.tag(t, Tag.ATOMIC, at))) {
            Scheduler.more(t);
        }
    }

    /** The value is a number; {@code operands} are what the operation was given. */
    static void record(ThreadState t, Object object, String field, String type, int op, int order, long at, long before,
            long after, long... operands) {
        if (t == null) {
            return;
        }
        int holder = Objects.ref(t, object);
        int name = Stream.string(field);
        int p = start(at, holder, name, Stream.string(type), op, order);
        for (long operand : operands) {
            p = Stream.s(p, operand);
        }
        end(t, Stream.s(Stream.s(p, before), after), at);
    }

    static void recordFlag(ThreadState t, Object object, String field, String type, int op, int order, long at,
            boolean before, boolean after, boolean... operands) {
        long[] numbers = new long[operands.length];
        for (int i = 0; i < operands.length; i++) {
            numbers[i] = operands[i] ? 1 : 0;
        }
        record(t, object, field, type, op, order, at, before ? 1L : 0L, after ? 1L : 0L, numbers);
    }

    /** The value is a reference. */
    static void recordReference(ThreadState t, Object object, String field, String type, int op, int order, long at,
            Object before, Object after, Object... operands) {
        if (t == null) {
            return;
        }
        int holder = Objects.ref(t, object);
        int name = Stream.string(field);
        int typeName = Stream.string(type);
        int[] refs = new int[operands.length];
        for (int i = 0; i < operands.length; i++) {
            refs[i] = Objects.ref(t, operands[i]);
        }
        int old = Objects.ref(t, before);
        int now = Objects.ref(t, after);
        int p = start(at, holder, name, typeName, op, order);
        for (int ref : refs) {
            p = Stream.u(p, ref);
        }
        end(t, Stream.u(Stream.u(p, old), now), at);
    }
}
