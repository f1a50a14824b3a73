package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.model.Locks;
import dev.warpath.agent.model.Sync;
import java.util.concurrent.TimeUnit;

/** How long a call waits. */
final class Patience {
    private Patience() {}

    /** At most so long, and until an interrupt. */
    static Locks.Manner timed(long time, TimeUnit unit) {
        return new Locks.Manner(Sync.TIMED, true, nanos(time, unit));
    }

    /** At most about 146 years, so that virtual time does not overflow. */
    static long nanos(long time, TimeUnit unit) {
        return Math.max(0, Math.min(unit.toNanos(time), Long.MAX_VALUE / 2));
    }

    static void throwIfInterrupted(int result) throws InterruptedException {
        if (result == Sync.INTERRUPTED) {
            throw new InterruptedException();
        }
    }
}
