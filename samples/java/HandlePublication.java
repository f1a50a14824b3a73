/*
 * A number is published through a VarHandle: a reader that sees the flag reads the number. The flag is set too early, so
 * that the number may not be there yet. With -Dfixed=true it is set behind the number, by a release that the reader's
 * acquire goes with, so that it is right under every memory model.
 */
import dev.warpath.Warpath;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

public class HandlePublication {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final VarHandle READY;
    private static int number;
    private int ready;

    static {
        try {
            READY = MethodHandles.lookup().findVarHandle(HandlePublication.class, "ready", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    static void publish(HandlePublication box) {
        if (!FIXED) {
            READY.setRelease(box, 1);
        }
        number = 42;
        if (FIXED) {
            READY.setRelease(box, 1);
        }
    }

    static void read(HandlePublication box) {
        int ready = (int) READY.getAcquire(box);
        if (ready == 1) {
            Warpath.check(number == 42, "the number is not there yet"); // BUG
        }
    }

    public static void main(String[] args) throws InterruptedException {
        HandlePublication box = new HandlePublication();
        Thread writer = new Thread(() -> publish(box));
        writer.start();
        read(box);
        writer.join();
    }
}
