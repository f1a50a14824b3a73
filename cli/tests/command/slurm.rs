//! A cluster of one machine: munge and Slurm's two daemons, in a folder of their own, started and stopped by the test.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::native::eventually;
use crate::run::{Folder, run};

/// A running cluster.
pub(crate) struct Slurm {
    folder: Folder,
    daemons: Vec<(&'static str, Child)>,
}

impl Slurm {
    /// Starts the daemons and waits until the one machine takes jobs.
    pub(crate) fn start() -> Slurm {
        let mut slurm = Slurm { folder: Folder::new(), daemons: Vec::new() };
        // Clients look into the folder of the socket.
        fs::set_permissions(slurm.path(), fs::Permissions::from_mode(0o755)).expect("the folder is ours");
        for name in ["state", "spool"] {
            fs::create_dir(slurm.path().join(name)).expect("a folder");
        }
        let key = slurm.folder.file("munge.key", (0..=255).cycle().take(1024).collect::<Vec<u8>>());
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("the key is ours");
        let file = |name: &str| slurm.path().join(name).display().to_string();
        let munge = [
            "--foreground".to_owned(),
            // A folder in /tmp is not safe enough for it.
            "--force".to_owned(),
            format!("--key-file={}", key.display()),
            format!("--socket={}", file("munge.socket")),
            format!("--pid-file={}", file("munged.pid")),
            format!("--log-file={}", file("munged.log")),
            format!("--seed-file={}", file("munged.seed")),
        ];
        slurm.daemon("munged", &munge);
        eventually("socket of munge", || slurm.path().join("munge.socket").exists().then_some(()));
        fs::write(slurm.configuration(), slurm.settings()).expect("a file");
        slurm.daemon("slurmctld", &["-i".into(), "-D".into()]);
        slurm.daemon("slurmd", &["-D".into(), "-N".into(), "one".into()]);
        eventually("machine that takes jobs", || {
            let states = slurm.ask("sinfo", &["--noheader", "--format=%T"]);
            (states.trim() == "idle").then_some(())
        });
        slurm
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file that `SLURM_CONF` names.
    pub(crate) fn configuration(&self) -> PathBuf {
        self.path().join("slurm.conf")
    }

    fn settings(&self) -> String {
        let folder = self.path().display();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("the machine has a name");
        let host = host.trim().split('.').next().expect("a part");
        let user = run(Command::new("id").arg("-un")).expect_code(0).stdout.trim().to_owned();
        let [control, node] = free_ports();
        format!(
            "ClusterName=warpath\nSlurmctldHost={host}(127.0.0.1)\nSlurmUser={user}\nSlurmdUser={user}\n\
             AuthType=auth/munge\nAuthInfo=socket={folder}/munge.socket,cred_expire=5\nCredType=cred/munge\n\
             SlurmctldPort={control}\nSlurmdPort={node}\n\
             CommunicationParameters=NoCtldInAddrAny,NoInAddrAny\n\
             StateSaveLocation={folder}/state\nSlurmdSpoolDir={folder}/spool\n\
             SlurmctldPidFile={folder}/slurmctld.pid\nSlurmdPidFile={folder}/slurmd.pid\n\
             ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nMpiDefault=none\nReturnToService=2\nKillWait=2\n\
             SchedulerParameters=sched_min_interval=0\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n\
             NodeName=one NodeAddr=127.0.0.1 NodeHostname={host} Port={node} CPUs=2 State=UNKNOWN\n\
             PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n"
        )
    }

    fn daemon(&mut self, name: &'static str, arguments: &[String]) {
        let log = |end: &str| File::create(self.path().join(format!("{name}.{end}"))).expect("a file");
        let spawned = Command::new(Path::new("/usr/sbin").join(name))
            .args(arguments)
            .env("SLURM_CONF", self.configuration())
            .env("WARPATH_TEST_SLURM", self.path())
            .stdin(Stdio::null())
            .stdout(log("out"))
            .stderr(log("err"))
            .spawn();
        let child = spawned.unwrap_or_else(|error| panic!("cannot start {name}: {error}: run scripts/setup"));
        self.daemons.push((name, child));
    }

    /// What a command of Slurm says; empty while the daemons are not up.
    pub(crate) fn ask(&self, command: &str, arguments: &[&str]) -> String {
        let output = Command::new(command).args(arguments).env("SLURM_CONF", self.configuration()).output();
        let output =
            output.unwrap_or_else(|error| panic!("cannot run {command}: {error}: run scripts/setup"));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Does something; it must work.
    pub(crate) fn tell(&self, command: &str, arguments: &[&str]) {
        run(Command::new(command).args(arguments).env("SLURM_CONF", self.configuration())).expect_code(0);
    }

    /// What the daemons wrote, for a test that fails.
    pub(crate) fn logs(&self) -> String {
        let log = |(name, _): &(&str, Child)| {
            let text = fs::read_to_string(self.path().join(format!("{name}.err"))).unwrap_or_default();
            let last: Vec<&str> = text.lines().rev().take(20).collect();
            format!("{name}:\n{}\n", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
        };
        self.daemons.iter().map(log).collect()
    }

    /// What the daemons started, tasks and their guards: they inherit the environment of the daemons, or live in their
    /// folder.
    fn started(&self) -> Vec<i32> {
        let marker = format!("WARPATH_TEST_SLURM={}", self.path().display());
        let entries = fs::read_dir("/proc").expect("/proc is there");
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        pids.filter(|pid| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let lives_here = |link: PathBuf| link.starts_with(self.path());
            environment.split(|byte| *byte == 0).any(|entry| entry == marker.as_bytes())
                || fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(lives_here)
        })
        .collect()
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.logs());
        }
        for (_, daemon) in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        // Nobody is left to start more of them, but those that end may take a moment.
        for _ in 0..100 {
            let left = self.started();
            for pid in &left {
                let _ = kill(Pid::from_raw(*pid), Signal::SIGKILL);
            }
            if left.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Two ports of this machine that nobody uses.
fn free_ports() -> [u16; 2] {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    listeners.map(|listener| listener.local_addr().expect("it has one").port())
}
