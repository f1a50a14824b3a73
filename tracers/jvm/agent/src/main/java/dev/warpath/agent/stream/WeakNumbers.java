package dev.warpath.agent.stream;

import java.lang.ref.WeakReference;

/** Numbers of objects that cannot carry their own: arrays and objects of the JDK. Keeps none of them alive. */
final class WeakNumbers {
    private Key[] keys = new Key[1 << 12];
    private int used;

    private static final class Key extends WeakReference<Object> {
        final int hash;
        long id;

        Key(Object object, int hash, long id) {
            super(object);
            this.hash = hash;
            this.id = id;
        }
    }

    /** The number of an object, or 0. */
    long get(Object object) {
        Key key = find(object);
        return key == null ? 0 : key.id;
    }

    private Key find(Object object) {
        int hash = System.identityHashCode(object);
        // Threads without the turn may ask, too: they see the table as it was, or as it is.
        Key[] table = keys;
        int mask = table.length - 1;
        for (int slot = spread(hash) & mask;; slot = slot + 1 & mask) {
            Key key = table[slot];
            if (key == null || key.hash == hash && key.get() == object) {
                return key;
            }
        }
    }

    void put(Object object, long id) {
        Key known = find(object);
        if (known != null) {
            known.id = id;
            return;
        }
        if (used * 3 >= keys.length * 2) {
            rehash();
        }
        int hash = System.identityHashCode(object);
        insert(keys, new Key(object, hash, id));
        used++;
    }

    private void rehash() {
        int alive = 0;
        for (Key key : keys) {
            if (key != null && key.get() != null) {
                alive++;
            }
        }
        Key[] fresh = new Key[alive * 3 >= keys.length ? keys.length * 2 : keys.length];
        used = 0;
        for (Key key : keys) {
            if (key != null && key.get() != null) {
                insert(fresh, key);
                used++;
            }
        }
        keys = fresh;
    }

    private static void insert(Key[] into, Key key) {
        int mask = into.length - 1;
        int slot = spread(key.hash) & mask;
        while (into[slot] != null) {
            slot = slot + 1 & mask;
        }
        into[slot] = key;
    }

    private static int spread(int hash) {
        return hash * 0x9e3779b1 >>> 5;
    }
}
