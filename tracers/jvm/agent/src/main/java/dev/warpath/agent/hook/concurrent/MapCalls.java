package dev.warpath.agent.hook.concurrent;

import dev.warpath.agent.hook.Flow;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * {@link ConcurrentHashMap}, where instrumented code calls it, be it as a {@link Map}: each key is a location of its own,
 * and how many there are is another. Other maps do what they do.
 */
public final class MapCalls {
    private static final String SIZE = "size";

    private MapCalls() {}

    /** An operation on the value of one key. */
    private abstract static class Operation<V> {
        abstract V apply();

        /** What it was, by what the value was before it and is now. */
        abstract Atomics.Change change(Object before, Object after);
    }

    private static <V> V update(Map<?, V> map, Object key, String verb, Operation<V> operation, long at) {
        Flow.call(at);
        ThreadState t = map instanceof ConcurrentHashMap && key != null ? Scheduler.current() : null;
        if (t == null) {
            return operation.apply();
        }
        String field = name(t, key);
        Atomics.before(map, field, verb, at);
        Object before = map.get(key);
        V result = operation.apply();
        Object after = map.get(key);
        Atomics.access(map, field, operation.change(before, after), at);
        int more = (after == null ? 0 : 1) - (before == null ? 0 : 1);
        if (more != 0) {
            Atomics.before(map, SIZE, "rmw", at);
            int size = map.size();
            Atomics.record(t, map, SIZE, "I", Atomics.ADD, 4, at, size - more, size, more);
        }
        return result;
    }

    /** What a key is called: text and numbers as they are, others by who made them. */
    private static String name(ThreadState t, Object key) {
        boolean plain = key instanceof String || key instanceof Number || key instanceof Character
                || key instanceof Boolean || key instanceof Enum;
        return (plain ? key.toString() : Objects.name(t, key)).intern();
    }

    private static <V> V read(Map<?, V> map, Object key, V otherwise, long at) {
        return update(map, key, "r", new Operation<V>() {
            @Override
            V apply() {
                V found = map.get(key);
                return found == null ? otherwise : found;
            }

            @Override
            Atomics.Change change(Object before, Object after) {
                return new Atomics.Change(Atomics.GET, before, before);
            }
        }, at);
    }

    public static Object get(Map<Object, Object> map, Object key, long at) {
        if (map instanceof ConcurrentHashMap) {
            return read(map, key, null, at);
        }
        Flow.call(at);
        return map.get(key);
    }

    public static Object getOrDefault(Map<Object, Object> map, Object key, Object otherwise, long at) {
        if (map instanceof ConcurrentHashMap) {
            return read(map, key, otherwise, at);
        }
        Flow.call(at);
        return map.getOrDefault(key, otherwise);
    }

    public static boolean containsKey(Map<Object, Object> map, Object key, long at) {
        if (map instanceof ConcurrentHashMap) {
            return read(map, key, null, at) != null;
        }
        Flow.call(at);
        return map.containsKey(key);
    }

    public static Object put(Map<Object, Object> map, Object key, Object value, long at) {
        return update(map, key, "rmw", new Operation<Object>() {
            @Override
            Object apply() {
                return map.put(key, value);
            }

            @Override
            Atomics.Change change(Object before, Object after) {
                return new Atomics.Change(Atomics.GET_AND_SET, before, after, value);
            }
        }, at);
    }

    public static Object putIfAbsent(Map<Object, Object> map, Object key, Object value, long at) {
        return update(map, key, "rmw", new Operation<Object>() {
            @Override
            Object apply() {
                return map.putIfAbsent(key, value);
            }

            @Override
            Atomics.Change change(Object before, Object after) {
                return new Atomics.Change(Atomics.COMPARE_AND_SET, before, after, null, value);
            }
        }, at);
    }

    public static Object remove(Map<Object, Object> map, Object key, long at) {
        return update(map, key, "rmw", new Operation<Object>() {
            @Override
            Object apply() {
                return map.remove(key);
            }

            @Override
            Atomics.Change change(Object before, Object after) {
                return new Atomics.Change(Atomics.GET_AND_SET, before, after, new Object[] {null});
            }
        }, at);
    }

    /** An operation whose outcome only the map or the program's own code knows. */
    private abstract static class Other<V> extends Operation<V> {
        @Override
        Atomics.Change change(Object before, Object after) {
            return new Atomics.Change(Atomics.UPDATE, before, after);
        }
    }

    public static Object replace(Map<Object, Object> map, Object key, Object value, long at) {
        return update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                return map.replace(key, value);
            }
        }, at);
    }

    public static boolean replace(Map<Object, Object> map, Object key, Object old, Object value, long at) {
        boolean[] done = {false};
        update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                done[0] = map.replace(key, old, value);
                return null;
            }
        }, at);
        return done[0];
    }

    public static boolean remove(Map<Object, Object> map, Object key, Object value, long at) {
        boolean[] done = {false};
        update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                done[0] = map.remove(key, value);
                return null;
            }
        }, at);
        return done[0];
    }

    public static Object computeIfAbsent(Map<Object, Object> map, Object key, Function<Object, Object> function,
            long at) {
        return update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                return map.computeIfAbsent(key, function);
            }
        }, at);
    }

    public static Object computeIfPresent(Map<Object, Object> map, Object key,
            BiFunction<Object, Object, Object> function, long at) {
        return update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                return map.computeIfPresent(key, function);
            }
        }, at);
    }

    public static Object compute(Map<Object, Object> map, Object key, BiFunction<Object, Object, Object> function,
            long at) {
        return update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                return map.compute(key, function);
            }
        }, at);
    }

    public static Object merge(Map<Object, Object> map, Object key, Object value,
            BiFunction<Object, Object, Object> function, long at) {
        return update(map, key, "rmw", new Other<Object>() {
            @Override
            Object apply() {
                return map.merge(key, value, function);
            }
        }, at);
    }

    public static int size(Map<Object, Object> map, long at) {
        Flow.call(at);
        ThreadState t = map instanceof ConcurrentHashMap ? Atomics.before(map, SIZE, "r", at) : null;
        int size = map.size();
        Atomics.record(t, map, SIZE, "I", Atomics.GET, 4, at, size, size);
        return size;
    }

    public static boolean isEmpty(Map<Object, Object> map, long at) {
        Flow.call(at);
        ThreadState t = map instanceof ConcurrentHashMap ? Atomics.before(map, SIZE, "r", at) : null;
        int size = map.size();
        Atomics.record(t, map, SIZE, "I", Atomics.GET, 4, at, size, size);
        return size == 0;
    }
}
