package dev.warpath.agent.schedule;

/** Threads that never came to a hook, but may: a timer of the JDK, say, that will call the program. */
final class Strangers {
    private Strangers() {}

    /** Is there a thread in the program's group that the agent does not know, and that is not on its way out? */
    static boolean mayAct() {
        ThreadGroup group = ThreadState.numbered(1).thread.getThreadGroup();
        if (group == null) {
            group = Thread.currentThread().getThreadGroup();
        }
        if (group == null) {
            return false;
        }
        Thread[] threads = new Thread[group.activeCount() + 16];
        int count = group.enumerate(threads, true);
        for (int i = 0; i < count; i++) {
            Thread thread = threads[i];
            boolean ours = thread instanceof Watchdog || thread.getName().equals("DestroyJavaVM");
            if (!ours && ThreadState.of(thread) == null) {
                return true;
            }
        }
        return false;
    }
}
