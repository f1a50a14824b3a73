package dev.warpath.agent.hook.concurrent;

import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;

/** Which field a VarHandle, a field updater or an offset of {@code Unsafe} stands for. */
final class HandleTarget {
    private static final Map<VarHandle, Object> handles = new IdentityHashMap<>();
    private static final Map<Object, Field> updaters = new IdentityHashMap<>();
    private static final Map<Class<?>, Map<Long, Field>> offsets = new HashMap<>();
    /** Stands for handles of elements of arrays. */
    private static final Object ELEMENT = new Object();

    /** Of a static field null. */
    final Object object;
    /** Null for an element of an array. */
    final Field field;
    final int index;
    /** As locations call it. */
    final String name;

    private HandleTarget(Object object, Field field, int index) {
        this.object = object;
        this.field = field;
        this.index = index;
        name = (field == null ? "[" + index + ']' : object == null
                ? field.getDeclaringClass().getTypeName() + '.' + field.getName() : field.getName()).intern();
    }

    /** The type in the descriptor of the location. */
    Class<?> type() {
        return field == null ? object.getClass().getComponentType() : field.getType();
    }

    Object value() {
        try {
            return field == null ? Array.get(object, index) : field.get(object);
        } catch (IllegalAccessException error) {
            throw new IllegalStateException("cannot look at " + field, error);
        }
    }

    /** What a call is about; null if that cannot be told. */
    static HandleTarget of(Object handle, Object object, long coordinate) {
        try {
            if (handle instanceof VarHandle) {
                return ofHandle((VarHandle) handle, object, coordinate);
            }
            if (coordinate < 0) {
                Field field = ofUpdater(handle, object);
                return field == null ? null : new HandleTarget(object, field, 0);
            }
            return object == null ? null : ofUnsafe(handle, object, coordinate);
        } catch (ReflectiveOperationException | RuntimeException error) {
            return null;
        }
    }

    private static HandleTarget ofHandle(VarHandle handle, Object object, long coordinate)
            throws ReflectiveOperationException {
        Object known = handles.get(handle);
        if (known == null) {
            known = find(handle);
            handles.put(handle, known);
        }
        if (known == ELEMENT) {
            boolean within = coordinate >= 0 && coordinate < Array.getLength(object);
            return within ? new HandleTarget(object, null, (int) coordinate) : null;
        }
        Field field = (Field) known;
        boolean isStatic = Modifier.isStatic(field.getModifiers());
        return isStatic || object != null ? new HandleTarget(isStatic ? null : object, field, 0) : null;
    }

    /** Handles say themselves what they stand for, since Java 12. */
    private static Object find(VarHandle handle) throws ReflectiveOperationException {
        java.util.List<Class<?>> coordinates = handle.coordinateTypes();
        if (coordinates.size() == 2 && coordinates.get(0).isArray()) {
            return ELEMENT;
        }
        Optional<?> description = (Optional<?>) VarHandle.class.getMethod("describeConstable").invoke(handle);
        if (description.isEmpty()) {
            throw new NoSuchFieldException("a VarHandle that does not say what it stands for");
        }
        Class<?> type = Class.forName("java.lang.constant.DynamicConstantDesc");
        String name = (String) type.getMethod("constantName").invoke(description.get());
        Class<?> owner;
        if (coordinates.size() == 1) {
            owner = coordinates.get(0);
        } else {
            Object[] arguments = (Object[]) type.getMethod("bootstrapArgs").invoke(description.get());
            String descriptor = (String) Class.forName("java.lang.constant.ClassDesc").getMethod("descriptorString")
                    .invoke(arguments[0]);
            String className = descriptor.substring(1, descriptor.length() - 1).replace('/', '.');
            owner = Class.forName(className, false, Thread.currentThread().getContextClassLoader());
        }
        return accessible(owner.getDeclaredField(name));
    }

    private static Field accessible(Field field) {
        field.setAccessible(true);
        return field;
    }

    private static Field ofUpdater(Object updater, Object object) throws ReflectiveOperationException {
        Field known = updaters.get(updater);
        if (known == null && object != null) {
            long offset = accessible(updater.getClass().getDeclaredField("offset")).getLong(updater);
            known = atOffset(unsafe(), object.getClass(), offset);
            updaters.put(updater, known);
        }
        return known;
    }

    private static Object unsafe() throws ReflectiveOperationException {
        return accessible(Class.forName("jdk.internal.misc.Unsafe").getDeclaredField("theUnsafe")).get(null);
    }

    private static HandleTarget ofUnsafe(Object unsafe, Object object, long offset) throws ReflectiveOperationException {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            int base = (int) unsafe.getClass().getMethod("arrayBaseOffset", Class.class).invoke(unsafe, type);
            int scale = (int) unsafe.getClass().getMethod("arrayIndexScale", Class.class).invoke(unsafe, type);
            long index = (offset - base) / scale;
            boolean within = (offset - base) % scale == 0 && index >= 0 && index < Array.getLength(object);
            return within ? new HandleTarget(object, null, (int) index) : null;
        }
        Field field = atOffset(unsafe, type, offset);
        return field == null ? null : new HandleTarget(object, field, 0);
    }

    private static Field atOffset(Object unsafe, Class<?> type, long offset) throws ReflectiveOperationException {
        Map<Long, Field> known = offsets.get(type);
        if (known == null) {
            known = new HashMap<>();
            java.lang.reflect.Method ask = unsafe.getClass().getMethod("objectFieldOffset", Field.class);
            for (Class<?> owner = type; owner != null; owner = owner.getSuperclass()) {
                for (Field field : owner.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        known.put((Long) ask.invoke(unsafe, field), accessible(field));
                    }
                }
            }
            offsets.put(type, known);
        }
        return known.get(offset);
    }
}
