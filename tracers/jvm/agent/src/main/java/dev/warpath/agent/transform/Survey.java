package dev.warpath.agent.transform;

import dev.warpath.agent.schedule.Place;
import dev.warpath.agent.stream.Definitions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** A first look at a class: its methods with code, how many locals they have and where their lines begin. */
final class Survey extends ClassVisitor {
    /** What is known of a method before it is instrumented. */
    static final class Method {
        final String name;
        final String descriptor;
        int number;
        int locals;
        /** It assigns to its local 0, so that this does not stay {@code this}. */
        boolean overwritesThis;
        private final List<Integer> offsets = new ArrayList<>();
        private final List<Integer> lines = new ArrayList<>();

        Method(String name, String descriptor) {
            this.name = name;
            this.descriptor = descriptor;
        }
    }

    private final PlacingReader reader;
    private final List<Method> methods = new ArrayList<>();
    private final Map<String, Method> byName = new HashMap<>();
    private String className;
    private String file;

    private Survey(PlacingReader reader) {
        super(Opcodes.ASM9);
        this.reader = reader;
    }

    /** Looks at the class and gives its methods their numbers. */
    static Survey of(byte[] whole) {
        byte[] original = Excerpt.of(whole);
        PlacingReader reader = new PlacingReader(original);
        Survey survey = new Survey(reader);
        reader.accept(survey, ClassReader.SKIP_FRAMES);
        String[] names = new String[survey.methods.size() * 2];
        for (int i = 0; i < survey.methods.size(); i++) {
            names[2 * i] = survey.methods.get(i).name;
            names[2 * i + 1] = survey.methods.get(i).descriptor;
        }
        int number = Definitions.add(survey.className, original, names);
        for (Method method : survey.methods) {
            method.number = number++;
            Place.describe(method.number, survey.file, survey.className + '.' + method.name, array(method.offsets),
                    array(method.lines));
        }
        return survey;
    }

    Method method(String name, String descriptor) {
        return byName.get(name + descriptor);
    }

    private static int[] array(List<Integer> numbers) {
        int[] array = new int[numbers.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = numbers.get(i);
        }
        return array;
    }

    @Override
    public void visit(int version, int access, String name, String signature, String superName, String[] interfaces) {
        className = name.replace('/', '.');
    }

    @Override
    public void visitSource(String source, String debug) {
        file = source;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) != 0) {
            return null;
        }
        Method method = new Method(name, descriptor);
        methods.add(method);
        byName.put(name + descriptor, method);
        return new MethodVisitor(Opcodes.ASM9) {
            @Override
            public void visitLineNumber(int line, Label start) {
                method.offsets.add(reader.offset);
                method.lines.add(line);
            }

            @Override
            public void visitVarInsn(int opcode, int variable) {
                method.overwritesThis |= variable == 0 && opcode == Opcodes.ASTORE;
            }

            @Override
            public void visitMaxs(int maxStack, int maxLocals) {
                method.locals = maxLocals;
            }
        };
    }
}
