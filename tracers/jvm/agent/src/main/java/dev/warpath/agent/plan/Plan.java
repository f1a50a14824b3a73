package dev.warpath.agent.plan;

import dev.warpath.agent.memory.StoreBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What the adapter wants of this run: the file {@code plan}, read once at the start. */
public final class Plan {
    /** How to choose when no step says. */
    public enum PolicyKind { RUN_TO_BLOCK, ROUND_ROBIN, RANDOM, PCT }

    public StoreBuffer.Model model = StoreBuffer.Model.SC;
    public PolicyKind policy = PolicyKind.RUN_TO_BLOCK;
    public long seed;
    public long depth;
    public long expectedSteps;
    public boolean lenient;
    public boolean passOthers;
    public long maxEvents = Long.MAX_VALUE;
    public String then;
    public final List<Step> steps = new ArrayList<>();
    /** Values of inputs by {@code name#nth}. */
    public final Map<String, Long> inputs = new HashMap<>();
    public int symbolicStdin;
    public final Set<Integer> symbolicArgs = new HashSet<>();
    public boolean symbolicRandom;
    public boolean symbolicTime;
    public final Set<String> symbolicEnvironment = new HashSet<>();
    public final Set<String> shared = new HashSet<>();
    public final List<String> included = new ArrayList<>();
    public final List<String> excluded = new ArrayList<>();

    private Plan() {}

    /** Reads {@code folder/plan}. */
    public static Plan read(Path folder) throws PlanError {
        List<String> lines;
        try {
            lines = List.of(Files.readString(folder.resolve("plan"), StandardCharsets.UTF_8).split("\n", -1));
        } catch (IOException error) {
            throw new PlanError("the plan cannot be read: " + error);
        }
        if (!lines.get(0).equals("warpath-jvm-plan\t1")) {
            throw new PlanError(1, lines.get(0), "a plan begins with `warpath-jvm-plan`, a tab and the version 1");
        }
        Plan plan = new Plan();
        for (int n = 1; n < lines.size(); n++) {
            String line = lines.get(n);
            if (!line.isEmpty()) {
                plan.line(n + 1, line);
            }
        }
        return plan;
    }

    private void line(int number, String line) throws PlanError {
        String[] fields = line.split("\t", -1);
        for (int i = 0; i < fields.length; i++) {
            fields[i] = unescaped(number, line, fields[i]);
        }
        try {
            if (!understood(fields)) {
                throw new PlanError(number, line, "there is no such line");
            }
        } catch (NumberFormatException error) {
            throw new PlanError(number, line, "not a number where one is needed");
        } catch (ArrayIndexOutOfBoundsException error) {
            throw new PlanError(number, line, "a field is missing");
        }
    }

    private boolean understood(String[] fields) {
        switch (fields[0]) {
            case "model":
                return model(fields[1]);
            case "policy":
                return policy(fields[1].split(" "));
            case "follow":
                lenient = fields[1].equals("lenient");
                return lenient || fields[1].equals("strict");
            case "pass-others":
                passOthers = true;
                return true;
            case "max-events":
                maxEvents = Long.parseLong(fields[1]);
                return true;
            case "then":
                then = fields[1];
                return true;
            case "input":
                inputs.put(fields[1] + '#' + Long.parseLong(fields[2]), Long.parseUnsignedLong(fields[4], 16));
                return true;
            case "symbolic":
                return symbolic(fields);
            case "shared":
                shared.add(fields[1]);
                return true;
            case "include":
                included.add(fields[1]);
                return true;
            case "exclude":
                excluded.add(fields[1]);
                return true;
            case "step":
                boolean any = fields[2].equals("*");
                String place = any || fields.length < 5 ? "" : fields[4];
                steps.add(new Step(fields[1], any ? null : fields[2], any ? null : given(fields[3]), given(place),
                        any ? Long.parseLong(fields[3]) : 1));
                return true;
            default:
                return false;
        }
    }

    private boolean model(String word) {
        for (StoreBuffer.Model candidate : StoreBuffer.Model.values()) {
            if (word.equals(candidate.name().toLowerCase(Locale.ROOT))) {
                model = candidate;
                return true;
            }
        }
        return false;
    }

    private boolean policy(String[] words) {
        switch (words[0]) {
            case "run-to-block":
                policy = PolicyKind.RUN_TO_BLOCK;
                return true;
            case "round-robin":
                policy = PolicyKind.ROUND_ROBIN;
                return true;
            case "random":
                policy = PolicyKind.RANDOM;
                seed = Long.parseUnsignedLong(words[1]);
                return true;
            case "pct":
                policy = PolicyKind.PCT;
                seed = Long.parseUnsignedLong(words[1]);
                depth = Long.parseUnsignedLong(words[2]);
                expectedSteps = Long.parseUnsignedLong(words[3]);
                return true;
            default:
                return false;
        }
    }

    private boolean symbolic(String[] fields) {
        switch (fields[1]) {
            case "stdin":
                symbolicStdin = Integer.parseInt(fields[2]);
                return true;
            case "arg":
                symbolicArgs.add(Integer.parseInt(fields[2]));
                return true;
            case "random":
                symbolicRandom = true;
                return true;
            case "time":
                symbolicTime = true;
                return true;
            case "env":
                symbolicEnvironment.add(fields[2]);
                return true;
            default:
                return false;
        }
    }

    private static String given(String field) {
        return field.isEmpty() ? null : field;
    }

    private static String unescaped(int number, String line, String field) throws PlanError {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            char c = field.charAt(i);
            if (c != '\\') {
                text.append(c);
                continue;
            }
            int kind = ++i < field.length() ? "tnr\\".indexOf(field.charAt(i)) : -1;
            if (kind < 0) {
                throw new PlanError(number, line, "a backslash stands before t, n, r or a backslash only");
            }
            text.append("\t\n\r\\".charAt(kind));
        }
        return text.toString();
    }
}
