package dev.warpath.junit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What {@code warpath explore} said. */
final class Exploration {
    static final int NOTHING_FOUND = 0;
    static final int BUG = 1;
    static final int UNKNOWN = 3;

    final int status;
    final String output;
    final String errors;

    private Exploration(int status, String output, String errors) {
        this.status = status;
        this.output = output;
        this.errors = errors;
    }

    static Exploration run(List<String> command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).start();
            process.getOutputStream().close();
        } catch (IOException error) {
            throw new IllegalStateException(
                    "cannot run `" + command.get(0) + "`: put warpath on the PATH, or name it with -Dwarpath.command or WARPATH",
                    error);
        }
        try {
            // Both at once: a pipe that nobody reads would stop the command.
            CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
            String output = text(process.getInputStream());
            return new Exploration(process.waitFor(), output, errors.join());
        } finally {
            // A test that is interrupted takes its exploration with it.
            process.destroy();
        }
    }

    private static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
