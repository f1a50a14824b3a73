package dev.warpath.agent.transform;

import java.util.HashSet;
import java.util.Set;
import org.objectweb.asm.ClassReader;

/**
 * Classes of the JDK that keep data of the program, and so are followed like its own: collections, queues, executors,
 * futures. Nested classes go with the class that they are in.
 */
public final class FollowedClasses {
    private static final int CLASS_CONSTANT = 7;
    private static final String UTIL = "java/util/";
    private static final String CONCURRENT = "java/util/concurrent/";
    private static final Set<String> NAMES = new HashSet<>();

    static {
        for (String name : new String[] {"AbstractCollection", "AbstractList", "AbstractSequentialList", "AbstractSet",
            "AbstractQueue", "AbstractMap", "ArrayList", "LinkedList", "ArrayDeque", "PriorityQueue", "HashMap",
            "LinkedHashMap", "HashSet", "LinkedHashSet", "TreeMap", "TreeSet", "Arrays", "Collections"}) {
            NAMES.add(UTIL + name);
        }
        for (String name : new String[] {"ArrayBlockingQueue", "LinkedBlockingQueue", "LinkedBlockingDeque",
            "PriorityBlockingQueue", "ConcurrentLinkedQueue", "ConcurrentLinkedDeque", "CopyOnWriteArrayList",
            "CopyOnWriteArraySet", "AbstractExecutorService", "ThreadPoolExecutor", "Executors",
            "ExecutorCompletionService", "FutureTask", "CompletableFuture", "ForkJoinTask",
            "locks/AbstractOwnableSynchronizer",
            "locks/AbstractQueuedSynchronizer", "locks/StampedLock"}) {
            NAMES.add(CONCURRENT + name);
        }
    }

    private FollowedClasses() {}

    /** Is this class, named as in class files, one of them? */
    public static boolean contains(String name) {
        if (!name.startsWith(UTIL)) {
            return false;
        }
        int nested = name.indexOf('$');
        if (nested < 0) {
            return NAMES.contains(name);
        }
        if (name.startsWith("java/util/Collections$")) {
            // The others have nothing of their own: they pass on what they are asked.
            return name.startsWith("java/util/Collections$Synchronized");
        }
        if (name.startsWith("java/util/Arrays$")) {
            return name.startsWith("java/util/Arrays$Array");
        }
        return NAMES.contains(name.substring(0, nested));
    }

    /** Of two classes that have a method for everything only those are of interest that make something or look into arrays. */
    static boolean hasMethod(String className, String name, String descriptor) {
        switch (className) {
            case "java/util/Collections":
                return name.startsWith("synchronized");
            case "java/util/Arrays":
                return name.equals("asList") || (name.startsWith("copyOf") || name.equals("fill"))
                        && descriptor.startsWith("([Ljava/lang/Object;");
            default:
                return true;
        }
    }

    /** Those that a class names, apart from itself. Whoever uses lists does not thereby use all that lists could become. */
    static Set<String> namedIn(ClassReader reader) {
        Set<String> found = new HashSet<>();
        char[] buffer = new char[reader.getMaxStringLength()];
        boolean isOfJdk = contains(reader.getClassName());
        for (int i = 1; i < reader.getItemCount(); i++) {
            int item = reader.getItem(i);
            if (item == 0 || reader.readByte(item - 1) != CLASS_CONSTANT) {
                continue;
            }
            String name = reader.readUTF8(item, buffer);
            if (contains(name) && !name.equals(reader.getClassName())
                    && !(isOfJdk && name.equals("java/util/Collections"))) {
                found.add(name);
            }
        }
        return found;
    }
}
