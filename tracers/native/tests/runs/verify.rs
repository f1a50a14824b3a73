//! Every interpreted instruction against the hardware, in real programs.

use std::ffi::OsString;
use std::path::Path;

use warpath_native::run::{End, Output, Plan, Policy, Program, RunOptions};

use crate::build::{c_with, quiet};

#[test]
fn a_program_that_uses_much_of_the_c_library() {
    let built = c_with(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <math.h>\n#include <ctype.h>\n\
         static int by(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }\n\
         int main(void) { char *w[20], b[64]; for (int i = 0; i < 20; i++) { snprintf(b, sizeof b, \"%d-%x-%.3f\", i * 7919 % 101, i, i / 7.0);\n\
         w[i] = strdup(b); } qsort(w, 20, sizeof *w, by); double s = 0; for (int i = 0; i < 20; i++) { s += strtod(w[i], 0); for (char *p = w[i]; *p; p++) *p = toupper(*p); }\n\
         printf(\"%s %s %g\\n\", w[0], w[19], s); return 0; }",
        &["-O2"],
    );
    let options = RunOptions { verify: true, ..quiet() };
    let run = built.program(&[]).run(&Plan::by_policy(options, Policy::RunToBlock)).unwrap();
    assert_eq!(run.end, End::Exited(0));
    let plain = std::process::Command::new(built.path()).output().unwrap();
    assert_eq!(crate::build::output(&run).as_bytes(), plain.stdout);
}

#[test]
fn a_program_of_the_system() {
    let options = RunOptions { verify: true, output: Output::Keep, ..RunOptions::default() };
    let mut program =
        Program::new(Path::new("echo"), vec![OsString::from("hello"), OsString::from("world")]).unwrap();
    let run = program.run(&Plan::by_policy(options, Policy::RunToBlock)).unwrap();
    assert_eq!(run.end, End::Exited(0));
    assert_eq!(crate::build::output(&run), "hello world\n");
}
