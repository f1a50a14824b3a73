package dev.warpath.agent.transform;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Type;

/** Which calls of VarHandles, field updaters and {@code Unsafe} access a location, and how. */
final class AtomicNames {
    static final int GET = 0;
    static final int SET = 1;
    static final int GET_AND_SET = 2;
    static final int COMPARE_AND_SET = 3;
    static final int ADD = 4;
    private static final int AND = 5;
    private static final int OR = 6;
    private static final int XOR = 7;
    private static final int PLAIN = 0;
    private static final int OPAQUE = 1;
    private static final int ACQUIRE = 2;
    private static final int RELEASE = 3;
    private static final int VOLATILE = 4;

    private static final Map<String, Use> HANDLES = new HashMap<>();
    private static final Map<String, Use> UPDATERS = new HashMap<>();
    private static final Map<String, Use> UNSAFES = new HashMap<>();

    /** One way of accessing a location. */
    static final class Use {
        final int op;
        final int order;
        /** Operands that the call is given; {@code implied} if that is none, but the operation has one. */
        final int operands;
        final int implied;

        Use(int op, int order, int operands, int implied) {
            this.op = op;
            this.order = order;
            this.operands = operands;
            this.implied = implied;
        }
    }

    static {
        addFamily(HANDLES, "get", "", GET, 0, PLAIN);
        HANDLES.put("getVolatile", new Use(GET, VOLATILE, 0, 0));
        HANDLES.put("getOpaque", new Use(GET, OPAQUE, 0, 0));
        HANDLES.put("getAcquire", new Use(GET, ACQUIRE, 0, 0));
        HANDLES.put("set", new Use(SET, PLAIN, 1, 0));
        HANDLES.put("setVolatile", new Use(SET, VOLATILE, 1, 0));
        HANDLES.put("setOpaque", new Use(SET, OPAQUE, 1, 0));
        HANDLES.put("setRelease", new Use(SET, RELEASE, 1, 0));
        addOrdered("compareAndSet", COMPARE_AND_SET, 2);
        addOrdered("compareAndExchange", COMPARE_AND_SET, 2);
        addOrdered("weakCompareAndSet", COMPARE_AND_SET, 2);
        HANDLES.put("weakCompareAndSetPlain", new Use(COMPARE_AND_SET, PLAIN, 2, 0));
        addOrdered("getAndSet", GET_AND_SET, 1);
        addOrdered("getAndAdd", ADD, 1);
        addOrdered("getAndBitwiseAnd", AND, 1);
        addOrdered("getAndBitwiseOr", OR, 1);
        addOrdered("getAndBitwiseXor", XOR, 1);

        UPDATERS.put("get", new Use(GET, VOLATILE, 0, 0));
        UPDATERS.put("set", new Use(SET, VOLATILE, 1, 0));
        UPDATERS.put("lazySet", new Use(SET, RELEASE, 1, 0));
        UPDATERS.put("compareAndSet", new Use(COMPARE_AND_SET, VOLATILE, 2, 0));
        UPDATERS.put("weakCompareAndSet", new Use(COMPARE_AND_SET, VOLATILE, 2, 0));
        UPDATERS.put("getAndSet", new Use(GET_AND_SET, VOLATILE, 1, 0));
        UPDATERS.put("getAndAdd", new Use(ADD, VOLATILE, 1, 0));
        UPDATERS.put("addAndGet", new Use(ADD, VOLATILE, 1, 0));
        for (String name : new String[] {"getAndIncrement", "incrementAndGet"}) {
            UPDATERS.put(name, new Use(ADD, VOLATILE, 0, 1));
        }
        for (String name : new String[] {"getAndDecrement", "decrementAndGet"}) {
            UPDATERS.put(name, new Use(ADD, VOLATILE, 0, -1));
        }

        for (String type : new String[] {"Int", "Long", "Reference", "Object", "Boolean", "Byte", "Short", "Char"}) {
            addFamily(UNSAFES, "get", type, GET, 0, PLAIN);
            addFamily(UNSAFES, "put", type, SET, 1, PLAIN);
            addFamily(UNSAFES, "compareAndSet", type, COMPARE_AND_SET, 2, VOLATILE);
            addFamily(UNSAFES, "compareAndSwap", type, COMPARE_AND_SET, 2, VOLATILE);
            addFamily(UNSAFES, "compareAndExchange", type, COMPARE_AND_SET, 2, VOLATILE);
            addFamily(UNSAFES, "weakCompareAndSet", type, COMPARE_AND_SET, 2, VOLATILE);
            addFamily(UNSAFES, "getAndSet", type, GET_AND_SET, 1, VOLATILE);
            addFamily(UNSAFES, "getAndAdd", type, ADD, 1, VOLATILE);
            addFamily(UNSAFES, "getAndBitwiseAnd", type, AND, 1, VOLATILE);
            addFamily(UNSAFES, "getAndBitwiseOr", type, OR, 1, VOLATILE);
            addFamily(UNSAFES, "getAndBitwiseXor", type, XOR, 1, VOLATILE);
            UNSAFES.put("putOrdered" + type, new Use(SET, RELEASE, 1, 0));
        }
    }

    private AtomicNames() {}

    private static void addFamily(Map<String, Use> to, String name, String type, int op, int operands, int usual) {
        to.put(name + type, new Use(op, usual, operands, 0));
        to.put(name + type + "Volatile", new Use(op, VOLATILE, operands, 0));
        to.put(name + type + "Opaque", new Use(op, OPAQUE, operands, 0));
        to.put(name + type + "Acquire", new Use(op, ACQUIRE, operands, 0));
        to.put(name + type + "Release", new Use(op, RELEASE, operands, 0));
        to.put(name + type + "Plain", new Use(op, PLAIN, operands, 0));
    }

    private static void addOrdered(String name, int op, int operands) {
        HANDLES.put(name, new Use(op, VOLATILE, operands, 0));
        HANDLES.put(name + "Acquire", new Use(op, ACQUIRE, operands, 0));
        HANDLES.put(name + "Release", new Use(op, RELEASE, operands, 0));
    }

    /** What a call does to a location, or null. */
    static Use of(String owner, String name, String descriptor) {
        switch (owner) {
            case "java/lang/invoke/VarHandle":
                return HANDLES.get(name);
            case "java/util/concurrent/atomic/AtomicIntegerFieldUpdater":
            case "java/util/concurrent/atomic/AtomicLongFieldUpdater":
            case "java/util/concurrent/atomic/AtomicReferenceFieldUpdater":
                return UPDATERS.get(name);
            case "jdk/internal/misc/Unsafe":
            case "sun/misc/Unsafe":
                // Without an object it is about memory outside of the heap.
                return descriptor.startsWith("(Ljava/lang/Object;J")
                        && Type.getArgumentTypes(descriptor).length == 2 + operands(name) ? UNSAFES.get(name) : null;
            default:
                return null;
        }
    }

    private static int operands(String name) {
        Use use = UNSAFES.get(name);
        return use == null ? -1 : use.operands;
    }
}
