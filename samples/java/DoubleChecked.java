/*
 * Double-checked locking: settings are made by whoever asks first. The first check is without the lock.
 *
 * -Dvariant=plain     the field is plain: under PSO the reference may be in memory before the settings are
 * -Dvariant=early     the reference is published before the settings are filled in: wrong under every model
 * -Dvariant=volatile  the field is volatile: correct
 * -Dvariant=final     the field is plain, but what it refers to has only final fields: correct
 */
import dev.warpath.Warpath;

public class DoubleChecked {
    private static final String VARIANT = System.getProperty("variant", "plain");
    private static final Object lock = new Object();

    static final class Settings {
        int limit;
    }

    static final class FinalSettings {
        final int limit;

        FinalSettings(int limit) {
            this.limit = limit;
        }
    }

    private static Settings plain;
    private static volatile Settings visible;
    private static FinalSettings unchanging;

    static int limitOfPlain() {
        Settings settings = plain;
        if (settings == null) {
            synchronized (lock) {
                settings = plain;
                if (settings == null) {
                    settings = new Settings();
                    settings.limit = 42;
                    plain = settings;
                }
            }
        }
        return settings.limit;
    }

    static int limitOfEarly() {
        if (plain == null) {
            synchronized (lock) {
                if (plain == null) {
                    plain = new Settings();
                    plain.limit = 42;
                }
            }
        }
        return plain.limit;
    }

    static int limitOfVolatile() {
        Settings settings = visible;
        if (settings == null) {
            synchronized (lock) {
                settings = visible;
                if (settings == null) {
                    settings = new Settings();
                    settings.limit = 42;
                    visible = settings;
                }
            }
        }
        return settings.limit;
    }

    static int limitOfFinal() {
        FinalSettings settings = unchanging;
        if (settings == null) {
            synchronized (lock) {
                settings = unchanging;
                if (settings == null) {
                    settings = new FinalSettings(42);
                    unchanging = settings;
                }
            }
        }
        return settings.limit;
    }

    static int limit() {
        switch (VARIANT) {
            case "plain":
                return limitOfPlain();
            case "early":
                return limitOfEarly();
            case "volatile":
                return limitOfVolatile();
            case "final":
                return limitOfFinal();
            default:
                throw new IllegalArgumentException(VARIANT);
        }
    }

    static void use() {
        Warpath.check(limit() == 42, "settings were seen that are not filled in"); // BUG
    }

    public static void main(String[] args) throws InterruptedException {
        Thread first = new Thread(DoubleChecked::use);
        Thread second = new Thread(DoubleChecked::use);
        first.start();
        second.start();
        first.join();
        second.join();
    }
}
