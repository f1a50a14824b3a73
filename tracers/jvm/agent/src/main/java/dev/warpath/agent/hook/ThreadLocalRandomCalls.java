package dev.warpath.agent.hook;

import dev.warpath.agent.schedule.ThreadState;
import java.util.concurrent.ThreadLocalRandom;

/** What {@link ThreadLocalRandom} has besides what every generator has. */
public final class ThreadLocalRandomCalls {
    private ThreadLocalRandomCalls() {}

    public static int nextInt(ThreadLocalRandom random, int from, int to, long at) {
        ThreadState t = from >= to || to - from <= 0 ? null : RandomCalls.forWhom(random);
        if (t == null) {
            return random.nextInt(from, to);
        }
        int drawn = (int) RandomCalls.take(32, (int) RandomCalls.drawn(t, random));
        return from + Integer.remainderUnsigned(drawn, to - from);
    }
}
