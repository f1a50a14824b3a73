package dev.warpath.agent.schedule;

import dev.warpath.agent.plan.Plan;
import dev.warpath.agent.plan.Step;
import java.util.HashSet;
import java.util.Set;

/** A schedule that is followed, and how far it has come. */
final class Follow {
    private final Step[] steps;
    private final boolean lenient;
    /** Locations that steps name, if accesses to others are made on the way. */
    private final Set<String> named;
    private String then;
    private int at;
    /** Of a step that stands for several events: how many are done. */
    private long repeated;

    Follow(Plan plan) {
        steps = plan.steps.toArray(new Step[0]);
        lenient = plan.lenient;
        then = plan.then;
        named = plan.passOthers ? new HashSet<>() : null;
        if (named != null) {
            for (Step step : steps) {
                named.add(step.location);
            }
        }
    }

    Step current() {
        return at < steps.length ? steps[at] : null;
    }

    boolean isOver() {
        return at >= steps.length && then == null;
    }

    boolean isLenient() {
        return lenient;
    }

    /** One event of the current step has been done. */
    void done() {
        if (++repeated >= steps[at].count) {
            skip();
        }
    }

    /** Leaves the current step out. */
    void skip() {
        at++;
        repeated = 0;
    }

    /** May an access to this location be made without being a step? */
    boolean passes(String location) {
        return named != null && !named.contains(location);
    }

    /** Who goes on now that the schedule is over, if it says so; asked once. */
    String takeThen() {
        String thread = then;
        then = null;
        return thread;
    }

    String divergence(String found) {
        return "at step " + (at + 1) + " of " + steps.length + " the schedule says `" + steps[at] + "`, but " + found;
    }

    /** Is what a thread is about to do what the step says? What was left open fits everything. */
    static boolean fits(Step step, Action action) {
        return step.verb == null
                || action.isCalled(step.verb)
                        && (step.location == null || step.location.equals(action.location()))
                        && (step.place == null || step.place.equals(action.place()));
    }

    static String describe(Action action) {
        String verb = action instanceof AccessAction ? ((AccessAction) action).word() : action.verb;
        return Step.describe(verb, action.location(), action.place());
    }
}
