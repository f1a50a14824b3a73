package dev.warpath.agent;

/** What instrumented classes implement: objects that carry their own number. */
public interface Identified {
    /** The number of the object, with {@link dev.warpath.agent.stream.Objects#SHARED}; 0 if it has none yet. */
    long warpath$id();

    void warpath$id(long id);
}
