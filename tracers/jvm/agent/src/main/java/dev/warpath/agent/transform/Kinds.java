package dev.warpath.agent.transform;

import org.objectweb.asm.Type;

/** Types as hooks tell them apart: all small integers are {@code int}, all references {@code Object}. */
final class Kinds {
    private Kinds() {}

    static String descriptor(Type type) {
        switch (type.getSort()) {
            case Type.BOOLEAN:
            case Type.BYTE:
            case Type.CHAR:
            case Type.SHORT:
            case Type.INT:
                return "I";
            case Type.LONG:
                return "J";
            case Type.FLOAT:
                return "F";
            case Type.DOUBLE:
                return "D";
            default:
                return "Ljava/lang/Object;";
        }
    }
}
