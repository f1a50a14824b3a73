package dev.warpath.agent.stream;

/**
 * Instrumented classes and their methods.
 *
 * <p>A class may be loaded by any thread, also by one whose turn it is not. So definitions wait here until the thread
 * that writes needs one of them: a method's, when it is entered.
 */
public final class Definitions {
    private static final Object LOCK = new Object();
    private static Definition first;
    private static Definition last;
    private static int classes;
    private static int methods;
    /** Methods up to this number are in the stream. */
    private static int defined;
    private static volatile boolean waiting;

    private Definitions() {}

    private static final class Definition {
        final String name;
        final byte[] original;
        final int classNumber;
        final String descriptor;
        Definition next;

        Definition(String name, byte[] original, int classNumber, String descriptor) {
            this.name = name;
            this.original = original;
            this.classNumber = classNumber;
            this.descriptor = descriptor;
        }
    }

    /** Numbers a class and its methods, given as name, descriptor, name, …; the number of the first method. */
    public static int add(String className, byte[] original, String[] namesAndDescriptors) {
        synchronized (LOCK) {
            append(new Definition(className, original, ++classes, null));
            int before = methods;
            for (int i = 0; i < namesAndDescriptors.length; i += 2) {
                append(new Definition(namesAndDescriptors[i], null, classes, namesAndDescriptors[i + 1]));
                methods++;
            }
            return before + 1;
        }
    }

    /** Something was approximated. */
    public static void note(String what) {
        synchronized (LOCK) {
            append(new Definition(what, null, 0, null));
        }
    }

    private static void append(Definition definition) {
        if (last == null) {
            first = definition;
        } else {
            last.next = definition;
        }
        last = definition;
        waiting = true;
    }

    /** Makes sure that the method is in the stream. */
    public static void need(int method) {
        if (method > defined) {
            write();
        }
    }

    /** Writes what has come up. */
    public static void write() {
        if (!waiting) {
            return;
        }
        synchronized (LOCK) {
            // One after the other is forgotten: if the stack ends in between, none is written twice.
            while (first != null) {
                Definition d = first;
                if (d.original != null) {
                    Stream.defineClass(d.name, d.original);
                } else if (d.descriptor == null) {
                    int text = Stream.string(d.name);
                    Stream.end(Stream.u(Stream.start(), text), Tag.NOTE);
                } else {
                    int name = Stream.string(d.name);
                    int descriptor = Stream.string(d.descriptor);
                    int p = Stream.u(Stream.start(), d.classNumber);
                    Stream.end(Stream.u(Stream.u(p, name), descriptor), Tag.METHOD);
                    defined++;
                }
                first = d.next;
            }
            last = null;
            waiting = false;
        }
    }
}
