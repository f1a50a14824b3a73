package dev.warpath.agent.schedule;

import dev.warpath.agent.stream.Definitions;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;

/** The ways in which a run ends before the program does, and the program's own end. */
public final class End {
    private static final int DEADLOCKED = 121;
    private static final int STOPPED = 122;

    private End() {}

    /** Ends the JVM, with the reason in the stream. */
    public static void stop(String why, String text) {
        Definitions.write();
        int reason = Stream.string(why);
        int words = Stream.string(text);
        Stream.end(Stream.u(Stream.u(Stream.start(), reason), words), Tag.STOP);
        halt(STOPPED);
    }

    /** Nobody can ever go on. */
    static void deadlock() {
        StringBuilder text = new StringBuilder();
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState t = ThreadState.numbered(n);
            if (!t.hasEnded() && t.action != null) {
                text.append(text.length() == 0 ? "" : "; ").append(t.key).append(' ').append(t.action.obstacle());
            }
        }
        for (int n = 1; n <= ThreadState.count(); n++) {
            ThreadState t = ThreadState.numbered(n);
            if (!t.hasEnded() && t.action != null) {
                Scheduler.writeSwitch(t);
                t.action.recordPending(t);
            }
        }
        Definitions.write();
        int words = Stream.string(text.toString());
        Stream.end(Stream.u(Stream.start(), words), Tag.DEADLOCK);
        halt(DEADLOCKED);
    }

    /** The program has ended by itself. */
    public static void exited(int status) {
        if (Stream.isClosed()) {
            return;
        }
        boolean mayWrite = Scheduler.silence();
        synchronized (Scheduler.LOCK) {
            if (mayWrite && !Stream.isClosed()) {
                Definitions.write();
                Stream.end(Stream.s(Stream.start(), status), Tag.EXITED);
            }
            Stream.close();
        }
    }

    private static void halt(int status) {
        Stream.close();
        System.out.flush();
        Runtime.getRuntime().halt(status);
    }
}
