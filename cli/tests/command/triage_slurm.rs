//! `warpath triage --cluster slurm` on a cluster of one machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::native::eventually;
use crate::run::{Folder, Ran, ran, run, warpath};
use crate::slurm::Slurm;
use crate::triage::{pack, slow_solver};

/// Traces, a solver that takes its time, and where results lie.
struct Bench<'s> {
    slurm: &'s Slurm,
    folder: Folder,
}

const TRACES: usize = 16;

impl Bench<'_> {
    fn new(slurm: &Slurm) -> Bench<'_> {
        let folder = Folder::new();
        let traces = folder.path().join("traces");
        for n in 0..TRACES {
            pack(&traces, &format!("run-{n:02}"), ["deadlock", "fig6", "addall", "fig7-first"][n % 4]);
        }
        fs::write(traces.join("core.wpt"), "no trace").expect("a file");
        Bench { slurm, folder }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn command(&self, options: &[&str]) -> Command {
        let (path, config) = slow_solver(&self.folder, "0.15");
        let mut command = warpath();
        command
            .current_dir(self.folder.path())
            .args(["triage", "traces", "--out", "out", "--solver", "slow"]);
        command.args(["--json", "-"]).args(options);
        command.env("PATH", path).env("WARPATH_SOLVERS_DIR", config);
        command.env("SLURM_CONF", self.slurm.configuration());
        command
    }

    fn cluster(&self, options: &[&str]) -> Command {
        let mut command = self.command(&["--cluster", "slurm", "--tasks", "4"]);
        command.args(options);
        command
    }

    fn start(&self, options: &[&str]) -> Child {
        let streams = |command: &mut Command| {
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
        };
        streams(&mut self.cluster(options))
    }

    /// The number of the job that is under way.
    fn job(&self) -> String {
        eventually("job", || {
            let text = fs::read_to_string(self.out().join("cluster/job.json")).ok()?;
            let note: Value = serde_json::from_str(&text).ok()?;
            Some(note["job"].as_str()?.to_owned())
        })
    }

    /// Waits until a task of the job has finished a trace and is about the next.
    fn under_way(&self, job: &str, task: usize) {
        eventually("finished trace of a task", || {
            let text = fs::read_to_string(self.out().join(format!("journal/{job}_{task}-0.jsonl"))).ok()?;
            (text.lines().count() >= 1).then_some(())
        });
    }

    fn queue(&self) -> String {
        self.slurm.ask("squeue", &["--noheader", "--array"])
    }
}

fn analysed(results: &Value) -> u64 {
    results["counts"]["analysed"].as_u64().expect("a number")
}

fn ended(child: Child) -> Ran {
    ran(child.wait_with_output().expect("it ends"))
}

/// The process of a task: by its command line.
fn task(out: &Path, job: &str, number: usize) -> i32 {
    let words = ["__triage".to_owned(), "part".to_owned(), job.to_owned(), number.to_string()];
    let cluster = format!("out/{}", out.join("cluster").file_name().expect("a name").to_string_lossy());
    eventually("process of a task", || {
        let entries = fs::read_dir("/proc").expect("/proc is there");
        let mut pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.find(|pid| {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line: Vec<String> = line
                .split(|byte| *byte == 0)
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect();
            let here = fs::read_link(format!("/proc/{pid}/cwd")).ok();
            words.iter().all(|word| line.contains(word))
                && line.iter().any(|word| word.starts_with(&cluster))
                && here.as_deref() == out.parent()
        })
    })
}

/// One cluster for all that is to be shown: it takes a few seconds to start.
#[test]
fn a_cluster_gives_what_this_machine_gives_whatever_is_lost() {
    let slurm = Slurm::start();
    let bench = Bench::new(&slurm);
    let local = run(&mut bench.command(&["--jobs", "2"])).expect_code(1).json();
    assert_eq!(analysed(&local), TRACES as u64);
    fs::remove_dir_all(bench.out()).expect("it goes");

    // A task is cancelled, and another is killed, in the middle.
    let child = bench.start(&[]);
    let job = bench.job();
    bench.under_way(&job, 0);
    slurm.tell("scancel", &[&format!("{job}_0")]);
    bench.under_way(&job, 1);
    kill(Pid::from_raw(task(&bench.out(), &job, 1)), Signal::SIGKILL).expect("it runs");
    let lost = ended(child);
    lost.expect_code(1).expect_complaint("traces were lost with their tasks; once more");
    assert_eq!(lost.json(), local);
    assert_eq!(bench.queue(), "");

    // Slurm itself begins a task again, as it does when it loses a machine: it goes on where it was.
    fs::remove_dir_all(bench.out()).expect("it goes");
    let child = bench.start(&[]);
    let job = bench.job();
    bench.under_way(&job, 0);
    slurm.tell("scontrol", &["requeue", &format!("{job}_0")]);
    let requeued = ended(child);
    assert_eq!(requeued.expect_code(1).json(), local);
    let lines = |again: usize| {
        let path = bench.out().join(format!("journal/{job}_0-{again}.jsonl"));
        fs::read_to_string(path).expect("it is there").lines().count()
    };
    assert_eq!(lines(0) + lines(1), 5, "no trace of the task was analysed twice");
    assert!(!requeued.stderr.contains("once more"), "{}", requeued.stderr);

    // All of that is known now; nothing is submitted.
    let again = run(&mut bench.cluster(&[]));
    again.expect_code(1).expect_complaint("17 of 17 traces are known");
    assert!(!again.stderr.contains("tasks\n"), "{}", again.stderr);
    assert_eq!(again.json(), local);

    // The command is killed, the job goes on, and the command comes back to it.
    fs::remove_dir_all(bench.out()).expect("it goes");
    let mut child = bench.start(&[]);
    let job = bench.job();
    bench.under_way(&job, 0);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let back = run(&mut bench.cluster(&[]));
    back.expect_code(1).expect_complaint(&format!("job {job} of an earlier run is still under way"));
    assert_eq!(back.json(), local);

    // Ctrl-C ends the job, and leaves the results so far.
    fs::remove_dir_all(bench.out()).expect("it goes");
    let child = bench.start(&[]);
    let job = bench.job();
    bench.under_way(&job, 0);
    kill(Pid::from_raw(i32::try_from(child.id()).expect("a process id")), Signal::SIGINT).expect("it runs");
    let stopped = ended(child);
    let results = stopped.expect_code(1).json();
    assert!((1..TRACES as u64).contains(&analysed(&results)), "{results}");
    assert_eq!(
        results["counts"]["open"].as_u64(),
        Some(TRACES as u64 - analysed(&results) + 1 - unreadable(&results))
    );
    assert_eq!(bench.queue(), "");

    // A cluster that does not take the job.
    let refused = run(&mut bench.cluster(&["--fresh", "--cluster-option=--partition=nowhere"]));
    refused.expect_code(2).expect_complaint("sbatch failed: ").expect_complaint("help: ");
}

fn unreadable(results: &Value) -> u64 {
    results["counts"]["unreadable"].as_u64().expect("a number")
}

#[test]
fn without_slurm_it_says_so() {
    let folder = Folder::new();
    pack(&folder.path().join("traces"), "one", "deadlock");
    let nothing = folder.path().join("nothing");
    fs::create_dir(&nothing).expect("a folder");
    let mut command = warpath();
    command.current_dir(folder.path()).args(["triage", "traces", "--cluster", "slurm", "--solver", "yices"]);
    run(command.env("PATH", &nothing))
        .expect_code(2)
        .expect_complaint("cannot run sbatch")
        .expect_complaint("help: run this on a machine of the cluster");
}
