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
    /** Which of the chosen thread's buffered writes takes effect; -1: none, the thread goes on. */
    private int commit = -1;

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
        commit = -1;
        int chosen = pick(choices);
        if (chosen >= 0 && commit < 0) {
            streak = chosen == last ? streak + 1 : 0;
            last = chosen;
        }
        return chosen;
    }

    /** Of the last choice: which of the thread's writes that could take effect next does so; -1 if the thread goes on. */
    int commit() {
        return commit;
    }

    private int pick(Choices choices) {
        int able = 0;
        int eager = 0;
        int commits = 0;
        for (int i = 0; i < choices.count; i++) {
            able += choices.isAble(i) ? 1 : 0;
            eager += choices.isAble(i) && !choices.yielded[i] ? 1 : 0;
            commits += choices.commits[i];
        }
        if (commits > 0) {
            // By chance, a commit is as good a step as any; else writes take effect at the latest when somebody has to
            // wait for them, or seems to.
            int drawn = policy == Plan.PolicyKind.RANDOM ? random.below(able + commits) - able
                    : eager == 0 || streak >= PATIENCE ? 0 : -1;
            if (drawn >= 0) {
                return nthCommit(choices, drawn);
            }
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

    private int nthCommit(Choices choices, int n) {
        streak = 0;
        commit = n;
        for (int i = 0; i < choices.count; i++) {
            if (commit < choices.commits[i]) {
                return choices.thread[i];
            }
            commit -= choices.commits[i];
        }
        throw new IllegalStateException("fewer writes can take effect than were counted");
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
