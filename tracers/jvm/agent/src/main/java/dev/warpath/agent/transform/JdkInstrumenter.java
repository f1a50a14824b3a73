package dev.warpath.agent.transform;

import dev.warpath.agent.plan.SharedLocations;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Rewrites a class of the JDK that keeps data of the program. Such a class is loaded already, so only the bodies of its
 * methods change, see {@link TwoBodies}. Initialisers of classes have run, or belong to nobody.
 */
final class JdkInstrumenter extends ClassVisitor {
    private final ClassInstrumenter.Context context;
    private final Map<String, MethodNode> originals = new HashMap<>();

    private JdkInstrumenter(ClassInstrumenter.Context context, ClassNode original, ClassVisitor next) {
        super(Opcodes.ASM9, next);
        this.context = context;
        for (MethodNode method : original.methods) {
            originals.put(method.name + method.desc, method);
        }
    }

    static byte[] instrument(byte[] original, Hierarchy hierarchy, Filter filter, SharedLocations shared) {
        ClassNode node = new ClassNode();
        new ClassReader(Excerpt.of(original)).accept(node, ClassReader.EXPAND_FRAMES);
        PlacingReader reader = new PlacingReader(original);
        // Methods that stay as they are are copied.
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        ClassInstrumenter.Context context =
                new ClassInstrumenter.Context(reader, Survey.of(original), hierarchy, filter, shared);
        context.className = node.name;
        context.superName = node.superName;
        reader.accept(new JdkInstrumenter(context, node, writer), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
        Survey.Method method = context.survey.method(name, descriptor);
        boolean isPlain = method == null || !FollowedClasses.hasMethod(context.className, name, descriptor)
                || name.equals("<clinit>") || (access & Opcodes.ACC_SYNCHRONIZED) != 0;
        return isPlain ? next : new MethodInstrumenter(context, method, access,
                new TwoBodies(context.className, originals.get(name + descriptor), next));
    }
}
