package dev.warpath.agent.stream;

/**
 * Numbers of strings, from 1. Not a {@code HashMap}: collections of the JDK may be instrumented themselves, and what the
 * agent does must not be taken for what the program does.
 */
final class StringNumbers {
    private String[] keys = new String[1024];
    private int[] numbers = new int[1024];
    private int count;

    /** The number of a string, or 0. */
    int get(String text) {
        return numbers[slot(text)];
    }

    /** Gives a new string the next number. */
    int add(String text) {
        if (count * 2 >= keys.length) {
            grow();
        }
        int slot = slot(text);
        keys[slot] = text;
        numbers[slot] = ++count;
        return count;
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
