//! Self-check: every interpreted instruction is also executed by the hardware, and everything is compared.

use super::error::RunError;
use super::kernel::Next;
use super::machine::Machine;
use crate::cpu::{self, Exit, Flag, Limits, Registers};
use crate::process::{Stop, from_native, to_native};

/// One instruction, both ways.
pub(crate) fn step(machine: &mut Machine, t: usize) -> Result<Next, RunError> {
    let before = machine.threads[t].registers.clone();
    let instruction = cpu::instruction_at(&mut machine.code, &mut machine.space, before.rip);
    machine.write_back()?;
    let thread = &mut machine.threads[t];
    let mut limits = Limits { instructions: 1, symbolic: thread.shadow.symbolic() };
    let known = limits.symbolic;
    let (exit, executed) =
        cpu::run(&mut thread.registers, &mut machine.code, &mut machine.space, &mut limits);
    machine.instructions += executed;
    if limits.symbolic != known {
        thread.shadow.keep_only(limits.symbolic);
    }
    if executed == 0 {
        return machine.exit_for(t, exit);
    }
    // A system call, CPUID and their like are done by other means than the hardware's.
    if !matches!(exit, Exit::Budget) {
        return machine.exit_for(t, exit);
    }
    let mut fpu = thread.fpu.clone().unwrap_or_else(|| machine.native.fpu.clone());
    fpu.set_xmm(&before.xmm);
    fpu.set_mxcsr(before.mxcsr);
    machine.process.set_fpu(&fpu)?;
    machine.process.set_registers(&to_native(&before, &machine.native.base))?;
    let stop = machine.process.step()?;
    let mut hardware = before.clone();
    from_native(&machine.process.registers()?, &mut hardware);
    let fpu = machine.process.fpu()?;
    hardware.xmm = fpu.xmm();
    hardware.mxcsr = fpu.mxcsr();
    let text = instruction.map_or_else(String::new, |instruction| instruction.to_string());
    let place = format!("{:#x} `{text}`", before.rip);
    if stop != Stop::Trap {
        return Err(RunError::Verify { place, difference: format!("the hardware stopped with {stop:?}") });
    }
    let undefined = instruction.map_or(0, |instruction| cpu::undefined_flags(&instruction));
    if let Some(difference) = difference(&machine.threads[t].registers, &hardware, undefined) {
        return Err(RunError::Verify { place, difference });
    }
    // The pages that the interpreter changed must be what the hardware made of them.
    let changed: Vec<(u64, Vec<u8>)> =
        machine.space.dirty().into_iter().map(|(address, page)| (address, page.to_vec())).collect();
    for (address, page) in changed {
        let mut native = vec![0; page.len()];
        machine.process.read(address, &mut native);
        if let Some(offset) = (0..page.len()).find(|&n| page[n] != native[n]) {
            let difference = format!(
                "memory at {:#x} is {:#04x}, on the hardware {:#04x}",
                address + offset as u64,
                page[offset],
                native[offset]
            );
            return Err(RunError::Verify { place, difference });
        }
    }
    machine.space.clean();
    machine.exit_for(t, Exit::Budget)
}

fn difference(ours: &Registers, hardware: &Registers, undefined: u64) -> Option<String> {
    for n in 0..16 {
        if ours.gpr[n] != hardware.gpr[n] {
            return Some(format!(
                "register {n} is {:#x}, on the hardware {:#x}",
                ours.gpr[n], hardware.gpr[n]
            ));
        }
        if ours.xmm[n] != hardware.xmm[n] {
            return Some(format!("xmm{n} is {:#x}, on the hardware {:#x}", ours.xmm[n], hardware.xmm[n]));
        }
    }
    if ours.rip != hardware.rip {
        return Some(format!("it goes on at {:#x}, the hardware at {:#x}", ours.rip, hardware.rip));
    }
    let compared = (Flag::STATUS | Flag::DF) & !undefined;
    if (ours.flags ^ hardware.flags) & compared != 0 {
        return Some(format!(
            "flags are {:#x}, on the hardware {:#x}",
            ours.flags & compared,
            hardware.flags & compared
        ));
    }
    None
}
