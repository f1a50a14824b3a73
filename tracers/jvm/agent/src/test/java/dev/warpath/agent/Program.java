package dev.warpath.agent;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A program compiled for a test, run in a JVM of its own with the packaged agent. */
final class Program {
    private static final Path TARGET = Path.of("target").toAbsolutePath();
    private static final long PATIENCE_IN_SECONDS = 60;

    private final Path folder;
    private final String main;
    private Path java = Path.of(System.getProperty("java.home"), "bin", "java");

    private Program(Path folder, String main) {
        this.folder = folder;
        this.main = main;
    }

    /** Compiles the source of a class; the packages that most programs need are imported. Others go by file and text. */
    static Program of(String main, String source, String... others) {
        try {
            Path folder = Files.createTempDirectory(Files.createDirectories(TARGET.resolve("programs")), "program");
            Path file = folder.resolve(main + ".java");
            String imports = "import java.util.*; import java.util.concurrent.*; import java.util.concurrent.atomic.*; "
                    + "import java.util.concurrent.locks.*; import dev.warpath.Warpath; ";
            Files.writeString(file, imports + source);
            List<String> files = new ArrayList<>(List.of(file.toString()));
            for (int i = 0; i < others.length; i += 2) {
                Path other = folder.resolve(others[i]);
                Files.createDirectories(other.getParent());
                files.add(Files.writeString(other, others[i + 1]).toString());
            }
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            List<String> arguments = new ArrayList<>(List.of("-g", "--release", "11", "-Xlint:-options", "-cp",
                    TARGET.resolve("warpath-agent-api.jar").toString(), "-d", folder.toString()));
            arguments.addAll(files);
            int result = compiler.run(null, null, null, arguments.toArray(new String[0]));
            if (result != 0) {
                throw new IllegalArgumentException("the program of the test does not compile");
            }
            return new Program(folder, main);
        } catch (IOException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The body of {@code main}, in a class {@code P} with these members. */
    static Program of(String members, String[] body) {
        return of("P", "public class P {\n" + members + "\npublic static void main(String[] args) throws Exception {\n"
                + String.join("\n", body) + "\n} }");
    }

    /** From now on it is run by this JVM. */
    Program on(Path java) {
        this.java = java;
        return this;
    }

    /** What a run gave. */
    static final class Run {
        final int status;
        final String out;
        final String err;
        final List<Decoder.Event> events;
        final byte[] stream;

        Run(int status, String out, String err, Decoder decoder) {
            this.status = status;
            this.out = out;
            this.err = err;
            events = decoder == null ? List.of() : decoder.events;
            stream = decoder == null ? new byte[0] : decoder.bytes();
        }

        /** The steps, in order. */
        List<String> steps() {
            return events.stream().filter(event -> event.step)
                    .map(event -> (event.thread + ' ' + event.what + ' ' + event.text).trim())
                    .collect(Collectors.toList());
        }

        /** Texts of the events of this kind. */
        List<String> all(String what) {
            return events.stream().filter(event -> event.what.equals(what)).map(event -> event.thread + ' ' + event.text)
                    .collect(Collectors.toList());
        }

        String last() {
            return events.isEmpty() ? "" : events.get(events.size() - 1).toString();
        }

        @Override
        public String toString() {
            return "status " + status + "\n" + out + err
                    + events.stream().map(Object::toString).collect(Collectors.joining("\n"));
        }
    }

    /** Runs it with a plan of these lines. */
    Run run(String... plan) {
        return run(List.of(), "", plan);
    }

    /** The same with options of the JVM and standard input. */
    Run run(List<String> options, String input, String... plan) {
        try {
            Path place = Files.createTempDirectory(folder, "run");
            Files.writeString(place.resolve("plan"),
                    "warpath-jvm-plan\t1\n" + Stream.of(plan).map(line -> line + '\n').collect(Collectors.joining()));
            return start(place, "-javaagent:" + TARGET.resolve("warpath-agent.jar") + '=' + place, options, input);
        } catch (IOException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    /** Runs it without the agent. */
    Run runPlainly() {
        try {
            return start(Files.createTempDirectory(folder, "run"), null, List.of(), "");
        } catch (IOException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    private Run start(Path place, String agent, List<String> options, String input)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(java.toString());
        command.add("-XX:TieredStopAtLevel=1");
        if (agent != null) {
            command.add(agent);
        }
        command.addAll(options);
        command.add("-cp");
        command.add(folder + File.pathSeparator + TARGET.resolve("warpath-agent-api.jar"));
        command.add(main);
        File out = place.resolve("out").toFile();
        File err = place.resolve("err").toFile();
        Path in = Files.writeString(place.resolve("in"), input);
        Process process = new ProcessBuilder(command).redirectInput(in.toFile()).redirectOutput(out).redirectError(err)
                .start();
        if (!process.waitFor(PATIENCE_IN_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("the program did not end; it said " + Files.readString(err.toPath()));
        }
        Path stream = place.resolve("stream");
        Decoder decoder = Files.exists(stream) ? Decoder.read(stream) : null;
        // Windows of the file are large; what is in them has been read.
        Files.deleteIfExists(stream);
        return new Run(process.exitValue(), Files.readString(out.toPath(), StandardCharsets.UTF_8),
                Files.readString(err.toPath(), StandardCharsets.UTF_8), decoder);
    }
}
