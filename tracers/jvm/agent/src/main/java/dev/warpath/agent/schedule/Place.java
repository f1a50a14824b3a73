package dev.warpath.agent.schedule;

/**
 * Places in the program. Instructions carry theirs as one number, {@code method << 16 | offset}, so that a hook needs a
 * single constant for both.
 */
public final class Place {
    /** Lines of one method. */
    private static final class Lines {
        final String file;
        final String method;
        final int[] offsets;
        final int[] lines;

        Lines(String file, String method, int[] offsets, int[] lines) {
            this.file = file;
            this.method = method;
            this.offsets = offsets;
            this.lines = lines;
        }
    }

    private static volatile Lines[] methods = new Lines[1024];

    private Place() {}

    public static int pc(long at) {
        return (int) at & 0xffff;
    }

    /** Says where the lines of a method begin; the offsets ascend. */
    public static synchronized void describe(int method, String file, String name, int[] offsets, int[] lines) {
        Lines[] known = methods;
        if (method >= known.length) {
            Lines[] longer = new Lines[Math.max(method + 1, known.length * 2)];
            System.arraycopy(known, 0, longer, 0, known.length);
            known = longer;
        }
        known[method] = new Lines(file, name, offsets, lines);
        methods = known;
    }

    /** {@code File.java:LINE}, or {@code Class.method} where there are no lines; null if nothing is known. */
    static String name(long at) {
        int method = (int) (at >>> 16);
        Lines[] known = methods;
        if (method <= 0 || method >= known.length || known[method] == null) {
            return null;
        }
        Lines lines = known[method];
        int line = 0;
        for (int i = 0; i < lines.offsets.length && lines.offsets[i] <= pc(at); i++) {
            line = lines.lines[i];
        }
        return line == 0 || lines.file == null ? lines.method : lines.file + ':' + line;
    }
}
