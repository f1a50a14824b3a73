package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.IntMap;
import dev.warpath.agent.stream.Objects;
import java.util.concurrent.locks.Lock;

/** Read/write locks: the model decides, the real lock follows, as with {@link Locks}. */
public final class ReadWriteLocks {
    /** By the numbers of the locks for reading and for writing. */
    private static final IntMap<Part> parts = new IntMap<>();
    private static final IntMap<ReadWrite> locks = new IntMap<>();

    private ReadWriteLocks() {}

    private static final class Part {
        final ReadWrite lock;
        final boolean writes;

        Part(ReadWrite lock, boolean writes) {
            this.lock = lock;
            this.writes = writes;
        }
    }

    private static final class ReadWrite {
        final int ref;
        final String name;
        ThreadState writer;
        int depth;
        /** A reader for each time that it holds the lock. */
        ThreadState[] readers = new ThreadState[4];
        int count;

        ReadWrite(int ref, String name) {
            this.ref = ref;
            this.name = name;
        }

        boolean isFreeFor(ThreadState t, boolean writes) {
            return writer == t || writer == null && (!writes || count == 0);
        }

        void take(ThreadState t, boolean writes) {
            if (writes) {
                writer = t;
                depth++;
                return;
            }
            if (count == readers.length) {
                readers = java.util.Arrays.copyOf(readers, count * 2);
            }
            readers[count++] = t;
        }

        /** False if the thread does not hold it. */
        boolean giveBack(ThreadState t, boolean writes) {
            if (writes) {
                boolean owns = writer == t;
                if (owns && --depth == 0) {
                    writer = null;
                }
                return owns;
            }
            for (int i = 0; i < count; i++) {
                if (readers[i] == t) {
                    readers[i] = readers[--count];
                    readers[count] = null;
                    return true;
                }
            }
            return false;
        }

        String holders() {
            StringBuilder text = new StringBuilder(writer == null ? "" : ", held by " + writer.key);
            for (int i = 0; i < count; i++) {
                text.append(text.length() == 0 ? ", held by " : ", ").append(readers[i].key);
            }
            return text.toString();
        }
    }

    /** The program has asked a read/write lock for one of its parts. */
    public static void part(ThreadState t, Object whole, Object part, boolean writes) {
        int ref = Objects.ref(t, whole);
        ReadWrite lock = locks.get(ref);
        if (lock == null) {
            lock = new ReadWrite(ref, Objects.name(t, whole));
            locks.put(ref, lock);
        }
        parts.put(Objects.ref(t, part), new Part(lock, writes));
    }

    public static boolean isKnown(ThreadState t, Object part) {
        return parts.get(Objects.ref(t, part)) != null;
    }

    /** Takes the lock, or not: the result of the event. */
    public static int lock(ThreadState t, Lock real, Locks.Manner manner, long at) {
        Part part = parts.get(Objects.ref(t, real));
        Take take = new Take(t, part, manner, at);
        Scheduler.turn(t, take);
        int result;
        if (manner.interruptible && t.interrupted) {
            t.interrupted = false;
            result = Sync.INTERRUPTED;
        } else if (part.lock.isFreeFor(t, part.writes)) {
            part.lock.take(t, part.writes);
            result = Sync.DONE;
        } else {
            result = manner.attempt == Sync.TRY ? Sync.BUSY : Sync.TIMED_OUT;
        }
        take.record(t, result);
        if (result == Sync.DONE) {
            real.lock();
        }
        return result;
    }

    private static final class Take extends Action {
        private final ThreadState t;
        private final Part part;
        private final Locks.Manner manner;

        Take(ThreadState t, Part part, Locks.Manner manner, long at) {
            super(part.writes ? "wrlock" : "rdlock", at);
            this.t = t;
            this.part = part;
            this.manner = manner;
            deadline = manner.attempt == Sync.TIMED ? Scheduler.clock + manner.nanos : NEVER;
        }

        @Override
        public boolean isPossible() {
            return manner.attempt == Sync.TRY || part.lock.isFreeFor(t, part.writes)
                    || manner.interruptible && t.interrupted;
        }

        @Override
        public String location() {
            return part.lock.name;
        }

        @Override
        public String obstacle() {
            return "waits for `" + part.lock.name + '`' + part.lock.holders();
        }

        void record(ThreadState t, int result) {
            Sync.record(t, at, part.writes ? Sync.WRITE_LOCK : Sync.READ_LOCK,
                    part.writes ? Sync.WRITE_PART : Sync.READ_PART, part.lock.ref, manner.attempt, 0, result);
        }

        @Override
        public void recordPending(ThreadState t) {
            record(t, Sync.PENDING);
        }
    }

    public static void unlock(ThreadState t, Lock real, long at) {
        Part part = parts.get(Objects.ref(t, real));
        Scheduler.turn(t, new Action.Simple(part.writes ? "wrunlock" : "rdunlock", part.lock.name, at));
        boolean held = part.lock.giveBack(t, part.writes);
        Sync.record(t, at, part.writes ? Sync.WRITE_UNLOCK : Sync.READ_UNLOCK,
                part.writes ? Sync.WRITE_PART : Sync.READ_PART, part.lock.ref, 0, 0, held ? Sync.DONE : Sync.ERROR);
        // The real lock throws what it throws if the thread does not hold it.
        real.unlock();
    }
}
