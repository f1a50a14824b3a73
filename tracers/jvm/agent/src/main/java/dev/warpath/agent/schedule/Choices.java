package dev.warpath.agent.schedule;

/** What a policy chooses from: threads, by position among all threads, and what they can do. */
final class Choices {
    /** The action is possible. */
    static final long NOW = -1;
    /** It is not, and no deadline ends it. */
    static final long NO = Long.MAX_VALUE;

    int count;
    int[] thread = new int[16];
    /** {@link #NOW}, {@link #NO}, or the virtual time at which it ends anyhow. */
    long[] ability = new long[16];
    boolean[] yielded = new boolean[16];
    /** Buffered writes that could take effect next. */
    int[] commits = new int[16];

    void clear() {
        count = 0;
    }

    void add(int thread, long ability, boolean yielded, int commits) {
        if (count == this.thread.length) {
            this.thread = java.util.Arrays.copyOf(this.thread, count * 2);
            this.ability = java.util.Arrays.copyOf(this.ability, count * 2);
            this.yielded = java.util.Arrays.copyOf(this.yielded, count * 2);
            this.commits = java.util.Arrays.copyOf(this.commits, count * 2);
        }
        this.thread[count] = thread;
        this.ability[count] = ability;
        this.commits[count] = commits;
        this.yielded[count++] = yielded;
    }

    boolean isAble(int choice) {
        return ability[choice] == NOW;
    }
}
