package dev.warpath.agent.hook;

import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Definitions;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/**
 * Calls, returns and exceptions, as instrumented code reports them. The record of an entry is put together argument by
 * argument: {@link #enter}, {@link #argument} for each, {@link #entered}.
 */
public final class Flow {
    /** End of the unfinished record of an entry. */
    private static int cursor;
    /** The method that is entered. */
    private static int entering;

    private Flow() {}

    /** A method without arguments. */
    public static void enterBare(int method) {
        enter(method);
        entered();
    }

    public static void enter(int method) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            Definitions.need(method);
            entering = method;
            cursor = Stream.u(Stream.start(), method);
        }
    }

    public static void entered() {
        ThreadState t = Scheduler.ifHolder();
        if (t == null) {
            return;
        }
        t.push(entering);
        boolean tired;
        try {
            tired = Stream.end(cursor, Tag.ENTER);
        } catch (StackOverflowError overflow) {
            // The method was not entered, as far as the stream knows.
            t.depth--;
            throw overflow;
        }
        if (tired) {
            Scheduler.more(t);
        }
    }

    /** The receiver of a constructor, which is no object yet. */
    public static void argumentUninitialised() {
        if (Scheduler.ifHolder() != null) {
            cursor = Stream.u(cursor, 0);
        }
    }

    public static void argument(int value) {
        if (Scheduler.ifHolder() != null) {
            cursor = Stream.s(cursor, value);
        }
    }

    public static void argument(long value) {
        if (Scheduler.ifHolder() != null) {
            cursor = Stream.s(cursor, value);
        }
    }

    public static void argument(float value) {
        if (Scheduler.ifHolder() != null) {
            cursor = Stream.f(cursor, value);
        }
    }

    public static void argument(double value) {
        if (Scheduler.ifHolder() != null) {
            cursor = Stream.d(cursor, value);
        }
    }

    public static void argument(Object value) {
        ThreadState t = Scheduler.ifHolder();
        if (t == null) {
            return;
        }
        if (value != null && Objects.known(value) == 0) {
            // Its definition goes before the record that is being written.
            byte[] fields = Stream.lift(cursor);
            Objects.ref(t, value);
            cursor = Stream.lower(fields);
        }
        cursor = Stream.u(cursor, Objects.ref(t, value));
    }

    public static void exit() {
        ThreadState t = Scheduler.current();
        if (t != null) {
            boolean tired = Stream.end(Stream.start(), Tag.EXIT);
            if (t.depth > 0) {
                t.depth--;
            }
            if (tired) {
                Scheduler.more(t);
            }
        }
    }

    /** An exception comes to the handler of a synchronized method. */
    public static void unwindTo(Throwable exception, int method) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            unwindTo(t, method, Objects.ref(t, exception));
        }
    }

    /** An exception leaves the method. */
    public static void unwind(Throwable exception, int method) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int ref = Objects.ref(t, exception);
            unwindTo(t, method, ref);
            boolean tired = Stream.end(Stream.u(Stream.start(), ref), Tag.UNWIND);
            if (t.depth > 0) {
                t.depth--;
            }
            if (tired) {
                Scheduler.more(t);
            }
        }
    }

    /** Control comes to a handler. */
    public static void caught(Throwable exception, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int ref = Objects.ref(t, exception);
            unwindTo(t, (int) (at >>> 16), ref);
            int p = Stream.u(Stream.start(), at & 0xffff);
            if (Stream.end(Stream.u(p, ref), Tag.CATCH)) {
                Scheduler.more(t);
            }
        }
    }

    /** Constructors that an exception left in their call of {@code super} could not say so; it is said for them here. */
    static void unwindTo(ThreadState t, int method, int exception) {
        while (!t.isIn(method)) {
            Stream.end(Stream.u(Stream.start(), exception), Tag.UNWIND);
            t.depth--;
        }
    }

    /** The initialiser of a class begins. */
    public static void initialise() {
        ThreadState t = Scheduler.current();
        if (t != null) {
            t.suspendStep();
        }
    }

    /** It ends, one way or the other. */
    public static void initialised() {
        ThreadState t = Scheduler.current();
        if (t != null) {
            t.resumeStep();
        }
    }

    /** A call that may leave instrumented code. */
    public static void call(long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            t.site = at;
            t.expected = null;
        }
    }

    public static void allocated(Object object, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            if (Objects.isReported(object)) {
                return;
            }
            int ref = Objects.allocated(t, object);
            int p = Stream.u(Stream.start(), at & 0xffff);
            if (Stream.end(Stream.u(p, ref), Tag.ALLOC)) {
                Scheduler.more(t);
            }
        }
    }

    /** An array of arrays: those in it are the thread's, too. */
    public static void allocatedNested(Object array, long at) {
        allocated(array, at);
        ThreadState t = Scheduler.ifHolder();
        if (t != null) {
            nameInner(t, array);
        }
    }

    private static void nameInner(ThreadState t, Object array) {
        if (array instanceof Object[]) {
            for (Object inner : (Object[]) array) {
                if (inner != null) {
                    Objects.allocated(t, inner);
                    nameInner(t, inner);
                }
            }
        }
    }

    public static void returned(long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }

    public static void returned(int value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }

    public static void returned(long value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.s(p, value);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }

    public static void returned(float value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.f(p, value);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }

    public static void returned(double value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.d(p, value);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }

    public static void returned(Object value, long at) {
        ThreadState t = Scheduler.current();
        if (t != null) {
            int ref = Objects.ref(t, value);
            int p = Stream.u(Stream.start(), at & 0xffff);
            p = Stream.u(p, ref);
            if (Stream.end(p, Tag.RET)) {
                Scheduler.more(t);
            }
        }
    }
}
