package dev.warpath.agent;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.util.jar.JarFile;

/**
 * Where the JVM calls the agent first.
 *
 * <p>Everything of the agent must be visible to every class of the program and of the JDK, so it lives on the bootstrap
 * class path.
 */
public final class Premain {
    private Premain() {}

    /** {@code folder} is the folder with the plan. */
    public static void premain(String folder, Instrumentation instrumentation) {
        try {
            // The manifest names the archive by its usual name; only if it was renamed is there anything left to do.
            if (Premain.class.getClassLoader() != null) {
                File jar = new File(Premain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
                instrumentation.appendToBootstrapClassLoaderSearch(new JarFile(jar));
            }
            Agent.start(folder, instrumentation);
        } catch (Throwable failure) {
            System.err.println("warpath: the agent cannot start: " + failure);
            Runtime.getRuntime().halt(120);
        }
    }
}
