package dev.warpath.agent.transform;

import dev.warpath.agent.memory.StoreBuffer;
import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.commons.AnalyzerAdapter;

/**
 * Rewrites a method: hooks around what it does. Everything that is put in is straight-line code that leaves the stack as
 * it was, so the frames of the original stay right; only the handlers at the end, for exceptions that leave the method,
 * get frames of their own.
 *
 * <p>The analysis that this class inherits follows the original instructions; hooks go past it, to {@code mv}.
 */
final class MethodInstrumenter extends AnalyzerAdapter {
    private static final String FLOW = "dev/warpath/agent/hook/Flow";
    private static final String FENCES = "dev/warpath/agent/hook/Fences";
    private static final String MONITOR = "dev/warpath/agent/hook/Monitor";
    private static final String THREAD = "dev/warpath/agent/hook/ThreadHook";

    private final ClassInstrumenter.Context context;
    private final Survey.Method method;
    private final int access;
    private final boolean isConstructor;
    private final boolean isInitialiser;
    private final boolean isSynchronized;
    private final AccessEmitter accesses;
    private final Set<Label> handlers = new HashSet<>();
    private boolean atHandler;
    private final Guards guards;

    MethodInstrumenter(ClassInstrumenter.Context context, Survey.Method method, int access, MethodVisitor next) {
        super(Opcodes.ASM9, context.className, access, method.name, method.descriptor, next);
        this.context = context;
        this.method = method;
        this.access = access;
        isConstructor = method.name.equals("<init>");
        isInitialiser = method.name.equals("<clinit>");
        isSynchronized = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
        if (isSynchronized && !isStatic() && method.overwritesThis) {
            throw new IllegalArgumentException("the synchronized method " + method.name + " assigns to `this`");
        }
        accesses = new AccessEmitter(context, next, method.locals);
        guards = new Guards(next);
    }

    private boolean isStatic() {
        return (access & Opcodes.ACC_STATIC) != 0;
    }

    private long place() {
        return (long) method.number << 16 | context.reader.offset;
    }

