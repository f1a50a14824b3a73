package dev.warpath.agent.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The stream, through a window of it that is mapped.
 *
 * <p>Only the thread whose turn it is writes, so nothing here is synchronised. A record is written behind the place of its
 * tag, and the tag last: {@code p = start(); p = u(p, …); end(p, tag)}. A record that an exception cut short (a stack
 * overflow, say) is written over by the next. Whoever counts what is in the stream does so right behind {@link #end},
 * without a call in between, which the end of the stack could forbid.
 */
public final class Stream {
    private static final int WINDOW = 32 << 20;
    /** No record but a definition is longer. */
    private static final int MARGIN = 8192;
    /** A stream that grows beyond this is cut there: the program may be in an endless loop. */
    private static final long LONGEST = 16L << 30;

    private static FileChannel file;
    private static MappedByteBuffer buffer;
    /** Where in the file the window begins. */
    private static long base;
    /** End of what is complete, in the window. */
    private static int position;
    /** Behind it something has to be done: the window is used up, or the thread has run for long. */
    private static int limit;
    private static int fuelLimit;
    private static final StringNumbers strings = new StringNumbers();
    private static boolean closed;

    private Stream() {}

    /** Begins {@code folder/stream}. */
    public static void open(Path folder) throws IOException {
        file = FileChannel.open(folder.resolve("stream"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        map(0, WINDOW);
        byte[] magic = "WPJVM1\n\0".getBytes(StandardCharsets.US_ASCII);
        for (byte b : magic) {
            buffer.put(position++, b);
        }
        refuel(Integer.MAX_VALUE);
    }

    private static void map(long from, int size) throws IOException {
        buffer = file.map(FileChannel.MapMode.READ_WRITE, from, size);
        base = from;
        position = 0;
        fuelLimit = Integer.MAX_VALUE;
    }

    /** Where the fields of the next record begin. */
    public static int start() {
        return position + 1;
    }

    /** Completes a record whose fields end at {@code p}; true if {@link #isTired} should be asked. */
    public static boolean end(int p, int tag) {
        if (closed) {
            return false;
        }
        // The tag makes the record exist, so it must not overtake the rest.
        VarHandle.releaseFence();
        buffer.put(position, (byte) tag);
        position = p;
        return p >= limit;
    }

    /** Makes room; true if the thread has used up what {@link #refuel} gave it. */
    public static boolean isTired() {
        boolean tired = position >= fuelLimit;
        reserve(MARGIN);
        if (tired) {
            fuelLimit = Integer.MAX_VALUE;
        }
        limit = Math.min(buffer.capacity() - 2 * MARGIN, fuelLimit);
        return tired;
    }

    /** Lets the thread write so many bytes before {@link #isTired} is true. */
    public static void refuel(int bytes) {
        fuelLimit = bytes > buffer.capacity() - position ? Integer.MAX_VALUE : position + bytes;
        limit = Math.min(buffer.capacity() - 2 * MARGIN, fuelLimit);
    }

    public static boolean isTooLong() {
        return base + position > LONGEST;
    }

    /** How much was written: whether it has grown tells whether somebody is at work. */
    public static long length() {
        return base + position;
    }

    private static void reserve(int bytes) {
        if (buffer.capacity() - position >= bytes + MARGIN) {
            return;
        }
        try {
            long from = base + position;
            map(from, Math.max(WINDOW, bytes + 2 * MARGIN));
            limit = buffer.capacity() - 2 * MARGIN;
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** Nothing is written from here on. */
    public static void close() {
        closed = true;
    }

    public static boolean isClosed() {
        return closed;
    }

    public static int u(int p, long value) {
        long rest = value;
        int at = p;
        while ((rest & ~0x7fL) != 0) {
            buffer.put(at++, (byte) (rest | 0x80));
            rest >>>= 7;
        }
        buffer.put(at, (byte) rest);
        return at + 1;
    }

    public static int s(int p, long value) {
        return u(p, value << 1 ^ value >> 63);
    }

    public static int f(int p, float value) {
        int bits = Float.floatToRawIntBits(value);
        for (int i = 0; i < 4; i++) {
            buffer.put(p + i, (byte) (bits >>> 8 * i));
        }
        return p + 4;
    }

    public static int d(int p, double value) {
        long bits = Double.doubleToRawLongBits(value);
        for (int i = 0; i < 8; i++) {
            buffer.put(p + i, (byte) (bits >>> 8 * i));
        }
        return p + 8;
    }

    private static int bytes(int p, byte[] bytes) {
        int at = u(p, bytes.length);
        for (byte b : bytes) {
            buffer.put(at++, b);
        }
        return at;
    }

    /** The fields of an unfinished record that ends at {@code p}, so that a definition can be put before it. */
    public static byte[] lift(int p) {
        byte[] fields = new byte[p - position - 1];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = buffer.get(position + 1 + i);
        }
        return fields;
    }

    /** Puts the fields of an unfinished record back. */
    public static int lower(byte[] fields) {
        int p = start();
        for (byte b : fields) {
            buffer.put(p++, b);
        }
        return p;
    }

    /** The number of a string; defines it if it is new. Not within a record. */
    public static int string(String text) {
        if (text == null || text.isEmpty()) {
            return 0;
        }
        int number = strings.get(text);
        if (number == 0) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            reserve(bytes.length);
            int place = strings.place(text);
            end(bytes(start(), bytes), Tag.STRING);
            number = ++strings.count;
            strings.numbers[place] = number;
        }
        return number;
    }

    /** Defines a class. */
    public static void defineClass(String name, byte[] original) {
        int string = string(name);
        reserve(original.length);
        end(bytes(u(start(), string), original), Tag.CLASS);
    }
}
