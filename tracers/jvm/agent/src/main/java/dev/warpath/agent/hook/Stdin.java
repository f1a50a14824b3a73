package dev.warpath.agent.hook;

import dev.warpath.agent.model.Inputs;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Definitions;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.io.BufferedReader;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.reflect.Field;
import java.util.Arrays;

/**
 * Standard input of which bytes are wanted as inputs. Whoever reads it gets the values of the plan; where instrumented
 * code reads bytes or lines they are inputs; who reads it otherwise is noted.
 */
final class Stdin extends FilterInputStream {
    private static boolean installed;
    private static Field readerIn;
    private static Field readerLock;

    /** What was handed out so far; only as long as inputs are among it. */
    private byte[] served = new byte[256];
    private int count;
    /** How much of it instrumented code has got. */
    private int consumed;
    private boolean followed;
    private boolean lost;

    private Stdin(InputStream in) {
        super(in);
    }

    static synchronized void install() throws ReflectiveOperationException {
        if (!installed) {
            installed = true;
            readerIn = BufferedReader.class.getDeclaredField("in");
            readerIn.setAccessible(true);
            readerLock = Reader.class.getDeclaredField("lock");
            readerLock.setAccessible(true);
            System.setIn(new Stdin(System.in));
        }
    }

    /** Standard input, if this reads it, by itself and a decoder only; else null. */
    static Stdin behind(BufferedReader reader) {
        if (!(System.in instanceof Stdin) || reader.getClass() != BufferedReader.class) {
            return null;
        }
        try {
            Object decoder = readerIn.get(reader);
            boolean plain = decoder != null && decoder.getClass() == InputStreamReader.class;
            return plain && readerLock.get(decoder) == System.in ? (Stdin) System.in : null;
        } catch (IllegalAccessException impossible) {
            return null;
        }
    }

    /** Can bytes still be inputs? */
    boolean isWanted() {
        return !lost && consumed < Inputs.symbolicStdin();
    }

    /** Instrumented code reads a byte. */
    synchronized int next() throws IOException {
        followed = true;
        try {
            int found = read();
            consumed += found < 0 ? 0 : 1;
            return found;
        } finally {
            followed = false;
        }
    }

    /** Instrumented code reads what is there. */
    synchronized int next(byte[] into, int from, int length) throws IOException {
        followed = true;
        try {
            int got = read(into, from, length);
            consumed += Math.max(got, 0);
            return got;
        } finally {
            followed = false;
        }
    }

    /** Instrumented code reads a line. */
    synchronized String line(ThreadState t, BufferedReader reader) throws IOException {
        String line;
        followed = true;
        try {
            line = reader.readLine();
        } finally {
            followed = false;
        }
        if (line == null || !isWanted()) {
            return line;
        }
        int first = consumed;
        int end = first + line.length();
        boolean ends = end < count && served[end] == '\n';
        if (end > count || end < count && !ends || !isServed(line, first)) {
            lose();
            return line;
        }
        consumed = end + (ends ? 1 : 0);
        Inputs.passOver("stdin", consumed - first);
        int inputs = Math.min(consumed, Inputs.symbolicStdin()) - first;
        int object = Objects.ref(t, line);
        int p = Stream.u(Stream.u(Stream.start(), object), first);
        Stream.end(Stream.u(p, inputs), Tag.LINE);
        return line;
    }

    /** Is the line what was handed out, a byte for each character? */
    private boolean isServed(String line, int first) {
        for (int n = 0; n < line.length(); n++) {
            if (served[first + n] < 0 || served[first + n] != line.charAt(n)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 1 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        if (!followed && Scheduler.ifHolder() != null && !lost) {
            lose();
        }
        int got = super.read(into, from, length);
        for (int n = 0; n < got; n++) {
            if (count < Inputs.symbolicStdin()) {
                into[from + n] = (byte) Inputs.given("stdin", count, 8, into[from + n]);
            }
            if (!lost) {
                if (count == served.length) {
                    served = Arrays.copyOf(served, count * 2);
                }
                served[count] = into[from + n];
            }
            count++;
        }
        return got;
    }

    private void lose() {
        lost = true;
        Definitions.note("reads of standard input that are not followed: they are no inputs");
    }
}
