package dev.warpath.agent.schedule;

import dev.warpath.agent.plan.Plan;

/** A policy at work: who goes on when no schedule says. The same rules as the native tracer's. */
final class Chooser {
    /** Steps in a row after which even run-to-block lets another thread go: who spins would spin for ever. */
    private static final long PATIENCE = 20_000;

    private final Plan.PolicyKind policy;
    private final XorShift random;
    private final Priorities priorities;
    private int last;
    private long streak;

    Chooser(Plan plan) {
        policy = plan.policy;
        random = new XorShift(plan.seed);
        priorities = new Priorities(random, plan.depth, plan.expectedSteps);
    }

    /** This thread had the last turn. */
    void goOnWith(int thread) {
        last = thread;
        streak = 0;
    }

    /** Would run-to-block surely let this thread make one more step? Then nothing else need be looked at. */
    boolean surelyGoesOn(int thread) {
        if (policy == Plan.PolicyKind.RUN_TO_BLOCK && thread == last && streak < PATIENCE) {
            streak++;
            return true;
        }
        return false;
    }

    /** Position of the thread that goes on, or -1 if nobody can. */
    int choose(Choices choices) {
        int chosen = pick(choices);
        if (chosen >= 0) {
            streak = chosen == last ? streak + 1 : 0;
            last = chosen;
        }
        return chosen;
    }

    private int pick(Choices choices) {
        int able = 0;
        for (int i = 0; i < choices.count; i++) {
            able += choices.isAble(i) ? 1 : 0;
        }
        if (able > 0) {
            return policy == Plan.PolicyKind.RANDOM ? nthAble(choices, random.below(able)) : prefer(choices);
        }
        // Nobody can go on: the first deadline passes.
        int first = -1;
        for (int i = 0; i < choices.count; i++) {
            if (choices.ability[i] != Choices.NO && (first < 0 || choices.ability[i] < choices.ability[first])) {
                first = i;
            }
        }
        return first < 0 ? -1 : choices.thread[first];
    }

    private static int nthAble(Choices choices, int n) {
        int left = n;
        for (int i = 0; i < choices.count; i++) {
            if (choices.isAble(i) && left-- == 0) {
                return choices.thread[i];
            }
        }
        throw new IllegalStateException("fewer threads can go on than were counted");
    }

    private int prefer(Choices choices) {
        if (policy == Plan.PolicyKind.PCT) {
            return priorities.choose(random, choices);
        }
        if (policy == Plan.PolicyKind.RUN_TO_BLOCK) {
            int eager = after(choices, true, true);
            if (streak < PATIENCE && isEager(choices, last)) {
                return last;
            }
            if (eager >= 0) {
                return eager;
            }
        }
        return after(choices, false, false);
    }

    private static boolean isEager(Choices choices, int thread) {
        for (int i = 0; i < choices.count; i++) {
            if (choices.thread[i] == thread) {
                return choices.isAble(i) && !choices.yielded[i];
            }
        }
        return false;
    }

    /** The next able thread behind the last one, all round. */
    private int after(Choices choices, boolean eagerOnly, boolean othersOnly) {
        int first = -1;
        for (int i = 0; i < choices.count; i++) {
            int thread = choices.thread[i];
            if (!choices.isAble(i) || eagerOnly && choices.yielded[i] || othersOnly && thread == last) {
                continue;
            }
            if (thread > last) {
                return thread;
            }
            first = first < 0 ? thread : first;
        }
        return first;
    }
}
