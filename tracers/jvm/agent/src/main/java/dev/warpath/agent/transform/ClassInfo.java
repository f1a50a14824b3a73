package dev.warpath.agent.transform;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** What other classes have to know of a class. */
final class ClassInfo {
    String superName;
    String[] interfaces = {};
    /** Access flags of fields, by name. */
    final Map<String, Integer> fields = new HashMap<>();
    /** Access flags of methods, by name and descriptor. */
    final Map<String, Integer> methods = new HashMap<>();

    static ClassInfo read(byte[] bytes) {
        ClassInfo info = new ClassInfo();
        ClassVisitor visitor = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public void visit(int version, int access, String name, String signature, String superName,
                    String[] interfaces) {
                info.superName = superName;
                info.interfaces = interfaces == null ? new String[0] : interfaces;
            }

            @Override
            public FieldVisitor visitField(int access, String name, String descriptor, String signature,
                    Object value) {
                info.fields.put(name, access);
                return null;
            }

            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature,
                    String[] exceptions) {
                info.methods.put(name + descriptor, access);
                return null;
            }
        };
        new ClassReader(bytes).accept(visitor, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return info;
    }
}
