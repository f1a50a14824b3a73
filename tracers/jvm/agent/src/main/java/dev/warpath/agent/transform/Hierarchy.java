package dev.warpath.agent.transform;

import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Opcodes;

/** Classes of one class loader, known from their bytes: none is loaded for being asked about. */
final class Hierarchy {
    private final ClassLoader loader;
    private final Filter filter;
    private final Map<String, ClassInfo> classes = new HashMap<>();

    Hierarchy(ClassLoader loader, Filter filter) {
        this.loader = loader;
        this.filter = filter;
    }

    void add(String name, ClassInfo info) {
        classes.put(name, info);
    }

    private ClassInfo find(String name) {
        if (!classes.containsKey(name)) {
            classes.put(name, read(name));
        }
        return classes.get(name);
    }

    private ClassInfo read(String name) {
        String resource = name + ".class";
        try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(resource)
                : loader.getResourceAsStream(resource)) {
            return in == null ? null : ClassInfo.read(in.readAllBytes());
        } catch (IOException | RuntimeException error) {
            return null;
        }
    }

    /** The class that declares a static field which {@code owner} names; {@code owner} itself if it is not found. */
    String declaringField(String owner, String field) {
        String found = searchField(owner, field);
        return found == null ? owner : found;
    }

    private String searchField(String owner, String field) {
        for (String name = owner; name != null; ) {
            ClassInfo info = find(name);
            if (info == null) {
                return null;
            }
            if (info.fields.containsKey(field)) {
                return name;
            }
            for (String type : info.interfaces) {
                String found = searchField(type, field);
                if (found != null) {
                    return found;
                }
            }
            name = info.superName;
        }
        return null;
    }

    /** May a write to this field be buffered? Not if it is volatile, or nobody knows. */
    boolean isPlain(String declaring, String field) {
        ClassInfo info = find(declaring);
        Integer access = info == null ? null : info.fields.get(field);
        return access != null && (access & Opcodes.ACC_VOLATILE) == 0;
    }

    /** Has the class final fields of its own? */
    boolean hasFinalFields(String name) {
        ClassInfo info = find(name);
        if (info != null) {
            for (int access : info.fields.values()) {
                if ((access & Opcodes.ACC_FINAL) != 0 && (access & Opcodes.ACC_STATIC) == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Does a call of this method of a class surely end up in instrumented code? */
    boolean isSurelyInstrumented(String owner, String method, boolean isInterface) {
        // Interfaces of the program may be implemented by lambdas and proxies, which are not instrumented.
        if (isInterface || !filter.isApplication(owner)) {
            return false;
        }
        for (String name = owner; name != null && filter.isApplication(name); ) {
            ClassInfo info = find(name);
            if (info == null) {
                return false;
            }
            Integer access = info.methods.get(method);
            if (access != null) {
                return (access & Opcodes.ACC_NATIVE) == 0;
            }
            name = info.superName;
        }
        return false;
    }

    /** The first ancestor that is not instrumented. */
    String foreignAncestor(String owner) {
        String name = owner;
        while (name != null && filter.isApplication(name)) {
            ClassInfo info = find(name);
            name = info == null ? null : info.superName;
        }
        return name;
    }

    /** Is this class of the JDK a thread, if a method is not the program's own? */
    boolean isThread(String owner) {
        String name = owner;
        while (name != null && !name.equals("java/lang/Thread")) {
            ClassInfo info = find(name);
            name = info == null || name.equals("java/lang/Object") ? null : info.superName;
        }
        return name != null;
    }

    /** Do objects of the class have the hash code of {@code Object}? */
    boolean hasIdentityHash(String superName) {
        for (String name = superName; name != null; ) {
            if (name.equals("java/lang/Object")) {
                return true;
            }
            ClassInfo info = find(name);
            if (info == null || info.methods.containsKey("hashCode()I")) {
                return false;
            }
            name = info.superName;
        }
        return false;
    }
}
