package dev.warpath.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.test;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import org.opentest4j.AssertionFailedError;

/** Tests that are explored: what becomes of them. */
class WarpathTestTest {
    /** Two threads that count. */
    static class Counting {
        private int count = -1;

        @BeforeEach
        void reset() {
            count = 0;
        }

        @WarpathTest
        void loses() throws InterruptedException {
            inTwoThreads(() -> count++);
            assertEquals(2, count);
        }

        @WarpathTest
        void keeps() throws InterruptedException {
            inTwoThreads(
                    () -> {
                        synchronized (this) {
                            count++;
                        }
                    });
            assertEquals(2, count);
        }

        private static void inTwoThreads(Runnable work) throws InterruptedException {
            Thread one = new Thread(work);
            Thread two = new Thread(work);
            one.start();
            two.start();
            one.join();
            two.join();
        }
    }

    private static Events run(String method) {
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectMethod(Counting.class, method))
                .execute()
                .testEvents();
    }

    @Test
    void aTestThatCanFailFails() {
        run("loses")
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(
                                test("loses"),
                                finishedWithFailure(
                                        instanceOf(AssertionFailedError.class),
                                        message(text -> text.contains("warpath replay")))));
    }

    @Test
    void aTestThatCannotFailPasses() {
        assertEquals(1, run("keeps").succeeded().count());
    }
}
