package dev.warpath.agent.transform;

import java.util.List;

/** Which classes are instrumented, by their names. */
final class Filter {
    private static final String[] LEFT_ALONE = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "dev.warpath.agent.", "dev.warpath.Warpath",
    };

    private final List<String> included;
    private final List<String> excluded;

    Filter(List<String> included, List<String> excluded) {
        this.included = included;
        this.excluded = excluded;
    }

    /** Is it a class of the program? The name is as in class files, with slashes. */
    boolean isApplication(String internalName) {
        if (internalName == null || internalName.startsWith("[")) {
            return false;
        }
        String name = internalName.replace('/', '.');
        for (String prefix : excluded) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        for (String prefix : included) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        for (String prefix : LEFT_ALONE) {
            if (name.startsWith(prefix)) {
                return false;
            }
        }
        return true;
    }
}
