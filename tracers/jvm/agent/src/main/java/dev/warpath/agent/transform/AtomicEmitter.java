package dev.warpath.agent.transform;

import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Puts hooks around calls of VarHandles, field updaters and {@code Unsafe}. What the call is given is kept in locals of our
 * own, since the hooks want it, too.
 */
final class AtomicEmitter {
    private static final String HANDLES = "dev/warpath/agent/hook/concurrent/Handles";
    private static final String OBJECT = "Ljava/lang/Object;";

    private final MethodVisitor mv;
    private final int base;
    private Type[] arguments;
    private int[] locals;

    AtomicEmitter(MethodVisitor mv, int base) {
        this.mv = mv;
        this.base = base;
    }

    /** Before the call; leaves the stack as it was. */
    void before(AtomicNames.Use use, String descriptor, long at) {
        arguments = Type.getArgumentTypes(descriptor);
        locals = new int[arguments.length];
        int local = base + 1;
        for (int i = 0; i < arguments.length; i++) {
            locals[i] = local;
            local += arguments[i].getSize();
        }
        for (int i = arguments.length - 1; i >= 0; i--) {
            mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ISTORE), locals[i]);
        }
        mv.visitVarInsn(Opcodes.ASTORE, base);
        mv.visitVarInsn(Opcodes.ALOAD, base);
        int coordinates = arguments.length - use.operands;
        if (coordinates > 0) {
            mv.visitVarInsn(Opcodes.ALOAD, locals[0]);
        } else {
            mv.visitInsn(Opcodes.ACONST_NULL);
        }
        if (coordinates > 1) {
            mv.visitVarInsn(arguments[1].getOpcode(Opcodes.ILOAD), locals[1]);
            if (arguments[1].getSize() == 1) {
                mv.visitInsn(Opcodes.I2L);
            }
        } else {
            mv.visitLdcInsn(-1L);
        }
        mv.visitLdcInsn(use.op);
        mv.visitLdcInsn(at);
        hook("before", "(" + OBJECT + OBJECT + "JIJ)V");
        mv.visitVarInsn(Opcodes.ALOAD, base);
        for (int i = 0; i < arguments.length; i++) {
            mv.visitVarInsn(arguments[i].getOpcode(Opcodes.ILOAD), locals[i]);
        }
    }

    /** Behind the call, before its result is used. */
    void after(AtomicNames.Use use, long at) {
        int first = arguments.length - use.operands;
        if (use.implied != 0) {
            mv.visitLdcInsn((long) use.implied);
            hook("box", "(J)" + OBJECT);
        } else {
            load(first);
        }
        load(first + 1);
        mv.visitLdcInsn(use.op);
        mv.visitLdcInsn(use.order);
        mv.visitLdcInsn(at);
        hook("after", "(" + OBJECT + OBJECT + "IIJ)V");
    }

    private void load(int argument) {
        if (argument >= arguments.length) {
            mv.visitInsn(Opcodes.ACONST_NULL);
            return;
        }
        mv.visitVarInsn(arguments[argument].getOpcode(Opcodes.ILOAD), locals[argument]);
        String kind = Kinds.descriptor(arguments[argument]);
        if (kind.equals("I")) {
            mv.visitInsn(Opcodes.I2L);
            kind = "J";
        }
        if (!kind.equals(OBJECT)) {
            hook("box", "(" + kind + ")" + OBJECT);
        }
    }

    private void hook(String name, String descriptor) {
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, HANDLES, name, descriptor, false);
    }
}
