package dev.warpath.agent.schedule;

import dev.warpath.agent.stream.Objects;

/** An access to a shared location, of which each thread is about to make one at most. */
public final class AccessAction extends Action {
    private final ThreadState thread;
    private String word;
    private Object object;
    private String field;
    private long index;
    private long place;
    /** It is a write that goes into the thread's buffer. */
    private boolean buffered;

    AccessAction(ThreadState thread) {
        super("r", 0);
        this.thread = thread;
    }

    /** The field of an object; of a class if the object is null, then with the name of the class. */
    public AccessAction of(Object object, String field, String word, long at) {
        return set(object, field, -1, word, at);
    }

    /** The element of an array. */
    public AccessAction of(Object array, long index, String word, long at) {
        return set(array, null, index, word, at);
    }

    private AccessAction set(Object object, String field, long index, String word, long at) {
        this.object = object;
        this.field = field;
        this.index = index;
        this.word = word;
        this.place = at;
        this.buffered = false;
        return this;
    }

    /** The access is a write that takes effect later. */
    public AccessAction buffered() {
        buffered = true;
        return this;
    }

    @Override
    boolean drains() {
        return !buffered && !word.equals("r");
    }

    /** Forgets the object, so that it is not kept alive. */
    public void done() {
        object = null;
    }

    @Override
    public String location() {
        if (object == null) {
            return field;
        }
        String name = Objects.name(thread, object);
        if (field == null) {
            return name + '[' + index + ']';
        }
        return field.startsWith("[") ? name + field : name + '.' + field;
    }

    @Override
    boolean isCalled(String verb) {
        return word.equals(verb);
    }

    String word() {
        return word;
    }

    @Override
    String place() {
        return Place.name(place);
    }
}
