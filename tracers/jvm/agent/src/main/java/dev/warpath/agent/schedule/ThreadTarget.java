package dev.warpath.agent.schedule;

import dev.warpath.agent.stream.Objects;
import java.lang.reflect.Field;

/** Whose {@code run} a thread executes. */
final class ThreadTarget {
    private ThreadTarget() {}

    /** The class of the target of a plain thread if it can be found out, else the class of the thread. */
    static String of(Thread thread) {
        if (thread.getClass() == Thread.class) {
            Object target = Targets.get(thread);
            if (target != null) {
                return Objects.className(target.getClass());
            }
        }
        return Objects.className(thread.getClass());
    }

    /** Loaded only when a plain thread is started: by then the agent has opened {@code java.lang} to itself. */
    private static final class Targets {
        private static final Field HOLDER = field(Thread.class, "holder");
        private static final Field TARGET =
                HOLDER == null ? field(Thread.class, "target") : field(HOLDER.getType(), "task");

        static Object get(Thread thread) {
            try {
                Object from = HOLDER == null ? thread : HOLDER.get(thread);
                return TARGET == null || from == null ? null : TARGET.get(from);
            } catch (IllegalAccessException error) {
                return null;
            }
        }

        private static Field field(Class<?> type, String name) {
            try {
                Field field = type.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (ReflectiveOperationException | RuntimeException error) {
                return null;
            }
        }
    }
}
