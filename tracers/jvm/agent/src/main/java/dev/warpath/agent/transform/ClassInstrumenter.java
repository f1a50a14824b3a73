package dev.warpath.agent.transform;

import dev.warpath.agent.plan.SharedLocations;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Rewrites a class of the program: hooks in its methods, a number in its objects, a hash code that is always the same. */
final class ClassInstrumenter extends ClassVisitor {
    private static final String ID = "warpath$id";
    private static final String IDENTIFIED = "dev/warpath/agent/Identified";

    /** What methods are instrumented by. */
    static final class Context {
        final PlacingReader reader;
        final Survey survey;
        final Hierarchy hierarchy;
        final Filter filter;
        final SharedLocations shared;
        int version;
        String className;
        String superName;

        Context(PlacingReader reader, Survey survey, Hierarchy hierarchy, Filter filter, SharedLocations shared) {
            this.reader = reader;
            this.survey = survey;
            this.hierarchy = hierarchy;
            this.filter = filter;
            this.shared = shared;
        }
    }

    private final Context context;
    private boolean carriesId;
    private boolean needsHash;
    private boolean hasHash;

    private ClassInstrumenter(Context context, ClassVisitor next) {
        super(Opcodes.ASM9, next);
        this.context = context;
    }

    static byte[] instrument(byte[] original, Hierarchy hierarchy, Filter filter, SharedLocations shared) {
        PlacingReader reader = new PlacingReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        Context context = new Context(reader, Survey.of(original), hierarchy, filter, shared);
        reader.accept(new ClassInstrumenter(context, writer), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        context.version = version;
        context.className = name;
        context.superName = superName;
        boolean isClass = (access & Opcodes.ACC_INTERFACE) == 0;
        boolean isFirst = isClass && !context.filter.isApplication(superName);
        carriesId = isFirst;
        needsHash = isFirst && context.hierarchy.hasIdentityHash(superName);
        String[] all = interfaces;
        if (carriesId) {
            all = java.util.Arrays.copyOf(interfaces, interfaces.length + 1);
            all[interfaces.length] = IDENTIFIED;
        }
        String generics = signature == null || !carriesId ? signature : signature + 'L' + IDENTIFIED + ';';
        super.visit(version, access, name, generics, superName, all);
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        hasHash |= name.equals("hashCode") && descriptor.equals("()I");
        Survey.Method method = context.survey.method(name, descriptor);
        // The monitor of a synchronized method is taken by the method itself, see MethodInstrumenter.
        int flags = method == null ? access : access & ~Opcodes.ACC_SYNCHRONIZED;
        MethodVisitor next = super.visitMethod(flags, name, descriptor, signature, exceptions);
        return method == null ? next : new MethodInstrumenter(context, method, access, next);
    }

    @Override
    public void visitEnd() {
        if (carriesId) {
            int hidden = Opcodes.ACC_SYNTHETIC;
            super.visitField(Opcodes.ACC_PRIVATE | Opcodes.ACC_TRANSIENT | hidden, ID, "J", null, null).visitEnd();
            MethodVisitor get = super.visitMethod(Opcodes.ACC_PUBLIC | hidden, ID, "()J", null, null);
            get.visitCode();
            get.visitVarInsn(Opcodes.ALOAD, 0);
            get.visitFieldInsn(Opcodes.GETFIELD, context.className, ID, "J");
            get.visitInsn(Opcodes.LRETURN);
            get.visitMaxs(0, 0);
            get.visitEnd();
            MethodVisitor set = super.visitMethod(Opcodes.ACC_PUBLIC | hidden, ID, "(J)V", null, null);
            set.visitCode();
            set.visitVarInsn(Opcodes.ALOAD, 0);
            set.visitVarInsn(Opcodes.LLOAD, 1);
            set.visitFieldInsn(Opcodes.PUTFIELD, context.className, ID, "J");
            set.visitInsn(Opcodes.RETURN);
            set.visitMaxs(0, 0);
            set.visitEnd();
        }
        if (needsHash && !hasHash) {
            MethodVisitor hash = super.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_SYNTHETIC, "hashCode", "()I", null,
                    null);
            hash.visitCode();
            hash.visitVarInsn(Opcodes.ALOAD, 0);
            hash.visitMethodInsn(Opcodes.INVOKESTATIC, "dev/warpath/agent/hook/Clock", "identityHashCode",
                    "(Ljava/lang/Object;)I", false);
            hash.visitInsn(Opcodes.IRETURN);
            hash.visitMaxs(0, 0);
            hash.visitEnd();
        }
        super.visitEnd();
    }
}
