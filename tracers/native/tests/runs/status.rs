//! What the kernel says about files is the same in every run.

use crate::build::{c, output};

#[test]
fn files_of_the_run_are_as_old_as_the_program() {
    let built = c(
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
        static void say(struct stat *s) { printf(\"%ld %ld %ld %ld\\n\", s->st_mtim.tv_sec, s->st_atim.tv_sec, s->st_ctim.tv_sec, s->st_mtim.tv_nsec); }\n\
        int main(void) { struct stat s; struct statx x; int f = open(\"/proc/self/maps\", O_RDONLY); fstat(f, &s); say(&s); printf(\"%ld\\n\", (long)s.st_ino);\n\
        statx(f, \"\", AT_EMPTY_PATH, STATX_BASIC_STATS, &x); printf(\"%lld %u %lld\\n\", x.stx_mtime.tv_sec, x.stx_mtime.tv_nsec, x.stx_ino);\n\
        f = memfd_create(\"x\", 0); write(f, \"y\", 1); fstat(f, &s); say(&s);\n\
        stat(\"/proc/self/exe\", &s); printf(\"%ld %ld\\n\", s.st_mtim.tv_sec, (long)s.st_size); return 0; }",
    );
    let file = std::fs::metadata(built.path()).unwrap();
    let wanted = {
        use std::os::unix::fs::MetadataExt;
        let born = "1577836800 1577836800 1577836800 0\n";
        format!("{born}1\n1577836800 0 1\n{born}{} {}\n", file.mtime(), file.size())
    };
    // The kernel's clock for files has ticked, so the compiled program is older than the run.
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert_eq!(output(&built.run()), wanted);
}
