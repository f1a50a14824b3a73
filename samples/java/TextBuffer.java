/*
 * "StringBuffer" (MCR), with the locking that the class of the JDK once had: appending one buffer to another asks for
 * its length and then for that many characters, each under the lock; a deletion between the two leaves fewer. With
 * -Dfixed=true the lock is held from length to characters.
 */
public class TextBuffer {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private final char[] text = new char[8];
    private int length;

    TextBuffer(String text) {
        length = text.length();
        text.getChars(0, length, this.text, 0);
    }

    synchronized int length() {
        return length;
    }

    synchronized void copy(int count, char[] target, int at) {
        if (count > length) {
            throw new IndexOutOfBoundsException(count + " characters wanted, " + length + " are left"); // BUG
        }
        System.arraycopy(text, 0, target, at, count);
    }

    synchronized void append(TextBuffer other) {
        if (FIXED) {
            synchronized (other) {
                appendUnlocked(other);
            }
        } else {
            appendUnlocked(other);
        }
    }

    private void appendUnlocked(TextBuffer other) {
        int count = other.length();
        other.copy(count, text, length);
        length += count;
    }

    synchronized void delete(int count) {
        length -= count;
    }

    public static void main(String[] args) throws InterruptedException {
        TextBuffer to = new TextBuffer("");
        TextBuffer from = new TextBuffer("abc");
        Thread first = new Thread(() -> to.append(from));
        Thread second = new Thread(() -> from.delete(2));
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
