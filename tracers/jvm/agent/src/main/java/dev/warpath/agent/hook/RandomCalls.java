package dev.warpath.agent.hook;

import dev.warpath.agent.model.Inputs;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/** Random numbers, which may be inputs. Those of {@link ThreadLocalRandom} are the same in every run. */
public final class RandomCalls {
    private static final String NAME = "rand";

    private RandomCalls() {}

    /** The thread, if a number is to be made for it, and not by the generator. */
    static ThreadState forWhom(Random random) {
        ThreadState t = Scheduler.current();
        return t != null && (Inputs.isRandomSymbolic() || random instanceof ThreadLocalRandom) ? t : null;
    }

    static long drawn(ThreadState t, Random random) {
        return random instanceof ThreadLocalRandom ? t.chance.next() << 32 ^ t.chance.next() : random.nextLong();
    }

    static long take(int width, long drawn) {
        return Inputs.isRandomSymbolic() ? Inputs.take(NAME, width, drawn) : drawn;
    }

    public static int nextInt(Random random, long at) {
        ThreadState t = forWhom(random);
        return t == null ? random.nextInt() : (int) take(32, (int) drawn(t, random));
    }

    public static int nextInt(Random random, int bound, long at) {
        ThreadState t = bound <= 0 ? null : forWhom(random);
        if (t == null) {
            return random.nextInt(bound);
        }
        return Integer.remainderUnsigned((int) take(32, (int) drawn(t, random)), bound);
    }

    public static long nextLong(Random random, long at) {
        ThreadState t = forWhom(random);
        return t == null ? random.nextLong() : take(64, drawn(t, random));
    }

    public static boolean nextBoolean(Random random, long at) {
        ThreadState t = forWhom(random);
        return t == null ? random.nextBoolean() : take(1, drawn(t, random) & 1) != 0;
    }
}
