/*
 * Two threads count words in a ConcurrentHashMap. Looking up and putting are atomic each, but not together, so one
 * count can be lost. With -Dfixed=true the map does both at once.
 */
import dev.warpath.Warpath;
import java.util.concurrent.ConcurrentHashMap;

public class WordCount {
    private static final boolean FIXED = Boolean.getBoolean("fixed");
    private static final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    static void count(String word) {
        Integer before = counts.get(word);
        counts.put(word, before == null ? 1 : before + 1);
    }

    static void countAtOnce(String word) {
        counts.merge(word, 1, Integer::sum);
    }

    static void read() {
        if (FIXED) {
            countAtOnce("path");
        } else {
            count("path");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(WordCount::read);
        Thread second = new Thread(WordCount::read);
        first.start();
        second.start();
        first.join();
        second.join();
        Warpath.check(counts.get("path") == 2, "a word was not counted"); // BUG
    }
}
