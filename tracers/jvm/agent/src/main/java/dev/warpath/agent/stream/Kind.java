package dev.warpath.agent.stream;

/** Kinds of objects in definitions. */
final class Kind {
    static final int PLAIN = 0;
    static final int ARRAY = 1;
    static final int STRING = 2;
    static final int CLASS = 3;
    static final int BOX = 4;

    private Kind() {}

    static int of(Object object) {
        if (object instanceof String) {
            return STRING;
        }
        if (object instanceof Class) {
            return CLASS;
        }
        Class<?> type = object.getClass();
        if (type.isArray()) {
            return ARRAY;
        }
        boolean box = type == Integer.class || type == Long.class || type == Boolean.class || type == Character.class
                || type == Byte.class || type == Short.class || type == Float.class || type == Double.class;
        return box ? BOX : PLAIN;
    }

    /** What is in a box: its value, or the bits of a floating-point number. */
    static long boxed(Object box) {
        if (box instanceof Boolean) {
            return (Boolean) box ? 1 : 0;
        }
        if (box instanceof Character) {
            return (Character) box;
        }
        if (box instanceof Float) {
            return Float.floatToRawIntBits((Float) box);
        }
        if (box instanceof Double) {
            return Double.doubleToRawLongBits((Double) box);
        }
        return ((Number) box).longValue();
    }
}
