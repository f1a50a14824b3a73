package dev.warpath.agent.stream;

/** A map from numbers above 0; see {@link StringNumbers} for why it is not a {@code HashMap}. */
public final class IntMap<V> {
    private int[] keys = new int[64];
    private Object[] values = new Object[64];
    private int count;

    @SuppressWarnings("unchecked")
    public V get(int key) {
        return (V) values[slot(key)];
    }

    public void put(int key, V value) {
        if (count * 2 >= keys.length) {
            grow();
        }
        int slot = slot(key);
        if (keys[slot] == 0) {
            keys[slot] = key;
            count++;
        }
        values[slot] = value;
    }

    /** Takes a key out; those behind it in the same run move up, so that they are still found. */
    public void remove(int key) {
        int mask = keys.length - 1;
        int hole = slot(key);
        if (keys[hole] == 0) {
            return;
        }
        count--;
        int slot = hole;
        while (true) {
            keys[hole] = 0;
            values[hole] = null;
            int home;
            do {
                slot = slot + 1 & mask;
                if (keys[slot] == 0) {
                    return;
                }
                home = home(keys[slot]);
            } while ((slot - home & mask) < (slot - hole & mask));
            keys[hole] = keys[slot];
            values[hole] = values[slot];
            hole = slot;
        }
    }

    private int home(int key) {
        return (key * 0x9e3779b1 >>> 7) & keys.length - 1;
    }

    private int slot(int key) {
        int slot = home(key);
        while (keys[slot] != 0 && keys[slot] != key) {
            slot = slot + 1 & keys.length - 1;
        }
        return slot;
    }

    private void grow() {
        int[] oldKeys = keys;
        Object[] oldValues = values;
        keys = new int[oldKeys.length * 2];
        values = new Object[oldKeys.length * 2];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int slot = slot(oldKeys[i]);
                keys[slot] = oldKeys[i];
                values[slot] = oldValues[i];
            }
        }
    }
}
