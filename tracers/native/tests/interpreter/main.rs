//! The interpreter against the hardware: random sequences of every supported form of instruction.
//!
//! `WARPATH_SEED` chooses other sequences, `WARPATH_INSTRUCTIONS` how many instructions are executed.

mod generate;
mod machine;
mod rng;
mod values;

use std::collections::BTreeMap;

use iced_x86::{Code, Formatter, Instruction, IntelFormatter, Mnemonic};
use warpath_native::cpu::{Exit, Flag, RegisterSet, Registers, Stepped, status_flags, undefined_flags};

use generate::{Danger, FS_OFFSET, GS_OFFSET, Generator, Sequence, candidates};
use machine::{CODE, DATA, DATA_SIZE, FLAGS, Hardware, STACK, Software, State, difference};
use rng::Rng;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} has to be a number, not `{text}`")),
        Err(_) => default,
    }
}

/// The forms that the interpreter executes itself.
fn supported(software: &mut Software, rng: &mut Rng) -> Vec<Code> {
    let nothing = vec![0; DATA_SIZE as usize];
    let state = State { registers: Registers::default(), data: nothing };
    let mut interprets = |form: Code| {
        (0..8).any(|_| {
            let Some(bytes) = Generator::new(rng).single(form) else { return false };
            software.load(&bytes, &state);
            let mut at = CODE;
            while at < CODE + bytes.len() as u64 {
                let decoded = software.decode(at);
                if decoded.instruction.code() == form {
                    return decoded.interpreted;
                }
                at = decoded.instruction.next_ip();
            }
            false
        })
    };
    candidates().into_iter().filter(|&form| interprets(form)).collect()
}

fn random_state(rng: &mut Rng) -> State {
    let mut registers = Registers { rip: CODE, ..Registers::default() };
    for register in &mut registers.gpr {
        *register = rng.number();
    }
    for register in &mut registers.xmm {
        *register = rng.vector();
    }
    registers.gpr[4] = STACK;
    registers.flags = 0x202 | (rng.next() & FLAGS);
    registers.fs_base = DATA + FS_OFFSET;
    registers.gs_base = DATA + GS_OFFSET;
    registers.mxcsr = 0x1f80;
    let mut data = Vec::with_capacity(DATA_SIZE as usize);
    while data.len() < DATA_SIZE as usize {
        data.extend_from_slice(&rng.vector().to_le_bytes());
    }
    State { registers, data }
}

#[test]
fn random_sequences_do_what_the_hardware_does() {
    let seed = setting("WARPATH_SEED", 1);
    let wanted = setting("WARPATH_INSTRUCTIONS", 1_000_000);
    let mut rng = Rng::new(seed);
    let (mut hardware, mut software) = (Hardware::new(), Software::new());
    let forms = supported(&mut software, &mut rng);
    assert!(forms.len() >= 700, "only {} forms of instructions are interpreted", forms.len());
    let mut executed = 0;
    let mut round = 0;
    let mut uses: BTreeMap<String, u32> = BTreeMap::new();
    while executed < wanted {
        round += 1;
        // Every form is used once in a while, whatever chance says.
        let first = round as usize * 24;
        let chosen: Vec<Code> = (0..48)
            .map(|n| if n % 2 == 0 { forms[(first + n / 2) % forms.len()] } else { rng.pick(&forms) })
            .collect();
        for form in &chosen {
            *uses.entry(format!("{form:?}")).or_default() += 1;
        }
        let sequence = Generator::new(&mut rng).sequence(&chosen);
        let before = random_state(&mut rng);
        executed += check(&mut hardware, &mut software, &sequence, &before, seed, round);
    }
    assert_eq!(uses.len(), forms.len(), "every supported form was executed");
    println!("{executed} instructions of {} forms in {round} sequences", forms.len());
}

/// Instructions that fault do so at the same address with the same registers and memory: nothing is half done.
#[test]
fn faults_are_exact() {
    let mut rng = Rng::new(setting("WARPATH_SEED", 1) ^ 0xfa17);
    let (mut hardware, mut software) = (Hardware::new(), Software::new());
    let forms = supported(&mut software, &mut rng);
    let mut faults = 0;
    for round in 0..24 {
        for &form in &forms {
            faults +=
                u32::from(endangered(&mut hardware, &mut software, &mut rng, form, Danger::Edges, round));
        }
    }
    assert!(faults > 2_000, "only {faults} faults were compared");
}

#[test]
fn divisions_fail_as_on_the_hardware() {
    let mut rng = Rng::new(setting("WARPATH_SEED", 1) ^ 0xd1f);
    let (mut hardware, mut software) = (Hardware::new(), Software::new());
    let forms: Vec<Code> = supported(&mut software, &mut rng);
    let divisions: Vec<Code> =
        forms.into_iter().filter(|form| matches!(form.mnemonic(), Mnemonic::Div | Mnemonic::Idiv)).collect();
    assert_eq!(divisions.len(), 8);
    let mut faults = 0;
    for round in 0..2_000 {
        let form = rng.pick(&divisions);
        faults +=
            u32::from(endangered(&mut hardware, &mut software, &mut rng, form, Danger::Divisions, round));
    }
    assert!((500..1_900).contains(&faults), "{faults} of 2000 divisions failed");
}

