//! What a debugger is told: the threads that it cannot see, as a script of commands for it.
//!
//! The threads of a program under the tracer are register files over one native thread. A debugger sees that one, with
//! the registers of the thread that ran last. Memory is the same for all, so putting another thread's registers there
//! is all it takes to look at it.

use std::fmt::Write as _;

use warpath_native::cpu::Gpr;
use warpath_native::run::Standing;

/// The registers as the debugger calls them, in its own order of the general ones.
const GENERAL: [(&str, Gpr); 16] = [
    ("rax", Gpr::Rax),
    ("rbx", Gpr::Rbx),
    ("rcx", Gpr::Rcx),
    ("rdx", Gpr::Rdx),
    ("rsi", Gpr::Rsi),
    ("rdi", Gpr::Rdi),
    ("rbp", Gpr::Rbp),
    ("rsp", Gpr::Rsp),
    ("r8", Gpr::R8),
    ("r9", Gpr::R9),
    ("r10", Gpr::R10),
    ("r11", Gpr::R11),
    ("r12", Gpr::R12),
    ("r13", Gpr::R13),
    ("r14", Gpr::R14),
    ("r15", Gpr::R15),
];

/// Where each thread stands, for people: its calls, the innermost first.
pub(super) fn stacks(threads: &[Standing]) -> String {
    let mut text = String::new();
    for (n, thread) in threads.iter().enumerate() {
        let here = if thread.is_current { ", which the process has the registers of" } else { "" };
        let _ = writeln!(text, "  thread {}: {}{here}", n + 1, thread.key);
        for (depth, call) in thread.calls.iter().enumerate() {
            let function = call.function.as_deref().map_or_else(|| format!("{:#x}", call.address), printable);
            let line = call.line.as_ref().map(|(file, line)| format!(" at {}:{line}", printable(file)));
            let _ = writeln!(text, "    #{depth} {function}{}", line.unwrap_or_default());
        }
    }
    text
}

/// Commands for gdb: `warpath-threads` lists the threads, `warpath-thread N` goes to one of them.
pub(super) fn script(threads: &[Standing]) -> String {
    let mut text = String::from(
        "# For gdb: the threads of a run of Warpath.\n\
         set pagination off\n\
         set confirm off\n\
         \n\
         define warpath-threads\n",
    );
    for (n, thread) in threads.iter().enumerate() {
        let call = thread.calls.iter().find(|call| call.is_own).or(thread.calls.first());
        let function = call.and_then(|call| call.function.as_deref()).map(printable).unwrap_or_default();
        let line = call.and_then(|call| call.line.as_ref());
        let line = line.map(|(file, line)| format!(" at {}:{line}", printable(file))).unwrap_or_default();
        let _ = writeln!(text, "  echo {} {} in {function}{line}\\n", n + 1, thread.key);
    }
    text.push_str(
        "end\n\
         document warpath-threads\n\
         List the threads of the program.\n\
         end\n\
         \n\
         define warpath-thread\n\
         \u{20} if $argc != 1\n\
         \u{20}   warpath-threads\n\
         \u{20} else\n\
         \u{20}   # Registers of an outer frame would go to the stack.\n\
         \u{20}   frame function main\n",
    );
    // The selected frame must be the innermost for registers to be registers.
    text = text.replace("    frame function main\n", "    frame 0\n");
    for (n, thread) in threads.iter().enumerate() {
        let _ = writeln!(text, "    if $arg0 == {}", n + 1);
        for (name, register) in GENERAL {
            let _ = writeln!(text, "      set ${name} = {:#x}", thread.registers.get(register));
        }
        let _ = writeln!(text, "      set $fs_base = {:#x}", thread.registers.fs_base);
        let _ = writeln!(text, "      set $gs_base = {:#x}", thread.registers.gs_base);
        let _ = writeln!(text, "      set $eflags = {:#x}", thread.registers.flags);
        for (number, value) in thread.registers.xmm.iter().enumerate() {
            let (low, high) = (*value as u64, (*value >> 64) as u64);
            let _ = writeln!(text, "      set $xmm{number}.v2_int64[0] = {low:#x}");
            let _ = writeln!(text, "      set $xmm{number}.v2_int64[1] = {high:#x}");
        }
        // Last: from here on the stack is that thread's.
        let _ = writeln!(text, "      set $rip = {:#x}", thread.registers.rip);
        text.push_str("    end\n");
    }
    text.push_str(
        "    frame 0\n\
         \u{20} end\n\
         end\n\
         document warpath-thread\n\
         Go to thread N of the program: warpath-thread N. Its registers replace those that are there;\n\
         memory is the same for all. Without N: list the threads.\n\
         end\n",
    );
    text
}

/// Names come from the program: no control characters, and nothing that a debugger's `echo` would take as its own.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c == '\\' || c == '"' { '?' } else { c }).collect()
}