    private void hook(String owner, String name, String descriptor) {
        mv.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, descriptor, false);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (isInitialiser) {
            hook(FLOW, "initialise", "()V");
        }
        if (method.name.equals("main") && method.descriptor.equals("([Ljava/lang/String;)V") && isStatic()) {
            mv.visitVarInsn(Opcodes.ALOAD, 0);
            hook("dev/warpath/agent/model/SymbolicText", "arguments", "([Ljava/lang/String;)V");
        }
        emitEntry();
        if (isSynchronized) {
            pushLock();
            mv.visitLdcInsn((long) method.number << 16);
            hook(MONITOR, "enter", "(Ljava/lang/Object;J)V");
            pushLock();
            mv.visitInsn(Opcodes.MONITORENTER);
        }
        guards.continueWith(!isConstructor);
    }

    private void pushLock() {
        if (isStatic()) {
            mv.visitLdcInsn(Type.getObjectType(context.className));
        } else {
            mv.visitVarInsn(Opcodes.ALOAD, 0);
        }
    }

    private void emitEntry() {
        Type[] arguments = Type.getArgumentTypes(method.descriptor);
        mv.visitLdcInsn(method.number);
        if (isStatic() && arguments.length == 0) {
            hook(FLOW, "enterBare", "(I)V");
            return;
        }
        hook(FLOW, "enter", "(I)V");
        int local = 0;
        if (isConstructor) {
            hook(FLOW, "argumentUninitialised", "()V");
            local = 1;
        } else if (!isStatic()) {
            mv.visitVarInsn(Opcodes.ALOAD, local++);
            hook(FLOW, "argument", "(Ljava/lang/Object;)V");
        }
        for (Type argument : arguments) {
            mv.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
            hook(FLOW, "argument", "(" + Kinds.descriptor(argument) + ")V");
            local += argument.getSize();
        }
        hook(FLOW, "entered", "()V");
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        handlers.add(handler);
        super.visitTryCatchBlock(start, end, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
        super.visitLabel(label);
        atHandler |= handlers.contains(label);
    }

    @Override
    public void visitFrame(int type, int numLocal, Object[] local, int numStack, Object[] stack) {
        super.visitFrame(type, numLocal, local, numStack, stack);
        if (isConstructor) {
            guards.continueWith(!isThisUninitialised());
        }
    }

    private boolean isThisUninitialised() {
        return locals != null && !locals.isEmpty() && locals.get(0) == Opcodes.UNINITIALIZED_THIS;
    }

    /** Before every instruction: control may just have come to a handler. */
    private void before() {
        if (atHandler) {
            atHandler = false;
            mv.visitInsn(Opcodes.DUP);
            mv.visitLdcInsn(place());
            hook(FLOW, "caught", "(Ljava/lang/Throwable;J)V");
        }
    }

    @Override
    public void visitInsn(int opcode) {
        before();
        if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            emitExit();
            super.visitInsn(opcode);
            if (isSynchronized) {
                guards.open();
            }
        } else if (stack == null) {
            super.visitInsn(opcode);
        } else if (opcode == Opcodes.MONITORENTER || opcode == Opcodes.MONITOREXIT) {
            mv.visitInsn(Opcodes.DUP);
            mv.visitLdcInsn(place());
            hook(MONITOR, opcode == Opcodes.MONITORENTER ? "enter" : "exit", "(Ljava/lang/Object;J)V");
            super.visitInsn(opcode);
        } else if (opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD) {
            accesses.beforeLoad(opcode, place());
            super.visitInsn(opcode);
            accesses.afterLoad(opcode, place());
        } else if (opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE) {
            accesses.beforeStore(opcode, place());
            super.visitInsn(opcode);
            accesses.afterStore(opcode, place());
        } else {
            super.visitInsn(opcode);
        }
    }

    private void emitExit() {
        if (isSynchronized) {
            // What follows releases the monitor, so the handler that does the same must not cover it.
            mv.visitInsn(Opcodes.NOP);
            guards.close();
            emitRelease();
        }
        if (StoreBuffer.isPartial() && isConstructor && context.hierarchy.hasFinalFields(context.className)) {
            mv.visitLdcInsn(place());
            hook(FENCES, "frozen", "(J)V");
        }
        if (StoreBuffer.isUsed() && isInitialiser) {
            mv.visitLdcInsn(place());
            hook(FENCES, "initialised", "(J)V");
        }
        hook(FLOW, "exit", "()V");
        if (isInitialiser) {
            hook(FLOW, "initialised", "()V");
        }
    }

    private void emitRelease() {
        pushLock();
        mv.visitLdcInsn((long) method.number << 16);
        hook(MONITOR, "exit", "(Ljava/lang/Object;J)V");
        pushLock();
        mv.visitInsn(Opcodes.MONITOREXIT);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        before();
        super.visitIntInsn(opcode, operand);
        if (opcode == Opcodes.NEWARRAY) {
            emitAllocated(place());
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        before();
        super.visitTypeInsn(opcode, type);
        if (opcode == Opcodes.ANEWARRAY) {
            emitAllocated(place());
        }
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        before();
        super.visitMultiANewArrayInsn(descriptor, dimensions);
        mv.visitInsn(Opcodes.DUP);
        mv.visitLdcInsn(place());
        hook(FLOW, "allocatedNested", "(Ljava/lang/Object;J)V");
    }

    private void emitAllocated(long at) {
        mv.visitInsn(Opcodes.DUP);
        mv.visitLdcInsn(at);
        hook(FLOW, "allocated", "(Ljava/lang/Object;J)V");
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        before();
        if (stack == null) {
            super.visitFieldInsn(opcode, owner, name, descriptor);
            return;
        }
        boolean early = false;
        if (opcode == Opcodes.PUTFIELD) {
            Object object = stack.get(stack.size() - 1 - Type.getType(descriptor).getSize());
            early = object == Opcodes.UNINITIALIZED_THIS;
        }
        accesses.beforeField(opcode, owner, name, descriptor, early, place());
        super.visitFieldInsn(opcode, owner, name, descriptor);
        accesses.afterField(opcode, owner, name, descriptor, early, place());
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        before();
        if (stack == null) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else if (name.equals("<init>")) {
            emitConstruction(owner, descriptor);
        } else if (!Calls.isVerifier(owner, name, descriptor)
                && context.hierarchy.isSurelyInstrumented(owner, name + descriptor, isInterface)) {
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else {
            emitForeignCall(opcode, owner, name, descriptor, isInterface);
        }
    }

    private void emitForeignCall(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        long at = place();
        AtomicNames.Use use = AtomicNames.of(owner, name, descriptor);
        if (use != null) {
            AtomicEmitter emitter = new AtomicEmitter(mv, method.locals + AccessEmitter.LOCALS);
            emitter.before(use, descriptor, at);
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
            emitter.after(use, at);
            emitReturned(Type.getReturnType(descriptor), at);
            return;
        }
        Calls.Replacement replacement = Calls.of(context.hierarchy, owner, name, descriptor);
        if (replacement == null) {
            if (name.equals("start") && descriptor.equals("()V") && context.hierarchy.isThread(owner)) {
                mv.visitInsn(Opcodes.DUP);
                mv.visitLdcInsn(at);
                hook(THREAD, "starting", "(Ljava/lang/Thread;J)V");
            }
            emitCall(at);
            if (opcode == Opcodes.INVOKESTATIC) {
                emitExpectation(owner, name, descriptor);
            }
            super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        } else {
            if (replacement.takesPlace) {
                mv.visitLdcInsn(at);
            }
            hook(replacement.owner, replacement.name, replacement.descriptor);
            analyse(opcode, owner, name, descriptor, isInterface);
        }
        emitReturned(Type.getReturnType(descriptor), at);
    }

    /** Lets the analysis see a call that was replaced. */
    private void analyse(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        MethodVisitor next = mv;
        mv = null;
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        mv = next;
    }

    private void emitCall(long at) {
        mv.visitLdcInsn(at);
        hook(FLOW, "call", "(J)V");
    }

    /** Methods of the JDK that are followed cannot tell otherwise who calls them. */
    private void emitExpectation(String owner, String name, String descriptor) {
        if (FollowedClasses.contains(owner)) {
            mv.visitLdcInsn(TwoBodies.key(owner, name, descriptor));
            hook("dev/warpath/agent/hook/Jdk", "expect", "(Ljava/lang/String;)V");
        }
    }

    private void emitReturned(Type type, long at) {
        if (type.getSort() == Type.VOID) {
            mv.visitLdcInsn(at);
            hook(FLOW, "returned", "(J)V");
            return;
        }
        mv.visitInsn(type.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP);
        mv.visitLdcInsn(at);
        hook(FLOW, "returned", "(" + Kinds.descriptor(type) + "J)V");
    }

    /** A constructor is called: of {@code super}, of {@code this}, or of a new object. */
    private void emitConstruction(String owner, String descriptor) {
        int arguments = Type.getArgumentsAndReturnSizes(descriptor) >> 2;
        int receiver = stack.size() - arguments;
        boolean isOnThis = stack.get(receiver) == Opcodes.UNINITIALIZED_THIS;
        // A copy of the reference below it will be there when the object is made.
        boolean isKept = !isOnThis && receiver > 0 && stack.get(receiver - 1) == stack.get(receiver);
        long at = place();
        if (context.filter.isApplication(owner)) {
            super.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, "<init>", descriptor, false);
        } else {
            emitCall(at);
            emitExpectation(owner, "<init>", descriptor);
            if (owner.equals("java/util/Random") && descriptor.equals("()V")) {
                hook("dev/warpath/agent/hook/Clock", "seed", "()J");
                mv.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, "<init>", "(J)V", false);
                analyse(Opcodes.INVOKESPECIAL, owner, "<init>", descriptor, false);
            } else {
                super.visitMethodInsn(Opcodes.INVOKESPECIAL, owner, "<init>", descriptor, false);
            }
            if (isOnThis) {
                mv.visitVarInsn(Opcodes.ALOAD, 0);
            } else if (isKept) {
                mv.visitInsn(Opcodes.DUP);
            }
            if (isOnThis || isKept) {
                mv.visitLdcInsn(at);
                hook(FLOW, "allocated", "(Ljava/lang/Object;J)V");
            }
            if (isKept && ConcurrentModels.isCreated(owner)) {
                mv.visitInsn(Opcodes.DUP);
                mv.visitLdcInsn(at);
                hook("dev/warpath/agent/hook/concurrent/Creation", "created", "(Ljava/lang/Object;J)V");
            }
            mv.visitLdcInsn(at);
            hook(FLOW, "returned", "(J)V");
        }
        if (isOnThis) {
            guards.continueWith(true);
        }
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        before();
        long at = place();
        emitCall(at);
        super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
        if (stack != null) {
            emitReturned(Type.getReturnType(descriptor), at);
        }
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        before();
        super.visitVarInsn(opcode, variable);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        before();
        super.visitJumpInsn(opcode, label);
    }

    @Override
    public void visitLdcInsn(Object value) {
        before();
        super.visitLdcInsn(value);
    }

    @Override
    public void visitIincInsn(int variable, int increment) {
        before();
        super.visitIincInsn(variable, increment);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label other, Label... labels) {
        before();
        super.visitTableSwitchInsn(min, max, other, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label other, int[] keys, Label[] labels) {
        before();
        super.visitLookupSwitchInsn(other, keys, labels);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        guards.close();
        Object[] receiver = isSynchronized && !isStatic() ? new Object[] {context.className} : new Object[0];
        if (guards.beginHandler(receiver)) {
            emitUnwinding();
        }
        mv.visitMaxs(maxStack, maxLocals);
    }

    private void emitUnwinding() {
        if (isSynchronized) {
            mv.visitInsn(Opcodes.DUP);
            mv.visitLdcInsn(method.number);
            hook(FLOW, "unwindTo", "(Ljava/lang/Throwable;I)V");
            emitRelease();
        }
        mv.visitInsn(Opcodes.DUP);
        mv.visitLdcInsn(method.number);
        hook(FLOW, "unwind", "(Ljava/lang/Throwable;I)V");
        if (isInitialiser) {
            hook(FLOW, "initialised", "()V");
        }
        mv.visitInsn(Opcodes.ATHROW);
    }
}
