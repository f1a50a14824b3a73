package dev.warpath.agent.schedule;

/** xorshift64*: the same generator as the native tracer's, so that a seed means the same everywhere. */
public final class XorShift {
    private long state;

    public XorShift(long seed) {
        state = seed * 0x9e3779b97f4a7c15L | 1;
    }

    public long next() {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return state * 0x2545f4914f6cdd1dL >>> 16;
    }

    int below(int bound) {
        return (int) (next() % Math.max(bound, 1));
    }
}
