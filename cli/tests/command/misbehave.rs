//! Programs that do what programs should not: a clear sentence, the right exit code, the trace kept, nobody left behind.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::native::{c_program, eventually, expect_no_process, processes_of, run_with_input, show};
use crate::run::{Folder, Ran, ran, warpath};

/// Records a program; a trace must be there afterwards, and no process.
#[track_caller]
fn recorded(program: &Path, options: &[&str], input: &[u8]) -> (Ran, String) {
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt");
    let mut command = warpath();
    command.args(["record", "-o"]).arg(&trace).args(options).arg("--").arg(program);
    let ran = run_with_input(&mut command, input);
    expect_no_process(program);
    assert!(trace.exists(), "no trace: {ran:?}");
    (ran, show(&trace))
}

/// Records something that cannot be recorded.
#[track_caller]
fn refused(program: &Path, complaint: &str) {
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt");
    let mut command = warpath();
    command.args(["record", "-o"]).arg(&trace).arg("--").arg(program);
    run_with_input(&mut command, b"").expect_code(2).expect_complaint(complaint).expect_complaint("help: ");
    assert!(!trace.exists(), "nothing ran, so there is no trace");
}

#[test]
fn a_child_process_runs_beside_and_is_waited_for() {
    let program = c_program(
        "forks",
        r#"#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    return 0;
}"#,
    );
    let (ran, _) = recorded(&program, &[], b"");
    assert_eq!(
        ran.expect_code(0).expect_complaint("child processes, which are not traced").stdout,
        "child 7\n"
    );
}

#[test]
fn children_that_never_end_are_ended() {
    let program = c_program(
        "orphans",
        r#"#include <unistd.h>
int main(void) {
    if (fork() == 0) {
        fork();
        for (;;)
            pause();
    }
    return 0;
}"#,
    );
    recorded(&program, &[], b"").0.expect_code(0);
}

#[test]
fn a_program_that_becomes_another_is_cut_there() {
    let program = c_program(
        "becomes",
        r#"#include <unistd.h>
int main(void) {
    execl("/bin/echo", "echo", "hello", (char *)0);
    return 9;
}"#,
    );
    let (ran, trace) = recorded(&program, &[], b"");
    ran.expect_code(3).expect_complaint("became another program by exec");
    assert!(trace.contains("T0 begin"), "{trace}");
    // An exec that fails is an error of the program's, and it goes on.
    let program = c_program(
        "becomes-nothing",
        r#"#include <stdio.h>
#include <unistd.h>
int main(void) {
    printf("%d\n", execl("/no/such/program", "x", (char *)0));
    return 0;
}"#,
    );
    assert_eq!(recorded(&program, &[], b"").0.expect_code(0).stdout, "-1\n");
}

#[test]
fn handlers_run_and_signals_without_one_end_the_program() {
    let program = c_program(
        "handles",
        r#"#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static volatile sig_atomic_t seen;
static sigjmp_buf back;
static void note(int signal) { seen = signal; }
static void leap(int signal) { (void)signal; siglongjmp(back, 1); }
int main(void) {
    signal(SIGUSR1, note);
    raise(SIGUSR1);
    struct sigaction action = {0};
    action.sa_handler = leap;
    sigaction(SIGSEGV, &action, 0);
    if (!sigsetjmp(back, 1))
        *(volatile int *)8 = 1;
    printf("seen %d\n", (int)seen);
    fflush(stdout);
    raise(SIGTERM);
    return 0;
}"#,
    );
    let (ran, _) = recorded(&program, &[], b"");
    assert_eq!(ran.expect_code(1).expect_complaint("FAILED killed 15").stdout, "seen 10\n");
}

fn waits_for_input() -> PathBuf {
    c_program(
        "waits",
        r#"#include <unistd.h>
int main(void) {
    char byte;
    return read(0, &byte, 1) == 1 ? 0 : 4;
}"#,
    )
}

