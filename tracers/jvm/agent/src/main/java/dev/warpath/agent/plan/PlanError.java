package dev.warpath.agent.plan;

/** A plan that cannot be read, with the line that is wrong. */
public final class PlanError extends Exception {
    private static final long serialVersionUID = 1;

    PlanError(int line, String text, String what) {
        super("line " + line + " of the plan, `" + text + "`: " + what);
    }

    PlanError(String what) {
        super(what);
    }
}