/// Compares one dangerous instruction; whether it came to something.
fn endangered(
    hardware: &mut Hardware,
    software: &mut Software,
    rng: &mut Rng,
    form: Code,
    danger: Danger,
    round: u64,
) -> bool {
    let sequence = Generator::in_danger(rng, danger).sequence(&[form]);
    let before = random_state(rng);
    hardware.load(&sequence.bytes, &before);
    let signal = hardware.resume();
    let expected = hardware.state();
    software.load(&sequence.bytes, &before);
    let mut registers = before.registers.clone();
    let (exit, _) = software.run(&mut registers);
    let got = State { registers, data: software.data() };
    let agree = matches!(
        (signal, exit),
        (None, Exit::Breakpoint)
            | (Some(libc::SIGSEGV), Exit::Fault(_))
            | (Some(libc::SIGFPE), Exit::DivideError)
    );
    let instruction = software.decode(got.registers.rip).instruction;
    let unsettled = if signal.is_some() { unsettled_flags(&instruction) } else { 0 };
    let different = difference(&expected, &got, sequence.undefined | unsettled);
    if !agree || different.is_some() {
        panic!(
            "{form:?} in round {round}: signal {signal:?}, exit {exit:?}, now at `{}`\n{}before:\n{}",
            text(&instruction),
            different.unwrap_or_default(),
            describe(&before, &instruction)
        );
    }
    signal.is_some()
}

/// Compares a sequence; how many instructions were executed.
fn check(
    hardware: &mut Hardware,
    software: &mut Software,
    sequence: &Sequence,
    before: &State,
    seed: u64,
    round: u64,
) -> u64 {
    hardware.load(&sequence.bytes, before);
    let signal = hardware.resume();
    let expected = hardware.state();

    software.load(&sequence.bytes, before);
    let mut registers = before.registers.clone();
    let (exit, executed) = software.run(&mut registers);
    let got = State { registers, data: software.data() };
    let same = signal.is_none() && exit == Exit::Breakpoint;
    let different = difference(&expected, &got, sequence.undefined);
    // The slow path is another instance of the same code; it is compared now and then.
    let stepped = round.is_multiple_of(8).then(|| stepwise(software, sequence, before));
    let slow = stepped.as_ref().and_then(|slow| difference(&expected, slow, sequence.undefined));
    if same && different.is_none() && slow.is_none() {
        return executed;
    }
    println!("seed {seed}, sequence {round}: signal {signal:?}, exit {exit:?}");
    blame(hardware, software, sequence, before);
    panic!(
        "the sequence differs, but none of its instructions alone:\n{}{}",
        different.unwrap_or_default(),
        slow.unwrap_or_default()
    );
}

/// A register that an instruction does not touch has no influence on what it does, and one that it kills none on what
/// is in that register afterwards.
#[test]
fn effects_say_what_an_instruction_depends_on() {
    let mut rng = Rng::new(setting("WARPATH_SEED", 1) ^ 0xeffec7);
    let mut software = Software::new();
    let forms = supported(&mut software, &mut rng);
    for _ in 0..4 {
        for &form in &forms {
            let sequence = Generator::new(&mut rng).sequence(&[form]);
            let before = random_state(&mut rng);
            software.load(&sequence.bytes, &before);
            let mut registers = before.registers.clone();
            loop {
                let decoded = software.decode(registers.rip);
                if decoded.instruction.code() == form {
                    let state = State { registers: registers.clone(), data: software.data() };
                    for which in 0..33 {
                        influence(&mut software, &mut rng, &state, which);
                    }
                    software.space.write_bytes(DATA, &state.data).expect("mapped");
                }
                if software.step(&mut registers).is_err() {
                    break;
                }
            }
        }
    }
}

