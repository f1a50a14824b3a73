package dev.warpath.agent.memory;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;

/**
 * Fields and elements by base and offset, final ones included. Needed for store buffers only, so nothing here is looked
 * up unless a plan asks for them. {@code sun.misc.Unsafe} would print warnings on newer JDKs; what is behind it does not.
 */
final class Memory {
    private static final Object UNSAFE;
    private static final MethodHandle FIELD_OFFSET;
    private static final MethodHandle STATIC_OFFSET;
    private static final MethodHandle STATIC_BASE;
    private static final MethodHandle ENSURE_INITIALIZED;
    private static final MethodHandle ARRAY_BASE;
    private static final MethodHandle ARRAY_SCALE;
    private static final MethodHandle[] GET;
    private static final MethodHandle[] PUT;
    private static final String KINDS = "ZBCSIJFDL";
    private static final Class<?>[] TYPES = {boolean.class, byte.class, char.class, short.class, int.class, long.class,
        float.class, double.class, Object.class};
    private static final String[] NAMES = {"Boolean", "Byte", "Char", "Short", "Int", "Long", "Float", "Double", null};

    static {
        try {
            Class<?> type = Class.forName("jdk.internal.misc.Unsafe");
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            UNSAFE = lookup.findStatic(type, "getUnsafe", MethodType.methodType(type)).invoke();
            FIELD_OFFSET = find(lookup, type, "objectFieldOffset", long.class, Class.class, String.class);
            STATIC_OFFSET = find(lookup, type, "staticFieldOffset", long.class, Field.class);
            STATIC_BASE = find(lookup, type, "staticFieldBase", Object.class, Field.class);
            ENSURE_INITIALIZED = find(lookup, type, "ensureClassInitialized", void.class, Class.class);
            ARRAY_BASE = find(lookup, type, "arrayBaseOffset", int.class, Class.class);
            ARRAY_SCALE = find(lookup, type, "arrayIndexScale", int.class, Class.class);
            GET = new MethodHandle[TYPES.length];
            PUT = new MethodHandle[TYPES.length];
            for (int k = 0; k < TYPES.length; k++) {
                String name = NAMES[k] != null ? NAMES[k] : hasReferences(type) ? "Reference" : "Object";
                GET[k] = find(lookup, type, "get" + name, TYPES[k], Object.class, long.class)
                        .asType(MethodType.methodType(Object.class, Object.class, long.class));
                PUT[k] = find(lookup, type, "put" + name, void.class, Object.class, long.class, TYPES[k])
                        .asType(MethodType.methodType(void.class, Object.class, long.class, Object.class));
            }
        } catch (Throwable failure) {
            throw new ExceptionInInitializerError(failure);
        }
    }

    private Memory() {}

    private static MethodHandle find(MethodHandles.Lookup lookup, Class<?> type, String name, Class<?> result,
            Class<?>... parameters) throws ReflectiveOperationException {
        return lookup.findVirtual(type, name, MethodType.methodType(result, parameters)).bindTo(UNSAFE);
    }

    /** JDK 11 calls references objects. */
    private static boolean hasReferences(Class<?> type) {
        try {
            type.getMethod("getReference", Object.class, long.class);
            return true;
        } catch (NoSuchMethodException older) {
            return false;
        }
    }

    /** By the first letter of a descriptor: arrays are references, too. */
    static int kind(char letter) {
        return letter == '[' ? TYPES.length - 1 : KINDS.indexOf(letter);
    }

    static int kindOf(Class<?> type) {
        for (int k = 0; k < TYPES.length - 1; k++) {
            if (TYPES[k] == type) {
                return k;
            }
        }
        return TYPES.length - 1;
    }

    static Object get(Object base, long offset, int kind) {
        try {
            return (Object) GET[kind].invokeExact(base, offset);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static void put(Object base, long offset, int kind, Object value) {
        try {
            PUT[kind].invokeExact(base, offset, value);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static long offset(Class<?> declaring, String field) {
        try {
            return (long) FIELD_OFFSET.invokeExact(declaring, field);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static long element(Class<?> array, int index) {
        try {
            return (int) ARRAY_BASE.invokeExact(array) + (long) (int) ARRAY_SCALE.invokeExact(array) * index;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static Object staticBase(Field field) {
        try {
            return (Object) STATIC_BASE.invokeExact(field);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    static long staticOffset(Field field) {
        try {
            return (long) STATIC_OFFSET.invokeExact(field);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Initialises a class as an access to it would: with the same exceptions. */
    static void initialise(Class<?> type) {
        try {
            ENSURE_INITIALIZED.invokeExact(type);
        } catch (Error | RuntimeException failure) {
            throw failure;
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }
}
