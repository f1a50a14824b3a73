package dev.warpath.junit;

import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The program that is explored: one test method, once. */
public final class OneTest {
    private OneTest() {}

    /** Takes the names of a class and of its method; what the method throws ends the program. */
    public static void main(String[] names) throws Throwable {
        Class<?> target = Class.forName(names[0]);
        Constructor<?> constructor = target.getDeclaredConstructor();
        constructor.setAccessible(true);
        try {
            Object test = constructor.newInstance();
            callAll(test, BeforeEach.class, true);
            call(test, method(target, names[1]));
            callAll(test, AfterEach.class, false);
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static Method method(Class<?> target, String name) throws NoSuchMethodException {
        for (Class<?> declaring = target; declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.isAnnotationPresent(WarpathTest.class)) {
                    return method;
                }
            }
        }
        throw new NoSuchMethodException(target.getName() + "." + name + " is not a @WarpathTest");
    }

    /** Those of superclasses come first before a test, and last after it. */
    private static void callAll(Object test, Class<? extends Annotation> kind, boolean superFirst)
            throws InvocationTargetException, IllegalAccessException {
        Deque<Method> methods = new ArrayDeque<>();
        for (Class<?> declaring = test.getClass(); declaring != null; declaring = declaring.getSuperclass()) {
            for (Method method : declaring.getDeclaredMethods()) {
                if (method.isAnnotationPresent(kind)) {
                    if (superFirst) {
                        methods.addFirst(method);
                    } else {
                        methods.addLast(method);
                    }
                }
            }
        }
        for (Method method : methods) {
            call(test, method);
        }
    }

    private static void call(Object test, Method method) throws InvocationTargetException, IllegalAccessException {
        method.setAccessible(true);
        method.invoke(test);
    }
}
