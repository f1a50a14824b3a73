package dev.warpath.agent.transform;

import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.hook.Initialisers;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Puts hooks around accesses. Operands that are needed again behind the access are kept in locals of our own. */
final class AccessEmitter {
    private static final String ACCESS = "dev/warpath/agent/hook/Access";

    /** How many locals of our own it needs. */
    static final int LOCALS = 4;

    private final ClassInstrumenter.Context context;
    private final MethodVisitor mv;
    private final int value;
    private final int object;
    private final int index;

    AccessEmitter(ClassInstrumenter.Context context, MethodVisitor mv, int locals) {
        this.context = context;
        this.mv = mv;
        value = locals;
        object = locals + 2;
        index = locals + 3;
    }

    private void hook(String name, String descriptor) {
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, ACCESS, name, descriptor, false);
    }

    void beforeField(int opcode, String owner, String name, String descriptor, boolean early, long at) {
        Type type = Type.getType(descriptor);
        boolean mayBeShared = context.shared.hasFieldNamed(name);
        switch (opcode) {
            case Opcodes.GETSTATIC:
                beforeStatic("beforeGetStatic", owner, name, at);
                break;
            case Opcodes.PUTSTATIC:
                beforePutStatic(owner, name, at);
                mv.visitInsn(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP);
                break;
            case Opcodes.GETFIELD:
                mv.visitInsn(Opcodes.DUP);
                if (mayBeShared) {
                    mv.visitInsn(Opcodes.DUP);
                    beforeField("beforeGet", name, at);
                }
                break;
            default:
                mv.visitVarInsn(type.getOpcode(Opcodes.ISTORE), value);
                if (!early) {
                    mv.visitInsn(Opcodes.DUP);
                    if (mayBeShared) {
                        mv.visitInsn(Opcodes.DUP);
                        beforePut(owner, name, descriptor, at);
                    }
                }
                mv.visitVarInsn(type.getOpcode(Opcodes.ILOAD), value);
        }
    }

    private void beforeField(String hook, String name, long at) {
        mv.visitLdcInsn(name);
        mv.visitLdcInsn(at);
        hook(hook, "(Ljava/lang/Object;Ljava/lang/String;J)V");
    }

    private void beforePut(String owner, String name, String descriptor, long at) {
        String declaring = context.hierarchy.declaringField(owner, name);
        if (!StoreBuffer.isUsed() || !context.hierarchy.isPlain(declaring, name)) {
            beforeField("beforePut", name, at);
            return;
        }
        mv.visitLdcInsn(name);
        mv.visitLdcInsn(declaring.replace('/', '.'));
        mv.visitIntInsn(Opcodes.SIPUSH, descriptor.charAt(0));
        mv.visitLdcInsn(at);
        hook("beforePlainPut", "(Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;CJ)V");
    }

    private void beforePutStatic(String owner, String name, long at) {
        String declaring = context.hierarchy.declaringField(owner, name);
        String location = declaring.replace('/', '.') + '.' + name;
        if (!StoreBuffer.isUsed() || !context.hierarchy.isPlain(declaring, name)) {
            beforeStatic("beforePutStatic", owner, name, at);
        } else if (context.shared.hasStatic(location)) {
            initialise(declaring.replace('/', '.'));
            mv.visitLdcInsn(Type.getObjectType(owner));
            mv.visitLdcInsn(name);
            mv.visitLdcInsn(location);
            mv.visitLdcInsn(at);
            hook("beforePlainPutStatic", "(Ljava/lang/Class;Ljava/lang/String;Ljava/lang/String;J)V");
        }
    }

    private void beforeStatic(String hook, String owner, String name, long at) {
        String declaring = context.hierarchy.declaringField(owner, name).replace('/', '.');
        String location = declaring + '.' + name;
        if (context.shared.hasStatic(location)) {
            initialise(declaring);
            mv.visitLdcInsn(location);
            mv.visitLdcInsn(at);
            hook(hook, "(Ljava/lang/String;J)V");
        }
    }

    /** Class files of Java 1.4 cannot name their own class; its own initialiser a method has behind it. */
    private void initialise(String declaring) {
        boolean isOwn = declaring.replace('.', '/').equals(context.className);
        if (!isOwn && (context.version & 0xffff) >= Opcodes.V1_5) {
            mv.visitLdcInsn(Type.getObjectType(context.className));
            mv.visitLdcInsn(declaring);
            mv.visitLdcInsn(Initialisers.place());
            mv.visitMethodInsn(Opcodes.INVOKESTATIC, "dev/warpath/agent/hook/Initialisers", "run",
                    "(Ljava/lang/Class;Ljava/lang/String;I)V", false);
        }
    }

    void afterField(int opcode, String owner, String name, String descriptor, boolean early, long at) {
        Type type = Type.getType(descriptor);
        boolean wide = type.getSize() == 2;
        switch (opcode) {
            case Opcodes.GETSTATIC:
                if (type.getSort() >= Type.ARRAY && !context.filter.isApplication(owner)) {
                    mv.visitInsn(Opcodes.DUP);
                    mv.visitLdcInsn(owner + '.' + name);
                    hook("foundStatic", "(Ljava/lang/Object;Ljava/lang/String;)V");
                }
                mv.visitInsn(wide ? Opcodes.DUP2 : Opcodes.DUP);
                mv.visitLdcInsn(at);
                hook("getStatic", "(" + Kinds.descriptor(type) + "J)V");
                break;
            case Opcodes.PUTSTATIC:
                mv.visitLdcInsn(at);
                hook("putStatic", "(" + Kinds.descriptor(type) + "J)V");
                break;
            case Opcodes.GETFIELD:
                mv.visitInsn(wide ? Opcodes.DUP2_X1 : Opcodes.DUP_X1);
                mv.visitLdcInsn(at);
                hook("getField", "(Ljava/lang/Object;" + Kinds.descriptor(type) + "J)V");
                break;
            default:
                if (early) {
                    mv.visitInsn(Opcodes.ACONST_NULL);
                }
                mv.visitVarInsn(type.getOpcode(Opcodes.ILOAD), value);
                mv.visitLdcInsn(at);
                hook("putField", "(Ljava/lang/Object;" + Kinds.descriptor(type) + "J)V");
        }
    }

    /** The type of the elements by the opcode; bytes, booleans, characters and short integers are all integers. */
    private static Type element(int opcode, int first) {
        switch (opcode - first) {
            case 1:
                return Type.LONG_TYPE;
            case 2:
                return Type.FLOAT_TYPE;
            case 3:
                return Type.DOUBLE_TYPE;
            case 4:
                return Type.getObjectType("java/lang/Object");
            default:
                return Type.INT_TYPE;
        }
    }

    void beforeLoad(int opcode, long at) {
        mv.visitInsn(Opcodes.DUP2);
        if (context.shared.hasElements()) {
            mv.visitInsn(Opcodes.DUP2);
            mv.visitLdcInsn(at);
            hook("beforeLoad", "(Ljava/lang/Object;IJ)V");
        }
    }

    void afterLoad(int opcode, long at) {
        Type type = element(opcode, Opcodes.IALOAD);
        mv.visitInsn(type.getSize() == 2 ? Opcodes.DUP2_X2 : Opcodes.DUP_X2);
        mv.visitLdcInsn(at);
        hook("load", "(Ljava/lang/Object;I" + Kinds.descriptor(type) + "J)V");
    }

    void beforeStore(int opcode, long at) {
        Type type = element(opcode, Opcodes.IASTORE);
        mv.visitVarInsn(type.getOpcode(Opcodes.ISTORE), value);
        mv.visitVarInsn(Opcodes.ISTORE, index);
        mv.visitVarInsn(Opcodes.ASTORE, object);
        if (context.shared.hasElements()) {
            mv.visitVarInsn(Opcodes.ALOAD, object);
            mv.visitVarInsn(Opcodes.ILOAD, index);
            mv.visitLdcInsn(at);
            hook("beforeStore", "(Ljava/lang/Object;IJ)V");
        }
        mv.visitVarInsn(Opcodes.ALOAD, object);
        mv.visitVarInsn(Opcodes.ILOAD, index);
        mv.visitVarInsn(type.getOpcode(Opcodes.ILOAD), value);
    }

    void afterStore(int opcode, long at) {
        Type type = element(opcode, Opcodes.IASTORE);
        mv.visitVarInsn(Opcodes.ALOAD, object);
        mv.visitVarInsn(Opcodes.ILOAD, index);
        mv.visitVarInsn(type.getOpcode(Opcodes.ILOAD), value);
        mv.visitLdcInsn(at);
        hook("store", "(Ljava/lang/Object;I" + Kinds.descriptor(type) + "J)V");
    }
}
