package dev.warpath.agent.hook;

import java.lang.invoke.VarHandle;

/** Fences that instrumented code asks for. Those for loads have nothing to do: loads are never late. */
public final class FenceCalls {
    private FenceCalls() {}

    public static void fullFence(long at) {
        VarHandle.fullFence();
        Fences.full(at);
    }

    public static void releaseFence(long at) {
        VarHandle.releaseFence();
        Fences.release(at);
    }

    public static void storeStoreFence(long at) {
        VarHandle.storeStoreFence();
        Fences.release(at);
    }
}
