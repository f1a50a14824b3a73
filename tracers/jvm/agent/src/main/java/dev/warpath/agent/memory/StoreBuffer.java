package dev.warpath.agent.memory;

import dev.warpath.agent.schedule.ThreadState;
import dev.warpath.agent.stream.Objects;
import dev.warpath.agent.stream.Stream;
import dev.warpath.agent.stream.Tag;
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.Set;

/**
 * Writes of a thread that others do not see yet (TSO, PSO).
 *
 * <p>Since one thread runs at a time, memory itself can show what that thread sees: a write is made for real, and what
 * was there before is kept behind it. When another thread gets the turn, its own view takes the place of this one. So
 * reads need no hooks of their own, and code that is not instrumented sees what its thread would see.
 */
public final class StoreBuffer {
    /** In which order writes of one thread take effect. */
    public enum Model {
        /** Sequential consistency: at once. */
        SC,
        /** As they were made. */
        TSO,
        /** Those to one location as they were made. */
        PSO
    }

    private static Model model = Model.SC;
    /** Whose view memory shows; null: of nobody in particular. */
    private static StoreBuffer shown;

    private Write[] writes = new Write[4];
    private int count;
    private int epoch;
    private boolean issued;
    private boolean unseparated;

    /** A location with buffered writes. */
    private static final class Cell {
        final Object base;
        final long offset;
        final int kind;
        /** What other threads see, while memory shows the thread's own view. */
        Object behind;
        /** The oldest of its writes. */
        Write oldest;

        Cell(Object base, long offset, int kind) {
            this.base = base;
            this.offset = offset;
            this.kind = kind;
        }

        Object get() {
            return Memory.get(base, offset, kind);
        }

        void put(Object value) {
            Memory.put(base, offset, kind, value);
        }
    }

    private static final class Write {
        final Cell cell;
        /** The object, or null for a static field. */
        final Object holder;
        /** Null for an element. */
        final String field;
        final long index;
        /** Writes before a fence take effect before those behind it. */
        final int epoch;
        /** Known once something else is done with the location, or others run. */
        Object value;
        boolean isKnown;

        Write(Cell cell, Object holder, String field, long index, int epoch) {
            this.cell = cell;
            this.holder = holder;
            this.field = field;
            this.index = index;
            this.epoch = epoch;
        }

        /** The write has been made, and memory shows it. */
        void capture() {
            if (!isKnown) {
                value = cell.get();
                isKnown = true;
            }
        }
    }

    /** Chooses the model, before anything runs. */
    public static void plan(Model wanted, Instrumentation instrumentation) {
        model = wanted;
        if (wanted != Model.SC) {
            open(instrumentation);
        }
    }

    /** Lets the agent use what the JDK keeps for itself. */
    private static void open(Instrumentation instrumentation) {
        Map<String, Set<Module>> exported = Map.of("jdk.internal.misc", Set.of(StoreBuffer.class.getModule()));
        instrumentation.redefineModule(Object.class.getModule(), Set.of(), exported, Map.of(), Set.of(), Map.of());
    }

    /** Are writes buffered at all? */
    public static boolean isUsed() {
        return model != Model.SC;
    }

