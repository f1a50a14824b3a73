package dev.warpath.agent.model;

import dev.warpath.agent.schedule.ThreadState;

/**
 * Who waits for a notification.
 *
 * <p>Which waiter a notification reaches is open until one of them goes on: any that waited when it was given may take it.
 * The JVM promises no order either, and a schedule can then choose.
 */
final class WaitSet {
    private ThreadState[] waiters = new ThreadState[4];
    /** When each began to wait, in notifications and waits so far. */
    private long[] since = new long[4];
    private int count;
    /** When each notification that nobody has taken yet was given. */
    private long[] given = new long[4];
    private int notifications;
    private long now;

    boolean isEmpty() {
        return count == 0;
    }

    void add(ThreadState t) {
        if (count == waiters.length) {
            waiters = java.util.Arrays.copyOf(waiters, count * 2);
            since = java.util.Arrays.copyOf(since, count * 2);
        }
        waiters[count] = t;
        since[count++] = now++;
    }

    /** Wakes one waiter, or all; how many it reaches. */
    int notify(boolean all) {
        int reached = all ? count - notifications : Math.min(1, count - notifications);
        for (int i = 0; i < reached; i++) {
            if (notifications == given.length) {
                given = java.util.Arrays.copyOf(given, notifications * 2);
            }
            given[notifications++] = now;
        }
        now++;
        return reached;
    }

    /** Is there a notification that this waiter may take? */
    boolean isNotified(ThreadState t) {
        return notification(t) >= 0;
    }

    private int notification(ThreadState t) {
        int waiter = position(t);
        for (int i = 0; waiter >= 0 && i < notifications; i++) {
            if (given[i] > since[waiter]) {
                return i;
            }
        }
        return -1;
    }

    /** The thread goes on: by a notification if there is one for it and {@code take} says so. */
    boolean remove(ThreadState t, boolean take) {
        int notification = take ? notification(t) : -1;
        if (notification >= 0) {
            System.arraycopy(given, notification + 1, given, notification, --notifications - notification);
        }
        int waiter = position(t);
        System.arraycopy(waiters, waiter + 1, waiters, waiter, count - waiter - 1);
        System.arraycopy(since, waiter + 1, since, waiter, count - waiter - 1);
        waiters[--count] = null;
        // A notification that nobody is left to take reaches nobody.
        for (int i = notifications - 1; i >= 0; i--) {
            boolean takeable = false;
            for (int w = 0; w < count; w++) {
                takeable |= given[i] > since[w];
            }
            if (!takeable) {
                System.arraycopy(given, i + 1, given, i, --notifications - i);
            }
        }
        return notification >= 0;
    }

    private int position(ThreadState t) {
        for (int i = 0; i < count; i++) {
            if (waiters[i] == t) {
                return i;
            }
        }
        return -1;
    }
}
