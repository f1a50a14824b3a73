package dev.warpath.agent.transform;

import dev.warpath.agent.hook.concurrent.AtomicBooleanCalls;
import dev.warpath.agent.hook.concurrent.AtomicIntegerArrayCalls;
import dev.warpath.agent.hook.concurrent.AtomicIntegerCalls;
import dev.warpath.agent.hook.concurrent.AtomicLongArrayCalls;
import dev.warpath.agent.hook.concurrent.AtomicLongCalls;
import dev.warpath.agent.hook.concurrent.AtomicReferenceArrayCalls;
import dev.warpath.agent.hook.concurrent.AtomicReferenceCalls;
import dev.warpath.agent.hook.concurrent.BarrierCalls;
import dev.warpath.agent.hook.concurrent.ConditionCalls;
import dev.warpath.agent.hook.concurrent.LatchCalls;
import dev.warpath.agent.hook.concurrent.LockCalls;
import dev.warpath.agent.hook.concurrent.MapCalls;
import dev.warpath.agent.hook.concurrent.ReadWriteLockCalls;
import dev.warpath.agent.hook.concurrent.SemaphoreCalls;
import java.util.Set;

/** The classes of {@code java.util.concurrent} that are modelled. */
final class ConcurrentModels {
    private static final String CONCURRENT = "java/util/concurrent/";
    /** Their making is an event. */
    private static final Set<String> CREATED = Set.of(CONCURRENT + "locks/ReentrantLock",
            CONCURRENT + "locks/ReentrantReadWriteLock", CONCURRENT + "Semaphore", CONCURRENT + "CountDownLatch",
            CONCURRENT + "CyclicBarrier");

    private ConcurrentModels() {}

    static boolean isCreated(String owner) {
        return CREATED.contains(owner);
    }

    static void addTo(Models models) {
        String atomic = CONCURRENT + "atomic/";
        models.add(atomic + "AtomicInteger", AtomicIntegerCalls.class);
        models.add(atomic + "AtomicLong", AtomicLongCalls.class);
        models.add(atomic + "AtomicBoolean", AtomicBooleanCalls.class);
        models.add(atomic + "AtomicReference", AtomicReferenceCalls.class);
        models.add(atomic + "AtomicIntegerArray", AtomicIntegerArrayCalls.class);
        models.add(atomic + "AtomicLongArray", AtomicLongArrayCalls.class);
        models.add(atomic + "AtomicReferenceArray", AtomicReferenceArrayCalls.class);
        String locks = CONCURRENT + "locks/";
        models.add(locks + "Lock", LockCalls.class);
        models.add(locks + "ReentrantLock", LockCalls.class);
        models.add(locks + "ReentrantReadWriteLock$ReadLock", LockCalls.class);
        models.add(locks + "ReentrantReadWriteLock$WriteLock", LockCalls.class);
        models.add(locks + "ReadWriteLock", ReadWriteLockCalls.class);
        models.add(locks + "ReentrantReadWriteLock", ReadWriteLockCalls.Reentrant.class);
        models.add(locks + "Condition", ConditionCalls.class);
        models.add("java/util/Map", MapCalls.class);
        models.add(CONCURRENT + "ConcurrentMap", MapCalls.class);
        models.add(CONCURRENT + "ConcurrentHashMap", MapCalls.class);
        models.add(CONCURRENT + "Semaphore", SemaphoreCalls.class);
        models.add(CONCURRENT + "CountDownLatch", LatchCalls.class);
        models.add(CONCURRENT + "CyclicBarrier", BarrierCalls.class);
    }
}
