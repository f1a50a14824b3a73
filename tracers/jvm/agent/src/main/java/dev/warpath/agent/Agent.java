package dev.warpath.agent;

import dev.warpath.agent.hook.Jdk;
import dev.warpath.agent.memory.StoreBuffer;
import dev.warpath.agent.hook.SystemCalls;
import dev.warpath.agent.model.Inputs;
import dev.warpath.agent.model.SymbolicText;
import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.plan.PlanError;
import dev.warpath.agent.plan.SharedLocations;
import dev.warpath.agent.schedule.Scheduler;
import dev.warpath.agent.schedule.Watchdog;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.transform.JdkPatches;
import dev.warpath.agent.transform.Transformer;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Brings the parts of the agent to life. */
public final class Agent {
    private Agent() {}

    /** Reads the plan of the folder, begins the stream and makes the current thread T0. */
    public static void start(String folder, Instrumentation instrumentation) {
        try {
            if (folder == null || folder.isEmpty()) {
                throw new IOException("name the folder with the plan: -javaagent:warpath-agent.jar=FOLDER");
            }
            Path path = Path.of(folder);
            Plan plan = Plan.read(path);
            Stream.open(path);
            SharedLocations shared = new SharedLocations(plan.shared);
            Objects.plan(shared);
            Inputs.plan(plan);
            SymbolicText.plan(plan);
            openJdk(instrumentation);
            if (plan.symbolicStdin > 0) {
                SystemCalls.watchStdin();
            }
            // Code of the JDK that loads classes will ask it, so it must be there before.
            Jdk.isFollowed(folder);
            StoreBuffer.plan(plan.model, instrumentation);
            instrumentation.addTransformer(new Transformer(plan, shared, instrumentation), true);
            instrumentation.retransformClasses(JdkPatches.classes());
            new Watchdog().start();
            Scheduler.start(plan);
        } catch (PlanError | IOException | ReflectiveOperationException
                | java.lang.instrument.UnmodifiableClassException error) {
            System.err.println("warpath: " + error.getMessage());
            Runtime.getRuntime().halt(120);
        }
    }

    /**
     * The agent looks into {@code Thread} to tell what a thread runs, into barriers for what they do, and into fields that
     * the JDK accesses by handles and offsets.
     */
    private static void openJdk(Instrumentation instrumentation) {
        Module base = Object.class.getModule();
        Module own = Agent.class.getModule();
        Map<String, Set<Module>> opened = new HashMap<>();
        for (String name : new String[] {"java.io", "java.lang", "java.util", "java.util.concurrent", "java.util.concurrent.atomic",
            "java.util.concurrent.locks", "jdk.internal.misc"}) {
            opened.put(name, Set.of(own));
        }
        instrumentation.redefineModule(base, Set.of(), Map.of(), opened, Set.of(), Map.of());
    }
}
