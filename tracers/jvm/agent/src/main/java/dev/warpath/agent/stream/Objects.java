package dev.warpath.agent.stream;

import dev.warpath.agent.Identified;
import dev.warpath.agent.plan.SharedLocations;
import dev.warpath.agent.schedule.ThreadState;

/**
 * Which object is which: each that an event mentions has a number in the stream, a creator and is the creator's n-th, so
 * that it has the same name in every run in which the creator takes the same path.
 *
 * <p>Objects that instrumented code allocates are counted from 0. Those that it gets from elsewhere are counted apart, from
 * {@link #FOUND} on: who sees such an object first depends on the schedule, and must not shift the names of the others.
 */
public final class Objects {
    /** In an id: parts of the object are shared. */
    public static final long SHARED = 1L << 63;
    /** In an id: the stream says where the object was allocated. */
    private static final long REPORTED = 1L << 62;
    /** Objects that were not allocated by instrumented code have numbers from here on. */
    public static final long FOUND = 1L << 32;

    /** Objects that are named after static fields have numbers from here on. */
    private static final long STATIC = 1L << 43;

    private static final int CREATOR_SHIFT = 44;
    private static final WeakNumbers others = new WeakNumbers();
    /** Creator and n-th by number. */
    private static long[] origins = new long[1 << 12];
    private static int count;
    private static SharedLocations shared;
    private static final IntMap<SharedLocations.Parts> sharedParts = new IntMap<>();

    private Objects() {}

    public static void plan(SharedLocations locations) {
        shared = locations;
    }

    /** The number of an object; 0 for null. Defines it if it is new, so it must not be asked within a record. */
    public static int ref(ThreadState t, Object object) {
        return object == null ? 0 : (int) id(t, object);
    }

    /** Number and {@link #SHARED}. */
    public static long id(ThreadState t, Object object) {
        long id = known(object);
        return id != 0 ? id : define(t, object, FOUND + t.found++);
    }

    /** Like {@link #id}, but 0 for an object that no event has mentioned. */
    public static long known(Object object) {
        return object instanceof Identified ? ((Identified) object).warpath$id() : others.get(object);
    }

    /** An object that the thread has just allocated. */
    public static int allocated(ThreadState t, Object object) {
        long id = known(object);
        id = (id != 0 ? id : define(t, object, t.objects++)) | REPORTED;
        remember(object, id);
        return (int) id;
    }

    /** Has {@link #allocated} been told of the object? A constructor of the JDK may have done so before its caller. */
    public static boolean isReported(Object object) {
        return (known(object) & REPORTED) != 0;
    }

    /** Names an object after the static field that it was found in: who finds it first differs from run to run. */
    public static void foundStatic(Object object, String field) {
        if (known(object) == 0) {
            define(ThreadState.numbered(1), object, STATIC + (field.hashCode() & 0x7fffffff));
        }
    }

    /** The shared parts of an object with {@link #SHARED}. */
    public static SharedLocations.Parts parts(long id) {
        return sharedParts.get((int) id);
    }

    /** Is this static field, named with its class, shared? */
    public static boolean isSharedStatic(String location) {
        return shared.hasStatic(location);
    }

    private static long define(ThreadState t, Object object, long nth) {
        Class<?> type = object.getClass();
        String name = className(type);
        int kind = Kind.of(object);
        int className = Stream.string(name);
        int text = kind == Kind.STRING ? Stream.string((String) object)
                : kind == Kind.CLASS ? Stream.string(className((Class<?>) object)) : 0;
        int p = Stream.u(Stream.start(), className);
        p = Stream.u(p, kind);
        p = Stream.u(p, t.number);
        p = Stream.u(p, nth);
        if (kind == Kind.ARRAY) {
            p = Stream.u(p, java.lang.reflect.Array.getLength(object));
        } else if (kind == Kind.STRING || kind == Kind.CLASS) {
            p = Stream.u(p, text);
        } else if (kind == Kind.BOX) {
            p = Stream.s(p, Kind.boxed(object));
        }
        if (count + 1 >= origins.length) {
            long[] longer = new long[origins.length * 2];
            System.arraycopy(origins, 0, longer, 0, origins.length);
            origins = longer;
        }
        Stream.end(p, Tag.OBJECT);
        long id = ++count;
        origins[count] = (long) t.number << CREATOR_SHIFT | nth;
        if (shared.hasClass(name)) {
            SharedLocations.Parts parts = shared.of(name + '@' + t.key + ':' + nth);
            if (parts != null) {
                sharedParts.put(count, parts);
                id |= SHARED;
            }
        }
        remember(object, id);
        return id;
    }

    private static void remember(Object object, long id) {
        if (object instanceof Identified) {
            ((Identified) object).warpath$id(id);
        } else {
            others.put(object, id);
        }
    }

    /** The name of a class; without the numbers that the JVM gives to those of lambdas, which differ from run to run. */
    public static String className(Class<?> type) {
        String name = type.getTypeName();
        int lambda = name.indexOf("$$Lambda");
        if (lambda >= 0) {
            return name.substring(0, lambda + "$$Lambda".length());
        }
        int hidden = name.indexOf('/');
        return hidden >= 0 ? name.substring(0, hidden) : name;
    }

    /** The name of an object in locations: {@code pkg.Class@T0:5}, or the class for a class. */
    public static String name(ThreadState t, Object object) {
        if (object instanceof Class) {
            return className((Class<?>) object);
        }
        long origin = origins[ref(t, object)];
        ThreadState creator = ThreadState.numbered((int) (origin >>> CREATOR_SHIFT));
        return className(object.getClass()) + '@' + creator.key + ':' + (origin & (1L << CREATOR_SHIFT) - 1);
    }

    /** A hash code that depends only on who made the object and when in its own order. */
    public static int hash(ThreadState t, Object object) {
        long origin = origins[ref(t, object)];
        int creator = ThreadState.numbered((int) (origin >>> CREATOR_SHIFT)).key.hashCode();
        long mixed = ((origin & (1L << CREATOR_SHIFT) - 1) + creator * 0x9e3779b97f4a7c15L) * 0xbf58476d1ce4e5b9L;
        return (int) (mixed >>> 33);
    }
}