/// Starts recording a program that waits for its input, which does not come.
fn waiting(program: &Path, trace: &Path) -> Child {
    let mut command = warpath();
    command.args(["record", "-o"]).arg(trace).arg("--").arg(program);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

#[test]
fn somebody_kills_the_program() {
    // A copy of its own, so that no other test runs it meanwhile.
    let program = waits_for_input().with_file_name("waits-and-dies");
    fs::copy(waits_for_input(), &program).expect("a copy");
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt");
    let child = waiting(&program, &trace);
    // One stands at `main`, the other one runs.
    let pids =
        eventually("process that waits", || Some(processes_of(&program)).filter(|pids| pids.len() == 2));
    let youngest = pids.into_iter().max().expect("two");
    kill(Pid::from_raw(youngest), Signal::SIGKILL).expect("it can be killed");
    let ran = ran(child.wait_with_output().expect("the command ends"));
    ran.expect_code(1).expect_complaint("FAILED killed 9: ended from outside by signal 9");
    assert!(show(&trace).contains("T0 begin"), "what happened until then is kept");
    expect_no_process(&program);
}

#[test]
fn ctrl_c_keeps_what_happened_until_then() {
    let program = waits_for_input().with_file_name("waits-for-ctrl-c");
    fs::copy(waits_for_input(), &program).expect("a copy");
    let folder = Folder::new();
    let trace = folder.path().join("run.wpt");
    let mut child = waiting(&program, &trace);
    // Kept, because an end of its input would end the program, too.
    let _stdin = child.stdin.take();
    eventually("process that waits", || Some(processes_of(&program)).filter(|pids| pids.len() == 2));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).expect("it can be interrupted");
    let ran = ran(child.wait_with_output().expect("the command ends"));
    ran.expect_code(3).expect_complaint("was interrupted");
    assert!(show(&trace).contains("outcome stopped"));
    expect_no_process(&program);
}

#[test]
fn warpath_itself_is_killed() {
    let program = waits_for_input().with_file_name("waits-alone");
    fs::copy(waits_for_input(), &program).expect("a copy");
    let folder = Folder::new();
    let mut child = waiting(&program, &folder.path().join("run.wpt"));
    eventually("process that waits", || Some(processes_of(&program)).filter(|pids| pids.len() == 2));
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
    eventually("end of its processes", || processes_of(&program).is_empty().then_some(()));
}

#[test]
fn loops_without_end_are_cut() {
    let program = c_program("loops", "int main(void) { for (volatile unsigned long n = 0;; n++) {} }");
    let (ran, _) = recorded(&program, &["--max-instructions", "20000000"], b"");
    ran.expect_code(3).expect_complaint("was stopped after 20000000 instructions (--max-instructions)");
    let program = c_program(
        "prints",
        "#include <stdio.h>\nint main(void) { for (;;) { puts(\"again\"); fflush(stdout); } }",
    );
    let (ran, trace) = recorded(&program, &["--max-events", "500"], b"");
    ran.expect_code(3).expect_complaint("500 visible events (--max-events)");
    assert!(trace.lines().count() > 490, "the trace has them");
    let (ran, _) = recorded(&program, &["--max-output", "10K"], b"");
    ran.expect_code(3).expect_complaint("bytes of output (--max-output)");
    assert!(ran.stdout.starts_with("again\nagain\n"), "what was written is shown");
}

#[test]
fn megabytes_of_output_arrive_whole_and_in_order() {
    let program = c_program(
        "writes",
        r#"#include <stdio.h>
int main(void) {
    for (int n = 0; n < 200000; n++)
        printf("line %d of many\n", n);
    fputs("done\n", stderr);
    return 0;
}"#,
    );
    let (ran, _) = recorded(&program, &["-q"], b"");
    let expected: String = (0..200_000).map(|n| format!("line {n} of many\n")).collect();
    assert!(ran.expect_code(0).stdout == expected, "the output is another");
    assert_eq!(ran.stderr, "done\n");
}

#[test]
fn threads_that_never_end() {
    let program = c_program(
        "daemons",
        r#"#include <pthread.h>
#include <unistd.h>
static void *waits(void *unused) { for (;;) pause(); return unused; }
static void *sleeps(void *unused) { for (;;) sleep(1000); return unused; }
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    pthread_create(&thread, 0, sleeps, 0);
    return 0;
}"#,
    );
    recorded(&program, &[], b"").0.expect_code(0).expect_complaint("ended normally");
    let program = c_program(
        "never",
        r#"#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static void *waits(void *unused) {
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&change, &lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, waits, 0);
    pthread_join(thread, 0);
    return 0;
}"#,
    );
    let (ran, _) = recorded(&program, &[], b"");
    ran.expect_code(1).expect_complaint("T0.0 waits on condition `change`, which nobody signals");
    ran.expect_complaint("T0 waits for T0.0 to end");
}

