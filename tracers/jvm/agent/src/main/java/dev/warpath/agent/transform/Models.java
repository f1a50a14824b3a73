package dev.warpath.agent.transform;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.Type;

/**
 * Which class of the agent stands for which class of the JDK. A call of {@code Owner.name(A, B)} becomes one of the public
 * static {@code name(owner, A, B, place)} of that class, if there is one; of a static method, without the owner.
 */
final class Models {
    private final Map<String, Calls.Replacement> replacements = new HashMap<>();

    /** Instance methods of {@code owner} are those of {@code hooks} without their first parameter. */
    void add(String owner, Class<?> hooks) {
        register(owner, hooks, 1);
    }

    /** Likewise for static methods. */
    void addStatic(String owner, Class<?> hooks) {
        register(owner, hooks, 0);
    }

    private void register(String owner, Class<?> hooks, int receivers) {
        for (Method method : hooks.getDeclaredMethods()) {
            Class<?>[] parameters = method.getParameterTypes();
            boolean takesPlace = parameters.length > receivers && parameters[parameters.length - 1] == long.class;
            if (!Modifier.isPublic(method.getModifiers()) || !takesPlace) {
                continue;
            }
            StringBuilder key = new StringBuilder(owner).append('.').append(method.getName()).append('(');
            for (int i = receivers; i < parameters.length - 1; i++) {
                key.append(Type.getDescriptor(parameters[i]));
            }
            key.append(')').append(Type.getDescriptor(method.getReturnType()));
            replacements.put(key.toString(), new Calls.Replacement(Type.getInternalName(hooks), method.getName(),
                    Type.getMethodDescriptor(method), true));
        }
    }

    /** By owner, name and descriptor of what is called. */
    Calls.Replacement of(String method) {
        return replacements.get(method);
    }
}