    /** Do writes to different locations take effect in any order? */
    public static boolean isPartial() {
        return model == Model.PSO;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    /** Has the thread written anything since what last emptied its buffer? The same in every run by the same path. */
    public boolean hasIssued() {
        return issued;
    }

    /** Has it written anything since, or since a fence between writes? */
    public boolean hasUnseparated() {
        return unseparated;
    }

    /** The thread does something that needs the buffer to be empty. */
    public void drained() {
        issued = false;
        unseparated = false;
    }

    /** Before the real write to a field. */
    public void issue(Object object, String declaring, String field, char kind) {
        Slots.Slot slot = Slots.of(object, declaring, field, kind);
        add(object, slot.offset, slot.kind, object, field, -1);
    }

    /** Before the real write to a static field. */
    public void issueStatic(Class<?> owner, String field, String location) {
        Slots.Slot slot = Slots.ofStatic(owner, field);
        add(slot.base, slot.offset, slot.kind, null, location, -1);
    }

    /** Before the real write to an element; false if there is no such element. */
    public boolean issue(Object array, int index) {
        if (index < 0 || index >= java.lang.reflect.Array.getLength(array)) {
            return false;
        }
        Class<?> type = array.getClass();
        add(array, Memory.element(type, index), Memory.kindOf(type.getComponentType()), array, null, index);
        return true;
    }

    private void add(Object base, long offset, int kind, Object holder, String field, long index) {
        Cell cell = null;
        for (int i = count - 1; i >= 0 && cell == null; i--) {
            if (writes[i].cell.base == base && writes[i].cell.offset == offset) {
                cell = writes[i].cell;
                writes[i].capture();
            }
        }
        if (cell == null) {
            cell = new Cell(base, offset, kind);
            cell.behind = cell.get();
        }
        if (count == writes.length) {
            Write[] longer = new Write[count * 2];
            System.arraycopy(writes, 0, longer, 0, count);
            writes = longer;
        }
        Write write = new Write(cell, holder, field, index, epoch);
        if (cell.oldest == null) {
            cell.oldest = write;
        }
        writes[count++] = write;
        issued = true;
        unseparated = true;
    }

    /** What was written before takes effect before what is written from now on. */
    public void separate() {
        epoch++;
        unseparated = false;
    }

    /** Makes memory show what the thread sees. */
    public void show() {
        if (shown == this) {
            return;
        }
        if (shown != null) {
            shown.hide();
        }
        // From the oldest to the youngest: of each location the youngest stays.
        for (int i = 0; i < count; i++) {
            Cell cell = writes[i].cell;
            if (isOldest(i)) {
                cell.behind = cell.get();
            }
            cell.put(writes[i].value);
        }
        shown = this;
    }

    private void hide() {
        for (int i = count - 1; i >= 0; i--) {
            writes[i].capture();
            // An older write to the same location has been captured when this one was made.
            if (isOldest(i)) {
                writes[i].cell.put(writes[i].cell.behind);
            }
        }
        shown = null;
    }

    private boolean isOldest(int position) {
        return writes[position].cell.oldest == writes[position];
    }

    /** How many writes could take effect next: under TSO the oldest, under PSO the oldest of each location. */
    public int ready() {
        int ready = 0;
        for (int i = 0; i < count; i++) {
            ready += isReady(i) ? 1 : 0;
        }
        return ready;
    }

    private boolean isReady(int position) {
        if (model == Model.TSO) {
            return position == 0;
        }
        return writes[position].epoch == writes[0].epoch && isOldest(position);
    }

    /** The position of the n-th write that could take effect next. */
    public int nthReady(int n) {
        int left = n;
        for (int i = 0; i < count; i++) {
            if (isReady(i) && left-- == 0) {
                return i;
            }
        }
        throw new IllegalStateException("fewer writes can take effect than were counted");
    }

    /** The position of a write to this location that could take effect next, or -1; any location if it is null. */
    public int find(ThreadState t, String location) {
        for (int i = 0; i < count; i++) {
            if (isReady(i) && (location == null || location.equals(location(t, i)))) {
                return i;
            }
        }
        return -1;
    }

    /** The name of a write's location. */
    public String location(ThreadState t, int position) {
        Write write = writes[position];
        if (write.holder == null) {
            return write.field;
        }
        String name = Objects.name(t, write.holder);
        return write.field == null ? name + '[' + write.index + ']' : name + '.' + write.field;
    }

    /** A write takes effect, and is recorded; the records are already this thread's. */
    public void commit(ThreadState t, int position) {
        Write write = writes[position];
        Cell cell = write.cell;
        if (shown == this) {
            write.capture();
            // Memory shows the youngest anyhow.
            cell.behind = write.value;
        } else {
            Cell other = shown == null ? null : shown.cell(cell.base, cell.offset);
            if (other == null) {
                cell.put(write.value);
            } else {
                other.behind = write.value;
            }
        }
        System.arraycopy(writes, position + 1, writes, position, --count - position);
        writes[count] = null;
        cell.oldest = null;
        for (int i = position; i < count && cell.oldest == null; i++) {
            cell.oldest = writes[i].cell == cell ? writes[i] : null;
        }
        int holder = Objects.ref(t, write.holder);
        int field = write.field == null ? 0 : Stream.string(write.field);
        int p = Stream.u(Stream.u(Stream.start(), holder), field);
        Stream.end(Stream.s(p, Math.max(write.index, 0)), Tag.COMMIT | Tag.STEP);
    }

    private Cell cell(Object base, long offset) {
        for (int i = 0; i < count; i++) {
            if (writes[i].cell.base == base && writes[i].cell.offset == offset) {
                return writes[i].cell;
            }
        }
        return null;
    }
}