#[test]
fn code_that_changes_itself_runs_as_it_is_then() {
    let program = c_program(
        "rewrites",
        r#"#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
int main(void) {
    unsigned char *code = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, "\xb8\1\0\0\0\xc3", 6);
    int sum = 0;
    for (int n = 0; n < 5; n++) {
        code[1] = n;
        sum += ((int (*)(void))code)();
    }
    printf("%d\n", sum);
    return 0;
}"#,
    );
    assert_eq!(recorded(&program, &[], b"").0.expect_code(0).stdout, "10\n");
}

#[test]
fn descriptors_are_the_programs_own() {
    let program = c_program(
        "closes",
        r#"#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    write(1, "a", 1);
    int copy = dup(1);
    close(1);
    ssize_t written = write(1, "b", 1);
    fprintf(stderr, "%zd %d\n", written, errno == EBADF);
    write(copy, "c\n", 2);
    int ends[2];
    pipe(ends);
    dup2(ends[1], 2);
    write(2, "in the pipe", 11);
    char back[16] = {0};
    read(ends[0], back, 16);
    write(copy, back, 11);
    return 0;
}"#,
    );
    let (ran, _) = recorded(&program, &["-q"], b"");
    assert_eq!(ran.expect_code(0).stdout, "ac\nin the pipe");
    assert_eq!(ran.stderr, "-1 1\n");
}

#[test]
fn input_is_read_in_parts_to_its_end() {
    let program = c_program(
        "reads",
        r#"#include <stdio.h>
#include <unistd.h>
int main(void) {
    char bytes[4];
    ssize_t one = read(0, bytes, 2), two = read(0, bytes + 2, 2), three = read(0, bytes, 4);
    printf("%zd %zd %zd\n", one, two, three);
    return 0;
}"#,
    );
    assert_eq!(recorded(&program, &[], b"abc").0.expect_code(0).stdout, "2 1 0\n");
    let (ran, trace) = recorded(&program, &["--symbolic", "stdin:16"], b"abc");
    assert_eq!(ran.expect_code(0).stdout, "2 1 0\n");
    assert_eq!(trace.lines().filter(|line| line.starts_with("T0 input stdin")).count(), 3, "{trace}");
}

#[test]
fn an_exit_status_is_no_failure_unless_it_should_be() {
    let program = c_program("three", "int main(void) { return 3; }");
    recorded(&program, &[], b"").0.expect_code(0).expect_complaint("ended with exit status 3");
    recorded(&program, &["--fail-on-exit"], b"").0.expect_code(1).expect_complaint("FAILED exit 3");
}

#[test]
fn crashes_are_failures_with_their_place() {
    let program = c_program("nulls", "int main(void) {\n    volatile int *null = 0;\n    return *null;\n}");
    let (ran, _) = recorded(&program, &[], b"");
    ran.expect_code(1).expect_complaint("FAILED null-dereference: access to address 0x0");
    ran.expect_complaint("nulls.c:3");
    let program = c_program("divides", "int main(int count, char **a) {\n    return 10 / (count - 1);\n}");
    recorded(&program, &[], b"").0.expect_code(1).expect_complaint("FAILED arithmetic");
    let program = c_program("aborts", "#include <stdlib.h>\nint main(void) { abort(); }");
    recorded(&program, &[], b"").0.expect_code(1).expect_complaint("FAILED abort");
}

#[test]
fn what_is_no_program_is_refused() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| {
        let path = folder.file(name, bytes);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        path
    };
    refused(&folder.path().join("missing"), "does not exist");
    refused(folder.path(), "is not an executable file");
    refused(&folder.file("plain", "text"), "is not an executable file");
    refused(&file("text", b"hello\n"), "is not an ELF file");
    refused(&file("script", b"#!/bin/sh\necho hello\n"), "is not an ELF file");
    refused(&file("empty", b""), "is not an ELF file");
    // A header for i386: class 1, machine 3.
    let mut small = vec![0x7f, b'E', b'L', b'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 1, 0, 0, 0];
    small.resize(84, 0);
    refused(&file("small", &small), "is a 32-bit program");
    let good = fs::read(c_program("three", "int main(void) { return 3; }")).expect("a program");
    let mut foreign = good.clone();
    foreign[18] = 183;
    refused(&file("foreign", &foreign), "is for another processor");
    refused(&file("cut", &good[..200]), "is damaged");
}
