package dev.warpath.junit;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;

/** Explores a test method instead of calling it. */
final class WarpathExtension implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
            Invocation<Void> invocation, ReflectiveInvocationContext<Method> called, ExtensionContext context)
            throws Throwable {
        invocation.skip();
        Method method = called.getExecutable();
        WarpathTest how = method.getAnnotation(WarpathTest.class);
        Exploration found = Exploration.run(command(called.getTargetClass(), method, how));
        switch (found.status) {
            case Exploration.NOTHING_FOUND:
                return;
            case Exploration.BUG:
                throw new AssertionFailedError(found.output);
            case Exploration.UNKNOWN:
                if (how.passIfUnknown()) {
                    context.publishReportEntry("warpath", found.output.strip());
                    return;
                }
                throw new AssertionFailedError("not everything was explored: " + found.output);
            default:
                throw new IllegalStateException("warpath could not explore the test: " + found.errors + found.output);
        }
    }

    private static List<String> command(Class<?> target, Method method, WarpathTest how) {
        List<String> words = new ArrayList<>();
        words.add(setting("warpath.command", "WARPATH", "warpath"));
        Collections.addAll(words, "explore", "--jvm", "--first", "-q");
        Collections.addAll(words, "--time", how.time(), "--model", how.model(), "--strategy", how.strategy());
        String out = setting("warpath.out", "WARPATH_OUT", "warpath-out");
        Collections.addAll(words, "--out", Path.of(out, target.getName() + "." + method.getName()).toString());
        Collections.addAll(words, how.options());
        Collections.addAll(words, "--", Path.of(System.getProperty("java.home"), "bin", "java").toString());
        Collections.addAll(words, "-cp", classPath(), OneTest.class.getName(), target.getName(), method.getName());
        return words;
    }

    /** Surefire and others put the real one elsewhere, when it would be too long for a command. */
    private static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    private static String setting(String property, String variable, String otherwise) {
        String set = System.getProperty(property, System.getenv(variable));
        return set == null || set.isEmpty() ? otherwise : set;
    }
}
