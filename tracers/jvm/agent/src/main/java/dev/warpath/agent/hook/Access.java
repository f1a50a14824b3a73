package dev.warpath.agent.hook;

import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.schedule.AccessAction;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/**
 * Accesses to fields and arrays, as instrumented code reports them: a call before the access, which waits for the turn if
 * the location is shared, and one behind it, which records it. One method for each type, so that nothing is boxed.
 *
 * <p>{@code at} is a {@link dev.warpath.agent.schedule.Place}.
 */
public final class Access {
    private Access() {}

    public static void beforeGet(Object object, String field, long at) {
        before(object, field, "r", at);
    }

    public static void beforePut(Object object, String field, long at) {
        before(object, field, "w", at);
    }

    private static void before(Object object, String field, String verb, long at) {
        ThreadState t = Scheduler.current();
        if (t == null || object == null) {
            return;
        }
        beforePart(t, object, field, verb, at);
    }

    /** A write to a field that is not volatile: it may be buffered. {@code declaring} is the class of the field. */
    public static void beforePlainPut(Object object, String field, String declaring, char kind, long at) {
        ThreadState t = Scheduler.current();
        if (t == null || object == null) {
            return;
        }
        long id = Objects.id(t, object);
        if (id < 0 && Objects.parts(id).hasField(field)) {
            Scheduler.turn(t, t.access.of(object, field, "w", at).buffered());
            t.access.done();
            t.buffer.issue(object, declaring, field, kind);
            buffered(at);
            t.stepAt = at;
        }
    }

    /** Likewise, of a static field that is shared. */
    public static void beforePlainPutStatic(Class<?> owner, String field, String location, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            Scheduler.turn(t, t.access.of(null, location, "w", at).buffered());
            t.access.done();
            t.stepAt = at;
            t.buffer.issueStatic(owner, field, location);
            buffered(at);
        }
    }

    /** Says that the write that comes next waits in the buffer. */
    private static void buffered(long at) {
        Stream.end(Stream.u(Stream.start(), at & 0xffff), Tag.BUFFERED);
    }

    /** Waits for the turn to access a shared location. */
    static void step(ThreadState t, Object object, String field, String verb, long at) {
        Scheduler.turn(t, t.access.of(object, field, verb, at));
        t.access.done();
        t.stepAt = at;
    }

    /** Waits for the turn if this part of the object is shared. The name is interned. */
    public static void beforePart(ThreadState t, Object object, String field, String verb, long at) {
        long id = Objects.id(t, object);
        if (id < 0 && Objects.parts(id).hasField(field)) {
            step(t, object, field, verb, at);
        }
    }

    /** An object that the JDK made when a class of its own was initialised. */
    public static void foundStatic(Object object, String field) {
        ThreadState t = object == null ? null : Scheduler.current();
        if (t != null) {
            Objects.foundStatic(object, field);
        }
    }

    /** Only where the field is shared. */
    public static void beforeGetStatic(String location, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            step(t, null, location, "r", at);
        }
    }

    /** Only where the field is shared. */
    public static void beforePutStatic(String location, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            step(t, null, location, "w", at);
        }
    }

    public static void beforeLoad(Object array, int index, long at) {
        beforeElement(array, index, "r", at);
    }

    public static void beforeStore(Object array, int index, long at) {
        beforeElement(array, index, "w", at);
    }

    /** A static field, by a handle: named with its class. */
    public static void beforeStatic(ThreadState t, String location, String verb, long at) {
        if (Objects.isSharedStatic(location)) {
            step(t, null, location, verb, at);
        }
    }

    public static void beforeElement(Object array, int index, String verb, long at) {
        ThreadState t = Scheduler.current();
        if (t == null || array == null) {
            return;
        }
        long id = Objects.id(t, array);
        if (id < 0 && Objects.parts(id).hasElement(index)) {
            boolean buffered = StoreBuffer.isUsed() && verb == "w";
            AccessAction action = t.access.of(array, index, verb, at);
            Scheduler.turn(t, buffered ? action.buffered() : action);
            t.access.done();
            if (buffered && t.buffer.issue(array, index)) {
                buffered(at);
            }
            t.stepAt = at;
        }
    }

    /** The tag, with the mark of a step if the thread has the turn for this access. */
    public static int tag(ThreadState t, int tag, long at) {
        if (t.stepAt != at) {
            return tag;
        }
        t.stepAt = -1;
        return tag | Tag.STEP;
    }

    public static void getField(Object object, int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.GETFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getField(Object object, long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.GETFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getField(Object object, float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.GETFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getField(Object object, double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.GETFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getField(Object object, Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.GETFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putField(Object object, int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.PUTFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putField(Object object, long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.PUTFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putField(Object object, float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.PUTFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putField(Object object, double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.PUTFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putField(Object object, Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, object);
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.PUTFIELD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getStatic(int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.GETSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getStatic(long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.GETSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getStatic(float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.GETSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getStatic(double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.GETSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void getStatic(Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.GETSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putStatic(int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.PUTSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putStatic(long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.PUTSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putStatic(float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.PUTSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putStatic(double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.PUTSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void putStatic(Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.PUTSTATIC, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void load(Object array, int index, int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.ALOAD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void load(Object array, int index, long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.ALOAD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void load(Object array, int index, float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.ALOAD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void load(Object array, int index, double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.ALOAD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void load(Object array, int index, Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.ALOAD, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void store(Object array, int index, int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.ASTORE, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void store(Object array, int index, long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.s(p, value);
            if (Stream.end(p, tag(t, Tag.ASTORE, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void store(Object array, int index, float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.f(p, value);
            if (Stream.end(p, tag(t, Tag.ASTORE, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void store(Object array, int index, double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.d(p, value);
            if (Stream.end(p, tag(t, Tag.ASTORE, at))) {
                Scheduler.more(t);
            }
        }
    }

    public static void store(Object array, int index, Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int holder = Objects.ref(t, array);
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, holder);
            p = Stream.s(p, index);
            p = Stream.u(p, ref);
            if (Stream.end(p, tag(t, Tag.ASTORE, at))) {
                Scheduler.more(t);
            }
        }
    }
}
