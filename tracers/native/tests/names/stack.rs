//! Frames and local variables of a stopped program.

use warpath_native::cpu::{Gpr, Registers};
use warpath_native::names::{Frame, Images};
use warpath_native::process::{Launch, Stop, Stopped, spawn};

use crate::build::{build, mapped};

fn stopped_at_its_trap(path: &std::path::Path) -> Stopped {
    let mut process = spawn(&Launch::new(path, [])).unwrap();
    for _ in 0..10 {
        match process.resume(None).unwrap() {
            Stop::Trap | Stop::Signal { signal: libc::SIGTRAP, .. } => return process,
            _ => {}
        }
    }
    panic!("the program does not stop");
}

fn registers(process: &Stopped) -> Registers {
    let native = process.registers().unwrap();
    let mut registers = Registers { rip: native.rip, ..Registers::default() };
    for (register, value) in [
        (Gpr::Rax, native.rax),
        (Gpr::Rbx, native.rbx),
        (Gpr::Rcx, native.rcx),
        (Gpr::Rdx, native.rdx),
        (Gpr::Rsi, native.rsi),
        (Gpr::Rdi, native.rdi),
        (Gpr::Rbp, native.rbp),
        (Gpr::Rsp, native.rsp),
        (Gpr::R8, native.r8),
        (Gpr::R9, native.r9),
        (Gpr::R10, native.r10),
        (Gpr::R11, native.r11),
        (Gpr::R12, native.r12),
        (Gpr::R13, native.r13),
        (Gpr::R14, native.r14),
        (Gpr::R15, native.r15),
    ] {
        registers.set(register, value);
    }
    registers
}

struct Snapshot {
    process: Stopped,
    images: Images,
    frames: Vec<Frame>,
}

fn snapshot(command: &str) -> Snapshot {
    let built = build(command, "frames.c");
    let process = stopped_at_its_trap(&built.path);
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", process.pid())).unwrap();
    let images = mapped(&maps);
    let mut frames = vec![Frame::innermost(&registers(&process))];
    while let Some(caller) = images.caller(frames.last().unwrap(), &mut |address| word(&process, address)) {
        frames.push(caller);
        assert!(frames.len() < 50, "{command}: the stack does not end");
    }
    Snapshot { process, images, frames }
}

fn word(process: &Stopped, address: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    (process.read(address, &mut bytes) == 8).then(|| u64::from_le_bytes(bytes))
}

fn text(process: &Stopped, address: u64) -> String {
    let mut bytes = [0; 64];
    let length = process.read(address, &mut bytes);
    let end = bytes[..length].iter().position(|byte| *byte == 0).unwrap();
    String::from_utf8(bytes[..end].to_vec()).unwrap()
}

const COMMANDS: [&str; 6] = [
    "gcc -O0 -g",
    "gcc -O2 -g",
    "clang -O0 -g",
    "clang -O2 -g",
    "gcc -O1 -g -static",
    "gcc -O2 -g -fomit-frame-pointer",
];

#[test]
fn the_callers_are_found_up_to_the_start() {
    for command in COMMANDS.into_iter().chain(["gcc -O2"]) {
        let seen = snapshot(command);
        let names: Vec<String> = seen
            .frames
            .iter()
            .map(|frame| seen.images.function(frame.lookup()).map_or("?".to_owned(), |name| name.to_string()))
            .collect();
        let at = |name: &str| names.iter().position(|found| found == name);
        assert_eq!(at("inner"), Some(0), "{command}: {names:?}");
        assert!(at("middle") < at("main"), "{command}: {names:?}");
        assert_eq!(names.last().map(String::as_str), Some("_start"), "{command}: {names:?}");
    }
}

#[test]
fn locals_are_named_in_the_frame_they_belong_to() {
    for command in COMMANDS {
        let seen = snapshot(command);
        let mut read = |address| word(&seen.process, address);
        let places = seen.images.symbol("places").unwrap().address;
        let filled = seen.images.symbol("filled").unwrap().address;
        let filled = word(&seen.process, filled).unwrap() & 0xffff_ffff;
        assert!(filled >= 5, "{command}: {filled}");
        let mut named = 0;
        for place in 0..filled {
            let field = |n: u64| word(&seen.process, places + 32 * place + 8 * n).unwrap();
            let (function, path) = (text(&seen.process, field(0)), text(&seen.process, field(1)));
            let (address, size) = (field(2), field(3));
            let found: Vec<_> = seen
                .frames
                .iter()
                .filter_map(|frame| seen.images.local(frame, address, size, &mut read))
                .collect();
            for local in &found {
                assert_eq!(
                    local.function.as_deref(),
                    Some(function.as_str()),
                    "{command}: {path} is {local:?}"
                );
                assert_eq!(local.path, path, "{command}");
                assert!(local.address <= address && address + size <= local.address + local.size);
            }
            named += found.len();
        }
        // Optimised code may keep two variables in one place and tell only of one; unoptimised code tells all.
        let least = if command.contains("-O0") { filled as usize } else { 3 };
        assert!(named >= least, "{command}: {named} of {filled} are named");
    }
}

#[test]
fn a_frame_without_debug_information_has_no_locals() {
    let seen = snapshot("gcc -O0");
    let frame = &seen.frames[0];
    let mut read = |address| word(&seen.process, address);
    let address = seen.images.frame_address(frame, &mut read).unwrap();
    assert!(address > frame.stack_pointer().unwrap());
    assert_eq!(seen.images.local(frame, address - 24, 8, &mut read), None);
}
