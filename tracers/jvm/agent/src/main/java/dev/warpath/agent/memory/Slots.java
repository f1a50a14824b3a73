package dev.warpath.agent.memory;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** Where fields are that buffered writes go to. There are few of them: those that the plan calls shared. */
final class Slots {
    /** A field of a class. */
    static final class Slot {
        final Class<?> type;
        final String field;
        /** Of a static field what it is relative to. */
        final Object base;
        final long offset;
        final int kind;

        Slot(Class<?> type, String field, Object base, long offset, int kind) {
            this.type = type;
            this.field = field;
            this.base = base;
            this.offset = offset;
            this.kind = kind;
        }
    }

    private static Slot[] known = new Slot[16];
    private static int count;

    private Slots() {}

    private static Slot find(Class<?> type, String field) {
        for (int i = 0; i < count; i++) {
            if (known[i].type == type && known[i].field == field) {
                return known[i];
            }
        }
        return null;
    }

    private static Slot add(Slot slot) {
        if (count == known.length) {
            Slot[] longer = new Slot[count * 2];
            System.arraycopy(known, 0, longer, 0, count);
            known = longer;
        }
        known[count++] = slot;
        return slot;
    }

    /** The field that a class of this name, the object's or an ancestor of it, declares. Names are interned. */
    static Slot of(Object object, String declaring, String field, char kind) {
        Class<?> type = object.getClass();
        while (!type.getName().equals(declaring)) {
            type = type.getSuperclass();
            if (type == null) {
                throw new IllegalStateException(object.getClass() + " has no ancestor " + declaring);
            }
        }
        Slot slot = find(type, field);
        return slot != null ? slot : add(new Slot(type, field, null, Memory.offset(type, field), Memory.kind(kind)));
    }

    /** A static field by a class that has it or inherits it; initialises the class. */
    static Slot ofStatic(Class<?> owner, String field) {
        Slot slot = find(owner, field);
        if (slot != null) {
            return slot;
        }
        for (Class<?> type = owner; type != null; type = type.getSuperclass()) {
            for (Field candidate : type.getDeclaredFields()) {
                if (Modifier.isStatic(candidate.getModifiers()) && candidate.getName().equals(field)) {
                    Memory.initialise(type);
                    return add(new Slot(owner, field, Memory.staticBase(candidate), Memory.staticOffset(candidate),
                            Memory.kindOf(candidate.getType())));
                }
            }
        }
        throw new IllegalStateException(owner + " has no static field " + field);
    }
}
