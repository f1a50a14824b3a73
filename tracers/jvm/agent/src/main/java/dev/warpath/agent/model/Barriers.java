package dev.warpath.agent.model;

import dev.warpath.agent.schedule.Action;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.IntMap;
import dev.warpath.agent.stream.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeoutException;

/** Cyclic barriers: modelled altogether, since a real one would have its threads block one behind the other. */
public final class Barriers {
    private static final IntMap<Barrier> barriers = new IntMap<>();

    private Barriers() {}

    /** One round of a barrier. */
    private static final class Round {
        int arrived;
        boolean complete;
        boolean broken;
    }

    private static final class Barrier {
        final Runnable command;
        Round round = new Round();

        Barrier(Runnable command) {
            this.command = command;
        }
    }

    /** A barrier has been made, with what its last thread does. */
    public static void create(ThreadState t, CyclicBarrier barrier, Runnable command) {
        barriers.put(Objects.ref(t, barrier), new Barrier(command));
    }

    public static boolean isKnown(ThreadState t, CyclicBarrier barrier) {
        return barriers.get(Objects.ref(t, barrier)) != null;
    }

    public static int waiting(ThreadState t, CyclicBarrier barrier) {
        return barriers.get(Objects.ref(t, barrier)).round.arrived;
    }

    public static boolean isBroken(ThreadState t, CyclicBarrier barrier) {
        return barriers.get(Objects.ref(t, barrier)).round.broken;
    }

    /** Those who wait find the barrier broken; a new round begins. */
    public static void reset(ThreadState t, CyclicBarrier barrier) {
        Barrier model = barriers.get(Objects.ref(t, barrier));
        model.round.broken |= model.round.arrived > 0;
        model.round = new Round();
    }

    /** {@code nanos} negative: waits for ever. How many others had still to come when the thread arrived. */
    public static int await(ThreadState t, CyclicBarrier barrier, long nanos, long at)
            throws InterruptedException, BrokenBarrierException, TimeoutException {
        int ref = Objects.ref(t, barrier);
        Barrier model = barriers.get(ref);
        String name = Objects.name(t, barrier);
        int parties = barrier.getParties();
        Scheduler.turn(t, new Action.Simple("barrier-arrive", name, at));
        Round round = model.round;
        if (round.broken || t.interrupted) {
            Sync.record(t, at, Sync.ARRIVE, Sync.OBJECT, ref, 0, parties, Sync.ERROR);
            if (round.broken) {
                throw new BrokenBarrierException();
            }
            t.interrupted = false;
            round.broken = true;
            throw new InterruptedException();
        }
        Sync.record(t, at, Sync.ARRIVE, Sync.OBJECT, ref, 0, parties, Sync.DONE);
        int left = parties - ++round.arrived;
        if (left == 0) {
            runCommand(model, round);
        }
        Leave leave = new Leave(t, name, ref, parties, round, at);
        leave.deadline = nanos < 0 ? Action.NEVER : Scheduler.clock + nanos;
        Scheduler.turn(t, leave);
        int result = round.complete ? Sync.DONE
                : round.broken ? Sync.ERROR : t.interrupted ? Sync.INTERRUPTED : Sync.TIMED_OUT;
        Sync.record(t, at, Sync.LEAVE, Sync.OBJECT, ref, 0, parties, result);
        switch (result) {
            case Sync.DONE:
                return left;
            case Sync.ERROR:
                throw new BrokenBarrierException();
            case Sync.INTERRUPTED:
                t.interrupted = false;
                round.broken = true;
                throw new InterruptedException();
            default:
                round.broken = true;
                throw new TimeoutException();
        }
    }

    private static void runCommand(Barrier model, Round round) {
        try {
            if (model.command != null) {
                model.command.run();
            }
            round.complete = true;
            model.round = new Round();
        } finally {
            round.broken |= !round.complete;
        }
    }

    private static final class Leave extends Action {
        private final ThreadState t;
        private final String name;
        private final int ref;
        private final int parties;
        private final Round round;

        Leave(ThreadState t, String name, int ref, int parties, Round round, long at) {
            super("barrier-leave", at);
            this.t = t;
            this.name = name;
            this.ref = ref;
            this.parties = parties;
            this.round = round;
        }

        @Override
        public boolean isPossible() {
            return round.complete || round.broken || t.interrupted;
        }

        @Override
        public String location() {
            return name;
        }

        @Override
        public String obstacle() {
            return "waits at barrier `" + name + "`, where not all have arrived";
        }

        @Override
        public void recordPending(ThreadState t) {
            Sync.record(t, at, Sync.LEAVE, Sync.OBJECT, ref, 0, parties, Sync.PENDING);
        }
    }
}
