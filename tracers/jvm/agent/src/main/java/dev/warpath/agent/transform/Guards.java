package dev.warpath.agent.transform;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The parts of a method whose exceptions are seen off at its end. In a constructor that is what comes behind the call of
 * {@code super}: the verifier lets no handler cover that call. Frames that it leaves out are noticed further up, see
 * {@link dev.warpath.agent.hook.Flow#caught}.
 */
final class Guards {
    private static final class Range {
        final Label start = new Label();
        final Label end = new Label();
    }

    private final MethodVisitor mv;
    private final List<Range> ranges = new ArrayList<>();
    private Range current;

    Guards(MethodVisitor mv) {
        this.mv = mv;
    }

    void open() {
        current = new Range();
        mv.visitLabel(current.start);
    }

    void close() {
        if (current != null) {
            mv.visitLabel(current.end);
            ranges.add(current);
            current = null;
        }
    }

    /** From here on {@code this} is, or is not, initialised. */
    void continueWith(boolean initialised) {
        if (!initialised) {
            close();
        } else if (current == null) {
            open();
        }
    }

    /** Begins the handler at the end of the method; {@code locals} is what it knows of the method's. False if none is needed. */
    boolean beginHandler(Object[] locals) {
        Label handler = new Label();
        boolean needed = false;
        for (Range range : ranges) {
            if (range.start.getOffset() < range.end.getOffset()) {
                mv.visitTryCatchBlock(range.start, range.end, handler, null);
                needed = true;
            }
        }
        if (needed) {
            mv.visitLabel(handler);
            mv.visitFrame(Opcodes.F_NEW, locals.length, locals, 1, new Object[] {"java/lang/Throwable"});
        }
        return needed;
    }
}
