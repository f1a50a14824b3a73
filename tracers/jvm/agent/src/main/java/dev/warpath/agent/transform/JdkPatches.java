package dev.warpath.agent.transform;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Hooks at the beginning of methods of the JDK through which everything that starts, ends or blocks a thread goes. */
public final class JdkPatches {
    private static final String FORK_JOIN_WORKER = "java/util/concurrent/ForkJoinWorkerThread";
    private static final String FORK_JOIN_POOL = "java/util/concurrent/ForkJoinPool";
    private static final String SYNCHRONIZED_COLLECTIONS = "java/util/Collections$Synchronized";
    private static final String HOOK = "dev/warpath/agent/hook/ThreadHook";

    /** What is put at the beginning of a method, or before its returns. */
    private static final class Patch {
        final String hook;
        /** Returns what the hook says is done: {@code Z} if true, {@code I} the value if it is not negative. */
        final String result;
        final boolean takesArguments;
        final boolean atEnd;

        Patch(String hook, String result, boolean takesArguments, boolean atEnd) {
            this.hook = hook;
            this.result = result;
            this.takesArguments = takesArguments;
            this.atEnd = atEnd;
        }
    }

    private static final Map<String, Patch> PATCHES = new HashMap<>();

    static {
        String thread = "java/lang/Thread.";
        PATCHES.put(thread + "start()V", new Patch("starting", "V", true, false));
        // How executors of newer JDKs start their threads.
        PATCHES.put(thread + "start(Ljdk/internal/vm/ThreadContainer;)V", new Patch("starting", "V", true, false));
        PATCHES.put(FORK_JOIN_WORKER + ".run()V", new Patch("running", "V", false, false));
        PATCHES.put(thread + "run()V", new Patch("running", "V", false, false));
        PATCHES.put(thread + "exit()V", new Patch("exiting", "V", false, false));
        PATCHES.put(thread + "dispatchUncaughtException(Ljava/lang/Throwable;)V",
                new Patch("uncaught", "V", false, false));
        PATCHES.put(thread + "join(J)V", new Patch("join", "Z", true, false));
        PATCHES.put(thread + "sleep(J)V", new Patch("sleep", "Z", true, false));
        PATCHES.put(thread + "sleep(JI)V", new Patch("sleep", "Z", true, false));
        PATCHES.put(thread + "yield()V", new Patch("giveWay", "Z", true, false));
        PATCHES.put(thread + "interrupt()V", new Patch("interrupt", "Z", true, false));
        PATCHES.put(thread + "isInterrupted()Z", new Patch("isInterrupted", "I", true, false));
        PATCHES.put(thread + "interrupted()Z", new Patch("interrupted", "I", true, false));
        String support = "java/util/concurrent/locks/LockSupport.";
        PATCHES.put(support + "park()V", new Patch("park", "Z", false, false));
        PATCHES.put(support + "park(Ljava/lang/Object;)V", new Patch("park", "Z", false, false));
        PATCHES.put(support + "parkNanos(J)V", new Patch("parkNanos", "Z", true, false));
        PATCHES.put(support + "parkNanos(Ljava/lang/Object;J)V", new Patch("parkNanos", "Z", true, false));
        PATCHES.put(support + "parkUntil(J)V", new Patch("parkUntil", "Z", true, false));
        PATCHES.put(support + "parkUntil(Ljava/lang/Object;J)V", new Patch("parkUntil", "Z", true, false));
        PATCHES.put(support + "unpark(Ljava/lang/Thread;)V", new Patch("unpark", "Z", true, false));
        PATCHES.put("java/lang/Shutdown.halt(I)V", new Patch("halting", "V", true, false));
        PATCHES.put("java/lang/Shutdown.shutdown()V", new Patch("shutDown", "V", false, true));
    }

    private JdkPatches() {}

    /** The classes that are patched. */
    public static Class<?>[] classes() throws ClassNotFoundException {
        return new Class<?>[] {
            Thread.class, java.util.concurrent.locks.LockSupport.class, Class.forName("java.lang.Shutdown"),
            java.util.concurrent.ForkJoinWorkerThread.class, java.util.concurrent.ForkJoinPool.class,
            Class.forName("java.util.Collections$SynchronizedCollection"),
            Class.forName("java.util.Collections$SynchronizedList"),
            Class.forName("java.util.Collections$SynchronizedMap"),
        };
    }

