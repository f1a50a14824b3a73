package dev.warpath.agent.transform;

import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * A method of the JDK with two bodies: what is visited, for the program's own objects, and the original one for
 * everything else that the JDK and the agent do with the same class. Methods cannot be added to a class that is loaded,
 * so both are in one.
 */
final class TwoBodies extends MethodVisitor {
    private static final String HOOK = "dev/warpath/agent/hook/Jdk";

    private final String className;
    private final MethodNode original;
    private final Label plain = new Label();

    TwoBodies(String className, MethodNode original, MethodVisitor next) {
        super(Opcodes.ASM9, next);
        this.className = className;
        this.original = original;
    }

    private boolean isStatic() {
        return (original.access & Opcodes.ACC_STATIC) != 0;
    }

    private boolean isConstructor() {
        return original.name.equals("<init>");
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (isStatic() || isConstructor()) {
            super.visitLdcInsn(key(className, original.name, original.desc));
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "isExpected", "(Ljava/lang/String;)Z", false);
        } else {
            super.visitVarInsn(Opcodes.ALOAD, 0);
            super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, "isFollowed", "(Ljava/lang/Object;)Z", false);
        }
        super.visitJumpInsn(Opcodes.IFEQ, plain);
    }

    /** How instrumented code announces a call that has no object yet. */
    static String key(String owner, String name, String descriptor) {
        return owner + '.' + name + descriptor;
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        for (TryCatchBlockNode block : original.tryCatchBlocks) {
            block.accept(mv);
        }
        super.visitLabel(plain);
        Object[] locals = locals();
        super.visitFrame(Opcodes.F_NEW, locals.length, locals, 0, new Object[0]);
        // Should the original begin with a frame of its own, there is an instruction between the two.
        super.visitInsn(Opcodes.NOP);
        for (AbstractInsnNode instruction : original.instructions) {
            instruction.accept(mv);
        }
        super.visitMaxs(maxStack, maxLocals);
    }

    /** What the locals are when the method begins. */
    private Object[] locals() {
        java.util.List<Object> locals = new java.util.ArrayList<>();
        if (isConstructor()) {
            locals.add(Opcodes.UNINITIALIZED_THIS);
        } else if (!isStatic()) {
            locals.add(className);
        }
        for (Type argument : Type.getArgumentTypes(original.desc)) {
            switch (argument.getSort()) {
                case Type.LONG:
                    locals.add(Opcodes.LONG);
                    break;
                case Type.DOUBLE:
                    locals.add(Opcodes.DOUBLE);
                    break;
                case Type.FLOAT:
                    locals.add(Opcodes.FLOAT);
                    break;
                case Type.ARRAY:
                case Type.OBJECT:
                    locals.add(argument.getInternalName());
                    break;
                default:
                    locals.add(Opcodes.INTEGER);
            }
        }
        return locals.toArray();
    }
}
