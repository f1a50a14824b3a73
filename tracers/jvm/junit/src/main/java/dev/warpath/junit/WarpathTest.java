package dev.warpath.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test that has to pass under every schedule of its threads, and with every value of the inputs that it takes.
 *
 * <p>{@code warpath explore} runs it again and again in JVMs of its own until nothing new can happen, a failure was
 * found and reproduced, or the time is over. The report of a failure has the interleaving and the command that replays it.
 *
 * <p>An object of the test's class is made for each run; its {@code @BeforeEach} and {@code @AfterEach} methods are
 * called. Other extensions and parameters do not take part.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Test
@ExtendWith(WarpathExtension.class)
public @interface WarpathTest {
    /** How long to explore at most, as the command takes it: {@code 500ms}, {@code 30s}, {@code 5m}. */
    String time() default "30s";

    /** The memory model: {@code sc}, {@code tso} or {@code pso}. */
    String model() default "sc";

    /** How the next run is chosen. */
    String strategy() default "forest";

    /** Further options of {@code warpath explore}. */
    String[] options() default {};

    /** Does the test pass if nothing was found, but not everything was seen? */
    boolean passIfUnknown() default false;
}
