package dev.warpath.agent.model;

import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.util.HashMap;
import java.util.Map;

/** Strings from outside whose characters are inputs: arguments and variables of the environment. */
public final class SymbolicText {
    private static Plan plan;
    private static boolean argumentsTaken;
    private static final Map<String, String> environment = new HashMap<>();

    private SymbolicText() {}

    public static void plan(Plan values) {
        plan = values;
    }

    /** The arguments of {@code main}, when it is called first; what the plan says of them goes into the array. */
    public static void arguments(String[] arguments) {
        ThreadState t = argumentsTaken || plan.symbolicArgs.isEmpty() ? null : Scheduler.current();
        if (t == null || arguments == null) {
            return;
        }
        argumentsTaken = true;
        for (int k = 0; k < arguments.length; k++) {
            if (plan.symbolicArgs.contains(k + 1)) {
                arguments[k] = given(t, "arg:" + (k + 1), arguments[k]);
            }
        }
    }

    /** A variable of the environment: the same string every time. */
    public static String variable(String name, String otherwise) {
        if (otherwise == null || !plan.symbolicEnvironment.contains(name)) {
            return otherwise;
        }
        ThreadState t = Scheduler.current();
        if (t == null) {
            return otherwise;
        }
        String known = environment.get(name);
        if (known == null) {
            known = given(t, "env:" + name, otherwise);
            environment.put(name, known);
        }
        return known;
    }

    private static String given(ThreadState t, String name, String otherwise) {
        char[] characters = otherwise.toCharArray();
        for (int n = 0; n < characters.length; n++) {
            Long value = plan.inputs.get(name + '#' + n);
            if (value != null) {
                characters[n] = (char) value.longValue();
            }
        }
        // An object of its own: an equal string elsewhere is no input.
        String text = new String(characters);
        int object = Objects.ref(t, text);
        int string = Stream.string(name);
        Stream.end(Stream.u(Stream.u(Stream.start(), object), string), Tag.TEXT);
        return text;
    }
}
