//! A program at its `main`, from which runs start again and again.
//!
//! What happens before `main` (loading, relocation, constructors) is the same in every run. It is executed once; each
//! run starts from a fork of the native process and a copy of what is known of it.

use std::collections::BTreeMap;

use super::calls::Keys;
use super::error::RunError;
use super::heap::Heap;
use super::kernel::Kernel;
use super::layout::Slots;
use super::machine::Machine;
use super::record::Recorder;
use super::sharing::Sharing;
use super::start::Pages;
use super::sync::Objects;
use super::thread::Thread;
use crate::memory::Snapshot;
use crate::process::Stopped;
use crate::sym::Shadow;

/// A program that has come to its `main`.
pub(crate) struct Template {
    process: Stopped,
    space: Snapshot,
    threads: Vec<Thread>,
    slots: Slots,
    sharing: Sharing,
    watched: Sharing,
    kernel: Kernel,
    heap: Heap,
    objects: Objects,
    keys: Keys,
    shadow: Shadow,
    recorder: Recorder,
    approximations: BTreeMap<&'static str, u64>,
    instructions: u64,
    hardware_steps: u64,
    /// Descriptors that can be rewound, and where they stood.
    positions: Vec<(i32, u64)>,
}

impl Template {
    /// Takes a machine that stands at `main`, and a fork of its process for it to go on with.
    pub(crate) fn of(machine: &mut Machine) -> Result<Template, RunError> {
        machine.write_back()?;
        let space = machine.space.snapshot();
        let child = fork(&mut machine.process, machine.native.syscall)?;
        let process = std::mem::replace(&mut machine.process, child);
        let positions = positions(process.pid());
        machine.space.set_backing(Box::new(Pages(machine.process.pid())));
        Ok(Template {
            process,
            space,
            threads: machine.threads.clone(),
            slots: machine.slots.clone(),
            sharing: machine.sharing.clone(),
            watched: machine.watched.clone(),
            kernel: machine.kernel.clone(),
            heap: machine.heap.clone(),
            objects: machine.objects.clone(),
            keys: machine.keys.clone(),
            shadow: machine.shadow.clone(),
            recorder: machine.recorder.clone(),
            approximations: machine.approximations.clone(),
            instructions: machine.instructions,
            hardware_steps: machine.hardware_steps,
            positions,
        })
    }

    /// Puts a machine back to `main`.
    pub(crate) fn restore(&mut self, machine: &mut Machine) -> Result<(), RunError> {
        machine.process = fork(&mut self.process, machine.native.syscall)?;
        machine.space.set_backing(Box::new(Pages(machine.process.pid())));
        machine.space.restore(&self.space);
        machine.threads.clone_from(&self.threads);
        machine.slots.clone_from(&self.slots);
        machine.sharing.clone_from(&self.sharing);
        machine.watched.clone_from(&self.watched);
        machine.kernel.clone_from(&self.kernel);
        machine.heap.clone_from(&self.heap);
        machine.objects.clone_from(&self.objects);
        machine.keys.clone_from(&self.keys);
        machine.shadow.clone_from(&self.shadow);
        machine.recorder.clone_from(&self.recorder);
        machine.approximations.clone_from(&self.approximations);
        machine.instructions = self.instructions;
        machine.hardware_steps = self.hardware_steps;
        machine.owners = Default::default();
        machine.current = 0;
        machine.skipped = 0;
        machine.standings = Default::default();
        machine.output.clear();
        machine.grown = false;
        // A fork shares the positions of its parent's open files, and an earlier run may have moved them.
        for &(descriptor, position) in &self.positions {
            let arguments = [descriptor as u64, position, libc::SEEK_SET as u64, 0, 0, 0];
            machine.raw_call(libc::SYS_lseek, arguments)?;
        }
        Ok(())
    }
}

fn fork(process: &mut Stopped, instruction: u64) -> Result<Stopped, RunError> {
    let (result, child) = process.copy(instruction)?;
    child.ok_or_else(|| {
        RunError::Process(crate::process::ProcessError::Request {
            what: "be copied",
            errno: nix::errno::Errno::from_raw(-result as i32),
        })
    })
}

/// Regular files that a process has open, and where it stands in them.
fn positions(pid: i32) -> Vec<(i32, u64)> {
    let Ok(folder) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return Vec::new() };
    let mut positions: Vec<(i32, u64)> = folder
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let descriptor: i32 = entry.file_name().to_str()?.parse().ok()?;
            // Its output does not get there; ours may.
            if matches!(descriptor, libc::STDOUT_FILENO | libc::STDERR_FILENO) {
                return None;
            }
            let regular = std::fs::metadata(entry.path()).ok()?.is_file();
            let text = std::fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).ok()?;
            let position = text.lines().find_map(|line| line.strip_prefix("pos:"))?.trim().parse().ok()?;
            regular.then_some((descriptor, position))
        })
        .collect();
    positions.sort_unstable();
    positions
}