/// Executes the instruction at hand with two values of one register.
fn influence(software: &mut Software, rng: &mut Rng, state: &State, which: usize) {
    let decoded = software.decode(state.registers.rip);
    let (touches, kills) = (decoded.effects.touches, decoded.effects.kills);
    let set = match which {
        0..16 => RegisterSet::gpr(which),
        16..32 => RegisterSet::xmm(which - 16),
        _ => RegisterSet::FLAGS,
    };
    let mut changed = state.registers.clone();
    match which {
        0..16 => changed.gpr[which] = rng.number(),
        16..32 => changed.xmm[which - 16] = rng.vector(),
        _ => changed.flags ^= rng.next() & Flag::STATUS,
    }
    let mut go = |registers: &Registers| {
        software.space.write_bytes(DATA, &state.data).expect("mapped");
        let mut registers = registers.clone();
        let result = software.step(&mut registers);
        (result, State { registers, data: software.data() })
    };
    if touches.intersects(set) {
        return;
    }
    let (expected_result, expected) = go(&state.registers);
    let (result, mut got) = go(&changed);
    if !kills.intersects(set) {
        // It must still be what it was, and then does not count.
        let (now, then) = (&got.registers, &changed);
        let kept = match which {
            0..16 => now.gpr[which] == then.gpr[which],
            16..32 => now.xmm[which - 16] == then.xmm[which - 16],
            _ => (now.flags ^ then.flags) & Flag::STATUS == 0,
        };
        assert!(kept, "`{}` changes {set:?} and does not say so", text(&decoded.instruction));
        match which {
            0..16 => got.registers.gpr[which] = expected.registers.gpr[which],
            16..32 => got.registers.xmm[which - 16] = expected.registers.xmm[which - 16],
            _ => got.registers.flags = expected.registers.flags,
        }
    }
    let different = difference(&expected, &got, undefined_flags(&decoded.instruction));
    if result != expected_result || different.is_some() {
        panic!(
            "`{}` ({:?}) depends on {set:?} and does not say so: {result:?}\n{}",
            text(&decoded.instruction),
            decoded.instruction.code(),
            different.unwrap_or_default()
        );
    }
}

fn stepwise(software: &mut Software, sequence: &Sequence, before: &State) -> State {
    software.load(&sequence.bytes, before);
    let mut registers = before.registers.clone();
    for _ in 0..100_000 {
        match software.step(&mut registers) {
            Ok(_) => {}
            Err(_) => break,
        }
    }
    State { registers, data: software.data() }
}

/// Goes through a sequence one instruction at a time on both sides, and panics about the first that differs.
fn blame(hardware: &mut Hardware, software: &mut Software, sequence: &Sequence, before: &State) {
    hardware.load(&sequence.bytes, before);
    let mut state = before.clone();
    loop {
        software.load(&sequence.bytes, &state);
        let decoded = software.decode(state.registers.rip);
        let instruction = decoded.instruction;
        if instruction.code() == Code::Int3 {
            return;
        }
        let mut registers = state.registers.clone();
        let result = software.step(&mut registers);
        let got = State { registers, data: software.data() };
        let signal = hardware.step();
        let expected = hardware.state();
        let unsettled = match result {
            Ok(Stepped::Repeating) => unsettled_flags(&instruction),
            _ => 0,
        };
        let different = difference(&expected, &got, undefined_flags(&instruction) | unsettled);
        let stopped = !matches!(result, Ok(Stepped::Done | Stepped::Repeating));
        if different.is_some() || stopped || signal.is_some() {
            panic!(
                "`{}` ({:?}, {:02x?}) differs: result {result:?}, signal {signal:?}\n{}before:\n{}",
                text(&instruction),
                instruction.code(),
                &sequence.bytes[(instruction.ip() - CODE) as usize..][..instruction.len()],
                different.unwrap_or_default(),
                describe(&state, &instruction),
            );
        }
        state = expected;
        state.registers.flags &= !0x100;
    }
}

/// Flags of a comparison that is repeated and has not come to its end: some processors have those of the last turn, others
/// those from before the instruction.
fn unsettled_flags(instruction: &Instruction) -> u64 {
    use iced_x86::Mnemonic::{Cmpsb, Cmpsd, Cmpsq, Cmpsw, Scasb, Scasd, Scasq, Scasw};
    let compares =
        matches!(instruction.mnemonic(), Cmpsb | Cmpsw | Cmpsd | Cmpsq | Scasb | Scasw | Scasd | Scasq);
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if compares && repeats { status_flags(instruction.rflags_written()) } else { 0 }
}

fn text(instruction: &Instruction) -> String {
    let mut text = String::new();
    IntelFormatter::new().format(instruction, &mut text);
    text
}

fn describe(state: &State, instruction: &Instruction) -> String {
    let registers = &state.registers;
    let mut text = String::new();
    for n in 0..16 {
        text += &format!("  r{n} {:#018x}  xmm{n} {:#034x}\n", registers.gpr[n], registers.xmm[n]);
    }
    text +=
        &format!("  flags {:#x} mxcsr {:#x} rip {:#x}\n", registers.flags, registers.mxcsr, registers.rip);
    let address = instruction.virtual_address(0, 0, |register, _, _| {
        Some(match register {
            iced_x86::Register::FS => registers.fs_base,
            iced_x86::Register::GS => registers.gs_base,
            register if register.is_gpr() => registers.gpr[register.full_register().number()],
            _ => 0,
        })
    });
    if let Some(address) = address.filter(|address| (DATA..DATA + DATA_SIZE - 16).contains(address)) {
        let offset = (address - DATA) as usize;
        text += &format!("  [{address:#x}] {:02x?}\n", &state.data[offset..offset + 16]);
    }
    text
}
