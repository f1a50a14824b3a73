package dev.warpath.agent.transform;

import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A class file without the methods that are not followed; the others are as they were, byte for byte. */
final class Excerpt {
    private Excerpt() {}

    static byte[] of(byte[] original) {
        ClassReader reader = new ClassReader(original);
        String className = reader.getClassName();
        if (!className.equals("java/util/Collections") && !className.equals("java/util/Arrays")) {
            return original;
        }
        ClassWriter writer = new ClassWriter(reader, 0);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                return FollowedClasses.hasMethod(className, name, descriptor)
                        ? super.visitMethod(access, name, descriptor, signature, exceptions) : null;
            }
        }, 0);
        return writer.toByteArray();
    }
}
