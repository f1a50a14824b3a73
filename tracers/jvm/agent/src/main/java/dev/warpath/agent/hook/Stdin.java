package dev.warpath.agent.hook;

import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.stream.Definitions;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Standard input of which bytes are wanted as inputs: who reads it where that is not followed is noted. */
final class Stdin extends FilterInputStream {
    private static boolean installed;
    private boolean followed;
    private boolean noted;

    private Stdin(InputStream in) {
        super(in);
    }

    static synchronized void install() {
        if (!installed) {
            installed = true;
            System.setIn(new Stdin(System.in));
        }
    }

    /** Instrumented code reads a byte. */
    synchronized int next() throws IOException {
        followed = true;
        try {
            return read();
        } finally {
            followed = false;
        }
    }

    /** Instrumented code reads what is there. */
    synchronized int next(byte[] into, int from, int length) throws IOException {
        followed = true;
        try {
            return read(into, from, length);
        } finally {
            followed = false;
        }
    }

    @Override
    public int read() throws IOException {
        doubt();
        return super.read();
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
        doubt();
        return super.read(into, from, length);
    }

    private void doubt() {
        if (!followed && !noted && Scheduler.ifHolder() != null) {
            noted = true;
            Definitions.note("reads of standard input by code that is not instrumented: they are no inputs");
        }
    }
}
