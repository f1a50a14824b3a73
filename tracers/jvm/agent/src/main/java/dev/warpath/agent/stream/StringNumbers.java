package dev.warpath.agent.stream;

/**
 * Numbers of strings, from 1. Not a {@code HashMap}: collections of the JDK may be instrumented themselves, and what the
 * agent does must not be taken for what the program does.
 */
final class StringNumbers {
    private String[] keys = new String[1024];
    /** Of the string in the same place. */
    int[] numbers = new int[1024];
    /** The last number. */
    int count;

    /** The number of a string, or 0. */
    int get(String text) {
        return numbers[slot(text)];
    }

    /**
     * A place for a new string. Its number is given by who defines the string, without a call in between: where the stack
     * is at its end a call may fail, and the string would be defined without having a number.
     */
    int place(String text) {
        if (count * 2 >= keys.length) {
            grow();
        }
        int slot = slot(text);
        keys[slot] = text;
        return slot;
    }

    private int slot(String text) {
        int mask = keys.length - 1;
        int slot = text.hashCode() * 0x9e3779b1 >>> 7 & mask;
        while (keys[slot] != null && !keys[slot].equals(text)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        String[] oldKeys = keys;
        int[] oldNumbers = numbers;
        keys = new String[oldKeys.length * 2];
        numbers = new int[oldKeys.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != null) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                numbers[slot] = oldNumbers[i];
            }
        }
    }
}
