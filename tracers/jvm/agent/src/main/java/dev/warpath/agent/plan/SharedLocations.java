package dev.warpath.agent.plan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The locations that the plan calls shared, so arranged that an access is looked up quickly. */
public final class SharedLocations {
    /** Shared parts of one object. */
    public static final class Parts {
        /** Interned, as constants of class files are: compared by identity. */
        private String[] fields = {};
        private long[] elements = {};

        public boolean hasField(String field) {
            for (String candidate : fields) {
                if (candidate == field) {
                    return true;
                }
            }
            return false;
        }

        public boolean hasElement(long index) {
            for (long candidate : elements) {
                if (candidate == index) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Set<String> statics = new HashSet<>();
    private final Set<String> fields = new HashSet<>();
    private final Set<String> classes = new HashSet<>();
    private final Map<String, Parts> objects = new HashMap<>();
    private boolean elements;

    public SharedLocations(Iterable<String> locations) {
        Map<String, List<String>> parts = new HashMap<>();
        for (String location : locations) {
            int at = location.indexOf('@');
            int colon = location.indexOf(':', at);
            if (at < 0 || colon < 0) {
                statics.add(location);
                continue;
            }
            int end = colon + 1;
            while (end < location.length() && Character.isDigit(location.charAt(end))) {
                end++;
            }
            classes.add(location.substring(0, at));
            String object = location.substring(0, end);
            if (!parts.containsKey(object)) {
                parts.put(object, new ArrayList<>());
            }
            parts.get(object).add(location.substring(end));
        }
        for (Map.Entry<String, List<String>> object : parts.entrySet()) {
            objects.put(object.getKey(), parts(object.getValue()));
        }
    }

    private Parts parts(List<String> names) {
        Parts parts = new Parts();
        List<String> own = new ArrayList<>();
        List<Long> indices = new ArrayList<>();
        for (String name : names) {
            if (name.startsWith(".")) {
                own.add(name.substring(1).intern());
                fields.add(name.substring(1));
            } else if (name.startsWith("[") && name.endsWith("]")) {
                try {
                    indices.add(Long.parseLong(name.substring(1, name.length() - 1)));
                    // Elements of atomic arrays are fields by the name of the index.
                    own.add(name.intern());
                    elements = true;
                } catch (NumberFormatException error) {
                    own.add(name.intern());
                }
            }
        }
        parts.fields = own.toArray(new String[0]);
        parts.elements = new long[indices.size()];
        for (int i = 0; i < parts.elements.length; i++) {
            parts.elements[i] = indices.get(i);
        }
        return parts;
    }

    /** Is this static field, named with its class, shared? */
    public boolean hasStatic(String name) {
        return statics.contains(name);
    }

    /** Is a field of this name shared in any object? */
    public boolean hasFieldNamed(String field) {
        return fields.contains(field);
    }

    /** Is any element of an array shared? */
    public boolean hasElements() {
        return elements;
    }

    /** Is any object of this class shared? */
    public boolean hasClass(String name) {
        return classes.contains(name);
    }

    /** The shared parts of an object, by its name, or null. */
    public Parts of(String object) {
        return objects.get(object);
    }
}
