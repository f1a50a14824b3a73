package dev.warpath.agent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;

/**
 * Reads a stream back, by {@code STREAM.md} and the class files in it alone. It keeps the call stack of every thread and
 * checks as it goes that entries and exits match and that types are those of the instruction at the offset.
 */
final class Decoder {
    /** An event in words. */
    static final class Event {
        final String thread;
        final boolean step;
        final String what;
        final String text;

        Event(String thread, boolean step, String what, String text) {
            this.thread = thread;
            this.step = step;
            this.what = what;
            this.text = text;
        }

        @Override
        public String toString() {
            return thread + (step ? " ! " : " . ") + what + (text.isEmpty() ? "" : " " + text);
        }
    }

    private static final class Method {
        String className;
        String name;
        String descriptor;
        boolean isStatic;
        final Map<Integer, AbstractInsnNode> instructions = new HashMap<>();

        @Override
        public String toString() {
            return className + '.' + name;
        }
    }

    private static final String[] VERBS = {"", "lock", "unlock", "rdlock", "rdunlock", "wrlock", "wrunlock", "wait", "wake",
        "notify", "notify-all", "take", "give", "count", "arrive", "leave", "init", "count-down", "open", "interrupt",
        "test-clear", "test"};
    private static final String[] RESULTS = {"done", "busy", "timed-out", "interrupted", "spurious", "pending", "error"};

    private final ByteBuffer in;
    private final List<String> strings = new ArrayList<>();
    private final List<ClassNode> classes = new ArrayList<>();
    private final List<byte[]> classBytes = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();
    private final List<String> objects = new ArrayList<>();
    private final List<String> threads = new ArrayList<>();
    private final Map<String, Deque<Method>> stacks = new HashMap<>();
    private String thread = "?";
    final List<Event> events = new ArrayList<>();

    private Decoder(byte[] bytes) {
        in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        strings.add("");
    }

    static Decoder read(Path stream) throws IOException {
        Decoder decoder = new Decoder(Files.readAllBytes(stream));
        decoder.decode();
        return decoder;
    }

    /** What is written of the stream, without the rest of the file. */
    byte[] bytes() {
        return java.util.Arrays.copyOf(in.array(), in.position());
    }

    private long u() {
        long value = 0;
        for (int shift = 0;; shift += 7) {
            byte b = in.get();
            value |= (long) (b & 0x7f) << shift;
            if (b >= 0) {
                return value;
            }
        }
    }

    private long s() {
        long value = u();
        return value >>> 1 ^ -(value & 1);
    }

    private String str() {
        return strings.get((int) u());
    }

    private String ref() {
        int number = (int) u();
        return number == 0 ? "null" : objects.get(number - 1);
    }

    private byte[] blob() {
        byte[] bytes = new byte[(int) u()];
        in.get(bytes);
        return bytes;
    }

    private String value(Type type) {
        switch (type.getSort()) {
            case Type.FLOAT:
                return String.valueOf(in.getFloat());
            case Type.DOUBLE:
                return String.valueOf(in.getDouble());
            case Type.OBJECT:
            case Type.ARRAY:
                return ref();
            default:
                return String.valueOf(s());
        }
    }

    private void decode() {
        byte[] magic = new byte[8];
        in.get(magic);
        if (!new String(magic, StandardCharsets.US_ASCII).equals("WPJVM1\n\0")) {
            throw new IllegalStateException("no stream");
        }
        while (in.hasRemaining()) {
            int tag = in.get() & 0xff;
            if (tag == 0) {
                in.position(in.position() - 1);
                return;
            }
            boolean step = tag >= 128;
            if (!define(tag)) {
                event(tag & 0x7f, step);
            }
        }
    }

    private boolean define(int tag) {
        switch (tag) {
            case 1:
                strings.add(new String(blob(), StandardCharsets.UTF_8));
                return true;
            case 2:
                str();
                byte[] bytes = blob();
                ClassNode node = new ClassNode();
                new ClassReader(bytes).accept(node, 0);
                classes.add(node);
                classBytes.add(bytes);
                return true;
            case 3:
                methods.add(method((int) u() - 1, str(), str()));
                return true;
            case 4:
                object();
                return true;
            case 5:
                int parent = (int) u();
                long nth = u();
                str();
                str();
                threads.add(parent == 0 ? "T0" : threads.get(parent - 1) + '.' + nth);
                return true;
            case 6:
                thread = threads.get((int) u() - 1);
                return true;
            default:
                return false;
        }
    }

