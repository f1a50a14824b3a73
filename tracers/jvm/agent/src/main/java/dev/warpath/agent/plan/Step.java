package dev.warpath.agent.plan;

/** A line of a schedule: a visible event of a thread, or any {@code count} of them. */
public final class Step {
    public final String thread;
    /** The word of the operation; null for any {@code count} events. */
    public final String verb;
    /** Null: whichever. */
    public final String location;
    /** Null: wherever. */
    public final String place;
    public final long count;

    Step(String thread, String verb, String location, String place, long count) {
        this.thread = thread;
        this.verb = verb;
        this.location = location;
        this.place = place;
        this.count = count;
    }

    /** Does a buffered write take effect? */
    public boolean isCommit() {
        return "commit".equals(verb);
    }

    /** As in SI files. */
    @Override
    public String toString() {
        return verb == null ? thread + " *" + count : thread + " " + describe(verb, location, place);
    }

    /** An event in the words of SI files. */
    public static String describe(String verb, String location, String place) {
        StringBuilder text = new StringBuilder(verb);
        if (location != null) {
            text.append(' ').append(Names.quoted(location));
        }
        if (place != null) {
            text.append(" @").append(place);
        }
        return text.toString();
    }
}
