package dev.warpath.agent.plan;

/** Names as the text forms write them. */
final class Names {
    private Names() {}

    /** As it is if it is plain, else between quotes. */
    static String quoted(String name) {
        boolean plain = !name.isEmpty() && (isLetter(name.charAt(0)) || name.charAt(0) == '_');
        for (int i = 0; plain && i < name.length(); i++) {
            char c = name.charAt(i);
            plain = isLetter(c) || c >= '0' && c <= '9' || "_.[]<>:-".indexOf(c) >= 0;
        }
        if (plain && !name.equals("try") && !name.equals("timed") && !name.equals("block")) {
            return name;
        }
        return '"' + name.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }
}