    private void object() {
        String type = str();
        int kind = (int) u();
        String name = type + '@' + threads.get((int) u() - 1) + ':' + u();
        if (kind == 1) {
            u();
        } else if (kind == 2) {
            name = '"' + str() + '"';
        } else if (kind == 3) {
            name = str();
        } else if (kind == 4) {
            name = type + '=' + s();
        }
        objects.add(name);
    }

    private Method method(int number, String name, String descriptor) {
        ClassNode node = classes.get(number);
        Method method = new Method();
        method.className = node.name.replace('/', '.');
        method.name = name;
        method.descriptor = descriptor;
        int[] offset = {0};
        ClassReader reader = new ClassReader(classBytes.get(number)) {
            @Override
            protected void readBytecodeInstructionOffset(int bytecodeOffset) {
                offset[0] = bytecodeOffset;
            }
        };
        reader.accept(new org.objectweb.asm.ClassVisitor(Opcodes.ASM9) {
            @Override
            public org.objectweb.asm.MethodVisitor visitMethod(int access, String n, String d, String signature,
                    String[] exceptions) {
                if (!n.equals(name) || !d.equals(descriptor)) {
                    return null;
                }
                method.isStatic = (access & Opcodes.ACC_STATIC) != 0;
                return new org.objectweb.asm.MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitFieldInsn(int opcode, String owner, String field, String type) {
                        method.instructions.put(offset[0], new FieldInsnNode(opcode, owner, field, type));
                    }

                    @Override
                    public void visitMethodInsn(int opcode, String owner, String called, String type, boolean itf) {
                        method.instructions.put(offset[0], new MethodInsnNode(opcode, owner, called, type, itf));
                    }

                    @Override
                    public void visitInvokeDynamicInsn(String called, String type, org.objectweb.asm.Handle bootstrap,
                            Object... arguments) {
                        method.instructions.put(offset[0], new InvokeDynamicInsnNode(called, type, bootstrap));
                    }

                    @Override
                    public void visitInsn(int opcode) {
                        method.instructions.put(offset[0], new org.objectweb.asm.tree.InsnNode(opcode));
                    }
                };
            }
        }, 0);
        return method;
    }

    private Deque<Method> stack() {
        return stacks.computeIfAbsent(thread, key -> new ArrayDeque<>());
    }

    private FieldInsnNode field(int pc) {
        return (FieldInsnNode) stack().element().instructions.get(pc);
    }

    private static String owned(FieldInsnNode field) {
        return field.owner.replace('/', '.') + '.' + field.name;
    }

    private Type element(int pc) {
        int opcode = stack().element().instructions.get(pc).getOpcode();
        int first = opcode >= Opcodes.IASTORE ? Opcodes.IASTORE : Opcodes.IALOAD;
        Type[] types = {Type.INT_TYPE, Type.LONG_TYPE, Type.FLOAT_TYPE, Type.DOUBLE_TYPE, Type.getType(Object.class)};
        return opcode - first < types.length ? types[opcode - first] : Type.INT_TYPE;
    }

    private void add(boolean step, String what, Object text) {
        events.add(new Event(thread, step, what, String.valueOf(text)));
    }

    private void event(int tag, boolean step) {
        switch (tag) {
            case 10:
                enter(step);
                break;
            case 11:
                add(step, "exit", stack().pop());
                break;
            case 12:
                add(step, "unwind", stack().pop() + " " + ref());
                break;
            case 13:
                u();
                add(step, "catch", ref());
                break;
            case 14:
                returned(step);
                break;
            case 20:
            case 22:
                FieldInsnNode field = field((int) u());
                add(step, tag == 20 ? "r" : "w", ref() + '.' + field.name + " " + value(Type.getType(field.desc)));
                break;
            case 21:
            case 23:
                FieldInsnNode global = field((int) u());
                add(step, tag == 21 ? "r" : "w", owned(global) + " " + value(Type.getType(global.desc)));
                break;
            case 24:
            case 25:
                Type type = element((int) u());
                add(step, tag == 24 ? "r" : "w", ref() + '[' + s() + "] " + value(type));
                break;
            case 26:
                u();
                add(step, "alloc", ref());
                break;
            default:
                other(tag, step);
        }
    }

    private void enter(boolean step) {
        Method method = methods.get((int) u() - 1);
        StringBuilder text = new StringBuilder(method.toString());
        if (!method.isStatic) {
            text.append(' ').append(ref());
        }
        for (Type argument : Type.getArgumentTypes(method.descriptor)) {
            text.append(' ').append(value(argument));
        }
        stack().push(method);
        add(step, "enter", text);
    }

    private void returned(boolean step) {
        AbstractInsnNode call = stack().element().instructions.get((int) u());
        boolean isDynamic = call instanceof InvokeDynamicInsnNode;
        String name = isDynamic ? ((InvokeDynamicInsnNode) call).name : ((MethodInsnNode) call).name;
        Type type = Type.getReturnType(isDynamic ? ((InvokeDynamicInsnNode) call).desc : ((MethodInsnNode) call).desc);
        add(step, "ret", name + (type.getSort() == Type.VOID ? "" : " " + value(type)));
    }

    private void other(int tag, boolean step) {
        switch (tag) {
            case 30:
                sync(step);
                break;
            case 31:
                atomic(step);
                break;
            case 40:
                u();
                add(step, "fork", threads.get((int) u() - 1));
                break;
            case 41:
                add(step, "begin", "");
                break;
            case 42:
                if (!stack().isEmpty()) {
                    throw new IllegalStateException(thread + " ends within " + stack());
                }
                add(step, "end", "");
                break;
            case 43:
                u();
                String child = threads.get((int) u() - 1);
                u();
                add(step, "join", child + " " + RESULTS[(int) u()]);
                break;
            case 44:
                u();
                add(step, "yield", "");
                break;
            case 45:
                long holder = u();
                String field = str();
                long index = s();
                add(step, "commit", holder == 0 ? field : objects.get((int) holder - 1)
                        + (field.isEmpty() ? "[" + index + ']' : '.' + field));
                break;
            case 46:
                u();
                add(step, "fence", u());
                break;
            case 47:
                u();
                break;
            case 27:
                u();
                add(step, "arraycopy", "");
                break;
            case 50:
                add(step, "input", str() + '#' + u() + " " + u() + " " + s());
                break;
            case 51:
                add(step, "assume", u());
                break;
            case 53:
                ref();
                add(step, "line", u() + " " + u());
                break;
            case 52:
                ref();
                add(step, "text", str());
                break;
            case 60:
                ref();
                add(step, "uncaught", str() + " " + str());
                break;
            case 61:
                add(step, "deadlock", str());
                break;
            case 62:
                add(step, "stop", str() + " " + str());
                break;
            case 63:
                add(step, "note", str());
                break;
            case 64:
                add(step, "exited", s());
                break;
            default:
                throw new IllegalStateException("tag " + tag + " at " + in.position() + " behind " + last());
        }
    }

    private String last() {
        return events.isEmpty() ? "nothing" : events.get(events.size() - 1).toString();
    }

    private void sync(boolean step) {
        u();
        String verb = VERBS[(int) u()];
        int space = (int) u();
        String object = ref();
        long a = u();
        long b = u();
        String result = RESULTS[(int) u()];
        String[] spaces = {"monitor(" + object + ')', object, object + ".read", object + ".write", "permit", "interrupted"};
        String which = space >= 4 ? spaces[space] + '(' + threads.get((int) a - 1) + ')' : spaces[space];
        add(step, verb, which + " " + (space >= 4 ? "" : a + " ") + b + " " + result);
    }

    private void atomic(boolean step) {
        u();
        String object = ref();
        String field = str();
        Type type = Type.getType(str());
        int op = (int) u();
        long order = u();
        StringBuilder text = new StringBuilder(object + (field.startsWith("[") ? "" : ".") + field + " op" + op + " order" + order);
        int operands = op == 0 || op == 8 ? 0 : op == 3 ? 2 : 1;
        for (int i = 0; i < operands; i++) {
            text.append(' ').append(value(type));
        }
        add(step, "atomic", text + " " + value(type) + "->" + value(type));
    }

    /** Prints a stream. */
    public static void main(String[] arguments) throws IOException {
        Decoder decoder = new Decoder(Files.readAllBytes(Path.of(arguments[0])));
        try {
            decoder.decode();
        } finally {
            for (Event event : decoder.events) {
                System.out.println(event);
            }
        }
    }
}