    static byte[] patch(String className, byte[] original) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        boolean[] patched = {false};
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
                if (className.equals(FORK_JOIN_POOL)) {
                    patched[0] = true;
                    return new ParkRedirection(next);
                }
                if (className.startsWith(SYNCHRONIZED_COLLECTIONS)) {
                    patched[0] = true;
                    return new MonitorHooks(next);
                }
                Patch patch = PATCHES.get(className + '.' + name + descriptor);
                if (patch == null || (access & Opcodes.ACC_NATIVE) != 0) {
                    return next;
                }
                patched[0] = true;
                return new PatchedMethod(className, access, descriptor, patch, next);
            }
        }, ClassReader.EXPAND_FRAMES);
        return patched[0] ? writer.toByteArray() : null;
    }

    /** The monitors of synchronized collections are the program's. */
    private static final class MonitorHooks extends MethodVisitor {
        MonitorHooks(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitInsn(int opcode) {
            if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
                super.visitInsn(Opcodes.DUP);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, "dev/warpath/agent/hook/Monitor",
                        opcode == Opcodes.MONITORENTER ? "enterKnown" : "exitKnown", "(Ljava/lang/Object;)V", false);
            }
            super.visitInsn(opcode);
        }
    }

    /** Newer fork/join pools park without {@code LockSupport}, in the JVM itself. */
    private static final class ParkRedirection extends MethodVisitor {
        ParkRedirection(MethodVisitor next) {
            super(Opcodes.ASM9, next);
        }

        @Override
        public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
            boolean parks = owner.equals("jdk/internal/misc/Unsafe")
                    && (name.equals("park") && descriptor.equals("(ZJ)V")
                            || name.equals("unpark") && descriptor.equals("(Ljava/lang/Object;)V"));
            if (parks) {
                super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, name + "Bare",
                        "(Ljava/lang/Object;" + descriptor.substring(1), false);
            } else {
                super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            }
        }
    }

    private static final class PatchedMethod extends MethodVisitor {
        private final String className;
        private final boolean isStatic;
        private final String descriptor;
        private final Patch patch;

        PatchedMethod(String className, int access, String descriptor, Patch patch, MethodVisitor next) {
            super(Opcodes.ASM9, next);
            this.className = className;
            isStatic = (access & Opcodes.ACC_STATIC) != 0;
            this.descriptor = descriptor;
            this.patch = patch;
        }

        @Override
        public void visitCode() {
            super.visitCode();
            if (patch.atEnd) {
                return;
            }
            emitCall();
            if (patch.result.equals("V")) {
                return;
            }
            Label goOn = new Label();
            if (patch.result.equals("Z")) {
                visitJumpInsn(Opcodes.IFEQ, goOn);
                visitInsn(Opcodes.RETURN);
                frame(goOn, 0, new Object[0]);
            } else {
                visitInsn(Opcodes.DUP);
                visitJumpInsn(Opcodes.IFLT, goOn);
                visitInsn(Opcodes.IRETURN);
                frame(goOn, 1, new Object[] {Opcodes.INTEGER});
                visitInsn(Opcodes.POP);
            }
            // Should the method begin with a frame of its own, there is an instruction between the two.
            visitInsn(Opcodes.NOP);
        }

        private void emitCall() {
            StringBuilder parameters = new StringBuilder("(");
            int local = 0;
            if (!isStatic) {
                if (patch.takesArguments) {
                    visitVarInsn(Opcodes.ALOAD, 0);
                    parameters.append('L').append(className).append(';');
                }
                local = 1;
            }
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                // What a thread is blocked by, or belongs to, is of no interest.
                String type = argument.getDescriptor();
                boolean isBlocker = type.equals("Ljava/lang/Object;") || type.startsWith("Ljdk/");
                if (!isBlocker && (patch.takesArguments || patch.hook.equals("uncaught"))) {
                    visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
                    parameters.append(argument.getDescriptor());
                }
                local += argument.getSize();
            }
            String result = patch.result;
            visitMethodInsn(Opcodes.INVOKESTATIC, HOOK, patch.hook, parameters.append(')').append(result).toString(),
                    false);
        }

        private void frame(Label label, int stackSize, Object[] stack) {
            visitLabel(label);
            java.util.List<Object> locals = new java.util.ArrayList<>();
            if (!isStatic) {
                locals.add(className);
            }
            for (Type argument : Type.getArgumentTypes(descriptor)) {
                switch (argument.getSort()) {
                    case Type.LONG:
                        locals.add(Opcodes.LONG);
                        break;
                    case Type.INT:
                        locals.add(Opcodes.INTEGER);
                        break;
                    default:
                        locals.add(argument.getInternalName());
                }
            }
            visitFrame(Opcodes.F_NEW, locals.size(), locals.toArray(), stackSize, stack);
        }

        @Override
        public void visitInsn(int opcode) {
            if (patch.atEnd && opcode == Opcodes.RETURN) {
                emitCall();
            }
            super.visitInsn(opcode);
        }
    }
}
