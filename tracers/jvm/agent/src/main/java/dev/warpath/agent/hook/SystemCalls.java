package dev.warpath.agent.hook;

import dev.warpath.agent.model.Inputs;
import dev.warpath.agent.model.SymbolicText;
import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;

/** Copies of arrays and standard input, where instrumented code asks for them. */
public final class SystemCalls {
    private SystemCalls() {}

    /** Bytes of standard input are wanted as inputs. */
    public static void watchStdin() throws ReflectiveOperationException {
        Stdin.install();
    }

    /** {@code System.getenv(name)}: characters of a variable may be inputs. */
    public static String getenv(String name, long at) {
        return SymbolicText.variable(name, System.getenv(name));
    }

    private static boolean isWanted(ThreadState t, InputStream in) {
        return t != null && in == System.in && in instanceof Stdin && ((Stdin) in).isWanted();
    }

    /** {@code InputStream.read()}: the first bytes of standard input may be inputs. */
    public static int read(InputStream in, long at) throws IOException {
        ThreadState t = Scheduler.current();
        if (!isWanted(t, in)) {
            return in.read();
        }
        int found = ((Stdin) in).next();
        if (found < 0) {
            return found;
        }
        return (int) Inputs.take("stdin", 8, (byte) found) & 0xff;
    }

    public static int read(InputStream in, byte[] into, long at) throws IOException {
        return read(in, into, 0, into.length, at);
    }

    /** Likewise into an array: each byte is an input that is stored there. */
    public static int read(InputStream in, byte[] into, int from, int length, long at) throws IOException {
        ThreadState t = Scheduler.current();
        if (!isWanted(t, in)) {
            return in.read(into, from, length);
        }
        int count = ((Stdin) in).next(into, from, length);
        long left = Inputs.symbolicStdin() - Inputs.taken("stdin");
        for (int n = 0; n < Math.min(count, left); n++) {
            into[from + n] = (byte) Inputs.take("stdin", 8, into[from + n]);
            record(t, Tag.ASTORE, into, from + n, into[from + n], at);
        }
        return count;
    }

    /** {@code BufferedReader.readLine()}: of standard input, too. */
    public static String readLine(BufferedReader reader, long at) throws IOException {
        ThreadState t = Scheduler.current();
        Stdin stdin = t == null ? null : Stdin.behind(reader);
        return stdin == null ? reader.readLine() : stdin.line(t, reader);
    }

    /** {@code System.arraycopy}, element by element, so that each access is known. */
    public static void arraycopy(Object from, int fromIndex, Object to, int toIndex, int length, long at) {
        ThreadState t = Scheduler.current();
        if (t == null || !isPlain(from, fromIndex, to, toIndex, length)) {
            // Where the copy fails it fails as ever; what it did before that is not recorded.
            System.arraycopy(from, fromIndex, to, toIndex, length);
            return;
        }
        Stream.end(Stream.u(Stream.start(), Place.pc(at)), Tag.ARRAYCOPY);
        boolean backwards = from == to && fromIndex < toIndex;
        for (int n = 0; n < length; n++) {
            int i = backwards ? length - 1 - n : n;
            Access.beforeElement(from, fromIndex + i, "r", at);
            Object value = Array.get(from, fromIndex + i);
            record(t, Tag.ALOAD, from, fromIndex + i, value, at);
            Access.beforeElement(to, toIndex + i, "w", at);
            Array.set(to, toIndex + i, value);
            record(t, Tag.ASTORE, to, toIndex + i, value, at);
        }
    }

    private static boolean isPlain(Object from, int fromIndex, Object to, int toIndex, int length) {
        if (from == null || to == null || !from.getClass().isArray() || !to.getClass().isArray()) {
            return false;
        }
        Class<?> source = from.getClass().getComponentType();
        Class<?> target = to.getClass().getComponentType();
        boolean storable = source == target || !source.isPrimitive() && target.isAssignableFrom(source);
        return storable && fromIndex >= 0 && toIndex >= 0 && length >= 0
                && (long) fromIndex + length <= Array.getLength(from) && (long) toIndex + length <= Array.getLength(to);
    }

    private static void record(ThreadState t, int tag, Object array, int index, Object value, long at) {
        boolean primitive = array.getClass().getComponentType().isPrimitive();
        int holder = Objects.ref(t, array);
        int ref = primitive ? 0 : Objects.ref(t, value);
        int p = Stream.u(Stream.start(), Place.pc(at));
        p = Stream.s(Stream.u(p, holder), index);
        if (!primitive) {
            p = Stream.u(p, ref);
        } else if (value instanceof Float) {
            p = Stream.f(p, (Float) value);
        } else if (value instanceof Double) {
            p = Stream.d(p, (Double) value);
        } else if (value instanceof Boolean) {
            p = Stream.s(p, (Boolean) value ? 1 : 0);
        } else if (value instanceof Character) {
            p = Stream.s(p, (Character) value);
        } else {
            p = Stream.s(p, ((Number) value).longValue());
        }
        if (Stream.end(p, Access.tag(t, tag, at))) {
            Scheduler.more(t);
        }
    }
}
