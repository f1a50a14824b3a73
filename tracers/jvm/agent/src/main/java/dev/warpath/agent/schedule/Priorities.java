package dev.warpath.agent.schedule;

/** Random priorities with few changes: probabilistic concurrency testing (Burckhardt and others, ASPLOS 2010). */
final class Priorities {
    private long[] of = new long[16];
    private boolean[] drawn = new boolean[16];
    private final long[] changes;
    private long step;

    Priorities(XorShift random, long depth, long steps) {
        changes = new long[(int) Math.min(Math.max(depth - 1, 0), 1 << 16)];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = Long.remainderUnsigned(random.next(), Math.max(steps, 1));
        }
    }

    int choose(XorShift random, Choices choices) {
        for (int i = 0; i < choices.count; i++) {
            if (choices.isAble(i)) {
                // Drawn for each, used for new ones: they come in anywhere above the priorities that changes give.
                long priority = random.next() % (1L << 32) + 0xffff_ffffL;
                int thread = choices.thread[i];
                if (thread >= of.length) {
                    of = java.util.Arrays.copyOf(of, thread * 2);
                    drawn = java.util.Arrays.copyOf(drawn, thread * 2);
                }
                if (!drawn[thread]) {
                    drawn[thread] = true;
                    of[thread] = priority;
                }
            }
        }
        int chosen = best(choices);
        long now = step++;
        for (int n = 0; n < changes.length; n++) {
            if (changes[n] == now) {
                of[chosen] = n;
                return best(choices);
            }
        }
        return chosen;
    }

    private int best(Choices choices) {
        int best = -1;
        boolean eager = false;
        for (int i = 0; i < choices.count; i++) {
            if (!choices.isAble(i)) {
                continue;
            }
            boolean isEager = !choices.yielded[i];
            boolean better = best < 0 || isEager && !eager
                    || isEager == eager && of[choices.thread[i]] >= of[best];
            if (better) {
                best = choices.thread[i];
                eager = isEager;
            }
        }
        return best;
    }
}
