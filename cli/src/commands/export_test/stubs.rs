//! Programs that run the script from a test suite.

use super::script::Test;

const C: &str = r#"/* Regression test of a concurrency bug, made by `warpath export-test`:
 *   @BUG@
 *
 * Runs @NAME@.sh, which lies beside this program, or beside this file, or where WARPATH_TEST_SCRIPT says
 * (-DWARPATH_TEST_SCRIPT='"/path/@NAME@.sh"'). Arguments go to the script: the first is another build of the program
 * under test. Ends as the script does: 0 gone, 1 still there, 2 something is missing.
 *
 *   CTest:     add_executable(@NAME@-test @NAME@-test.c)
 *              add_test(NAME @NAME@ COMMAND @NAME@-test $<TARGET_FILE:prog>)
 *   automake:  check_PROGRAMS = @NAME@-test
 *              TESTS = @NAME@-test
 *   by hand:   cc @NAME@-test.c -o @NAME@-test && ./@NAME@-test
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The script in the folder of `beside`, if it is there. */
static int find(const char *beside, char *script, size_t size) {
    const char *slash = strrchr(beside, '/');
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    int length = snprintf(script, size, "%s%.*s@NAME@.sh", folder ? "" : "./", folder, beside);
    return length > 0 && (size_t)length < size && access(script, X_OK) == 0;
}

int main(int argc, char **argv) {
    static char script[65536];
#ifdef WARPATH_TEST_SCRIPT
    snprintf(script, sizeof script, "%s", WARPATH_TEST_SCRIPT);
#else
    if (!(argc > 0 && find(argv[0], script, sizeof script)) && !find(__FILE__, script, sizeof script)) {
        fprintf(stderr, "@NAME@-test: @NAME@.sh is neither beside the test nor beside its source\n");
        return 2;
    }
#endif
    if (argc > 0) {
        argv[0] = script;
        execv(script, argv);
    }
    perror(script);
    return 2;
}
"#;

const JUNIT: &str = r#"import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.file.Paths;
import org.junit.jupiter.api.Test;

/**
 * Regression test of a concurrency bug, made by `warpath export-test`:
 *   @BUG@
 *
 * Runs @NAME@.sh, which ends with 0 if the failure does not show any more, 1 if it does, 2 if something is missing.
 * It is looked for where the system property warpath.test.script says, then beside this class among the resources of
 * the test (with @NAME@.si.toml beside it), then in the folder that the tests run in.
 */
class @CLASS@ {
    @Test
    void theBugIsGone() throws Exception {
        Process process = new ProcessBuilder("sh", script()).redirectErrorStream(true).start();
        process.getOutputStream().close();
        // Line by line through System.out: that is where test runners look for what a test says.
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                System.out.println(line);
            }
        }
        assertEquals(0, process.waitFor(), "exit code of @NAME@.sh");
    }

    private static String script() throws Exception {
        String named = System.getProperty("warpath.test.script");
        if (named != null) {
            return named;
        }
        URL resource = @CLASS@.class.getResource("@NAME@.sh");
        if (resource != null && resource.getProtocol().equals("file")) {
            return Paths.get(resource.toURI()).toString();
        }
        return new File("@NAME@.sh").getPath();
    }
}
"#;

/// A C program.
pub(super) fn c(test: &Test) -> String {
    // Names are plain by now, the bug comes last because it is not.
    C.replace("@NAME@", &test.name).replace("@BUG@", &test.bug())
}

/// A class for JUnit 5.
pub(super) fn junit(test: &Test, class: &str) -> String {
    // Java reads `\u` everywhere; the bug has no backslash.
    JUNIT.replace("@CLASS@", class).replace("@NAME@", &test.name).replace("@BUG@", &test.bug())
}

/// `Bug1Test` of `bug-1`.
pub(super) fn class_name(name: &str) -> String {
    let mut class = String::new();
    for word in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        class.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        class.push_str(letters.as_str());
    }
    if !class.starts_with(|c: char| c.is_ascii_alphabetic()) {
        class.insert_str(0, "Bug");
    }
    format!("{class}Test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_names_of_classes() {
        assert_eq!(class_name("bug-1"), "Bug1Test");
        assert_eq!(class_name("7.lost_update"), "Bug7LostUpdateTest");
        assert_eq!(class_name("---"), "BugTest");
    }
}
