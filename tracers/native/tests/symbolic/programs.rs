//! Small programs of the kind that a C library is made of, and what the caller can ask for.

use iced_x86::code_asm::*;
use warpath_native::cpu::Gpr;
use warpath_native::sym::{Access, AccessKind, Check, Effect, Effects, Source};
use warpath_trace::event::Concretised;
use warpath_trace::expr::{Leaf, Node};
use warpath_trace::ids::{InputId, ThreadIx};

use crate::machine::{DATA, DATA_SIZE};
use crate::random::Random;
use crate::runner::{Runner, show};

fn holds(check: &mut Check<impl Fn(Leaf) -> Option<u128>>, runner: &Runner) -> bool {
    runner.path.iter().all(|effect| match *effect {
        Effect::Branch { condition, taken } => {
            check.value(&runner.shadow, condition).unwrap() == u128::from(taken)
        }
        Effect::Switch { on: expr, value } | Effect::Concretise { expr, value, .. } => {
            check.value(&runner.shadow, expr).unwrap() == value
        }
    })
}

fn assign(bytes: &[u8]) -> impl Fn(Leaf) -> Option<u128> + use<> {
    let bytes = bytes.to_vec();
    move |leaf| match leaf {
        Leaf::Input(input) => bytes.get(input.index()).map(|&byte| byte.into()),
        Leaf::Read(..) => None,
    }
}

/// `strlen` as the C library does it with SSE2: sixteen bytes at a time.
fn strlen(a: &mut CodeAssembler) -> Result<(), iced_x86::IcedError> {
    let mut again = a.create_label();
    let mut found = a.create_label();
    a.lea(rdi, ptr(r15 + 64))?;
    a.mov(rax, rdi)?;
    a.pxor(xmm0, xmm0)?;
    a.set_label(&mut again)?;
    a.movdqa(xmm1, xmmword_ptr(rax))?;
    a.pcmpeqb(xmm1, xmm0)?;
    a.pmovmskb(edx, xmm1)?;
    a.test(edx, edx)?;
    a.jne(found)?;
    a.add(rax, 16)?;
    a.jmp(again)?;
    a.set_label(&mut found)?;
    a.bsf(edx, edx)?;
    a.add(rax, rdx)?;
    a.sub(rax, rdi)
}

#[test]
fn strlen_is_a_function_of_the_bytes() {
    let mut text = *b"twenty-one characters\0and some rest of it";
    let mut runner = Runner::new();
    runner.bytes(64, &text);
    runner.run(strlen);
    assert_eq!(runner.machine.registers.get(Gpr::Rax), 21);
    let length = runner.shadow.register(&runner.thread, Gpr::Rax, 64, &runner.machine.registers).unwrap();
    // Two decisions: no end in the first sixteen bytes, one in the next.
    assert_eq!(runner.path.len(), 2, "{:?}", runner.conditions());
    let mut random = Random::new(5);
    let mut on_path = 0;
    for _ in 0..200 {
        for byte in &mut text {
            *byte = random.next() as u8 | 1;
        }
        let end = random.below(40);
        text[end] = 0;
        let mut check = Check::new(assign(&text));
        let expected = (16..32).contains(&end);
        assert_eq!(holds(&mut check, &runner), expected);
        if expected {
            on_path += 1;
            assert_eq!(check.value(&runner.shadow, length).unwrap(), end as u128);
        }
    }
    assert!(on_path > 20);
}

#[test]
fn equality_of_sixteen_bytes_is_one_condition() {
    let mut runner = Runner::new();
    runner.bytes(0, b"abcdefghijklmnop");
    runner.machine.data[64..80].copy_from_slice(b"abcdefghijklmnop");
    runner.run(|a| {
        let mut differ = a.create_label();
        a.movdqu(xmm0, xmmword_ptr(r15))?;
        a.pcmpeqb(xmm0, xmmword_ptr(r15 + 64))?;
        a.pmovmskb(eax, xmm0)?;
        a.sub(eax, 0xffff)?;
        a.jne(differ)?;
        a.nop()?;
        a.set_label(&mut differ)?;
        a.zero_bytes()
    });
    let conditions = runner.conditions();
    assert_eq!(conditions.len(), 1);
    for (index, byte) in b"abcdefghijklmnop".iter().enumerate() {
        assert!(conditions[0].contains(&format!("(i{index} == {byte})")), "{}", conditions[0]);
    }
}

#[test]
fn masks_joined_are_conditions_joined() {
    for (join, sign) in [(true, "||"), (false, "&&")] {
        let mut runner = Runner::new();
        runner.bytes(0, b"b");
        runner.machine.data[64..80].fill(b'a');
        runner.machine.data[80..96].fill(b'b');
        runner.run(|a| {
            let mut end = a.create_label();
            a.movdqu(xmm0, xmmword_ptr(r15))?;
            a.movdqa(xmm1, xmm0)?;
            a.pcmpeqb(xmm0, xmmword_ptr(r15 + 64))?;
            a.pcmpeqb(xmm1, xmmword_ptr(r15 + 80))?;
            if join {
                a.por(xmm0, xmm1)?
            } else {
                a.pand(xmm0, xmm1)?
            }
            a.pmovmskb(eax, xmm0)?;
            a.test(eax, eax)?;
            a.jne(end)?;
            a.set_label(&mut end)?;
            a.zero_bytes()
        });
        let not = if join { "" } else { "not " };
        assert_eq!(runner.conditions(), [format!("{not}((i0 == 97) {sign} (i0 == 98))")]);
    }
}

#[test]
fn a_value_copied_byte_by_byte_is_the_value() {
    let mut runner = Runner::new();
    runner.input(0, Gpr::Rax, 32, 0x1234_5678);
    runner.run(|a| {
        a.mov(dword_ptr(r15), eax)?;
        a.mov(ecx, 4)?;
        a.mov(rsi, r15)?;
        a.lea(rdi, ptr(r15 + 33))?;
        a.rep().movsb()?;
        a.movdqu(xmm3, xmmword_ptr(r15 + 33))?;
        a.movups(xmmword_ptr(r15 + 80), xmm3)?;
        a.mov(ebx, dword_ptr(r15 + 80))?;
        a.mov(edx, dword_ptr(r15 + 82))
    });
    assert_eq!(runner.text(Gpr::Rbx, 32).unwrap(), "i0");
    assert_eq!(runner.text(Gpr::Rdx, 64).unwrap(), "zext64(i0[31:16])");
    assert!(runner.path.is_empty());
}

#[test]
fn digits_become_a_number() {
    let mut runner = Runner::new();
    runner.bytes(0, b"407x");
    runner.run(|a| {
        let mut again = a.create_label();
        let mut end = a.create_label();
        a.xor(eax, eax)?;
        a.mov(rsi, r15)?;
        a.set_label(&mut again)?;
        a.movzx(ecx, byte_ptr(rsi))?;
        a.sub(ecx, 48)?;
        a.cmp(ecx, 9)?;
        a.ja(end)?;
        a.lea(eax, ptr(rax + rax * 4))?;
        a.lea(eax, ptr(rcx + rax * 2))?;
        a.inc(rsi)?;
        a.jmp(again)?;
        a.set_label(&mut end)?;
        a.zero_bytes()
    });
    let number = runner.shadow.register(&runner.thread, Gpr::Rax, 32, &runner.machine.registers).unwrap();
    let mut check = Check::new(assign(b"913 "));
    assert!(holds(&mut check, &runner));
    assert_eq!(check.value(&runner.shadow, number).unwrap(), 913);
    let mut other = Check::new(assign(b"9a3 "));
    assert!(!holds(&mut other, &runner));
}

#[test]
fn a_symbolic_count_decides_turn_by_turn() {
    let mut runner = Runner::new();
    runner.input(0, Gpr::Rcx, 8, 3);
    runner.run(|a| {
        a.mov(al, 7)?;
        a.rep().stosb()
    });
    let expected = ["not (i0 == 0)", "not (i0 == 1)", "not (i0 == 2)", "(i0 == 3)"];
    assert_eq!(runner.conditions(), expected);
    assert_eq!(runner.text(Gpr::Rcx, 64), None);
}

/// One instruction with accesses that the test makes up.
fn one(runner: &mut Runner, bytes: &[u8], accesses: &[Access], change: impl FnOnce(&mut Runner)) -> Effects {
    let instruction = iced_x86::Decoder::with_ip(64, bytes, 0x1000, 0).decode();
    let before = runner.machine.registers.clone();
    change(runner);
    let after = runner.machine.registers.clone();
    let mut effects = Effects::new();
    runner.shadow.execute(&mut runner.thread, &instruction, &before, &after, accesses, &mut effects);
    assert_eq!(runner.shadow.disagreements(), 0);
    effects
}

#[test]
fn a_visible_read_brings_its_own_expression() {
    let mut runner = Runner::new();
    let read = Node::Read { thread: ThreadIx(1), event: 4, width: 32 };
    let read = runner.shadow.pool_mut().intern(read).unwrap();
    let access = Access { address: DATA, size: 4, kind: AccessKind::Read(Source::Expr(read)), value: 77 };
    // mov eax, [r15]
    one(&mut runner, &[0x41, 0x8b, 0x07], &[access], |runner| runner.machine.registers.set(Gpr::Rax, 77));
    assert_eq!(runner.text(Gpr::Rax, 32).unwrap(), "r1.4");
    // A value forwarded from a buffer is concrete even where memory is symbolic.
    runner.shadow.write(DATA, 4, 77, Some(read));
    let access = Access { kind: AccessKind::Read(Source::Concrete), ..access };
    one(&mut runner, &[0x41, 0x8b, 0x07], &[access], |_| {});
    assert_eq!(runner.text(Gpr::Rax, 32), None);
}

#[test]
fn a_compare_and_swap_leaves_a_choice() {
    let mut runner = Runner::new();
    let read = Node::Read { thread: ThreadIx(0), event: 2, width: 32 };
    let read = runner.shadow.pool_mut().intern(read).unwrap();
    runner.machine.registers.set(Gpr::Rax, 1);
    runner.machine.registers.set(Gpr::Rbx, 9);
    // lock cmpxchg [r15], ebx finds 0, not 1, with a store that repeats the old value, and with none.
    let bytes = [0xf0, 0x41, 0x0f, 0xb1, 0x1f];
    let load = Access { address: DATA, size: 4, kind: AccessKind::Read(Source::Expr(read)), value: 0 };
    for accesses in [vec![load], vec![load, Access::write(DATA, 4, 0)]] {
        let mut runner = Runner {
            shadow: runner.shadow.clone(),
            thread: runner.thread.clone(),
            machine: runner.machine.clone(),
            ..Runner::new()
        };
        one(&mut runner, &bytes, &accesses, |runner| runner.machine.registers.set(Gpr::Rax, 0));
        let left = runner.shadow.read(DATA, 4, 0).unwrap();
        assert_eq!(show(runner.shadow.pool(), left), "((r0.2 == 1) ? 9 : r0.2)");
        assert_eq!(runner.text(Gpr::Rax, 32).unwrap(), "((r0.2 == 1) ? 1 : r0.2)");
    }
}

#[test]
fn a_store_that_is_held_back_is_only_reported() {
    let mut runner = Runner::new();
    runner.input(0, Gpr::Rax, 64, 5);
    let access = Access { address: DATA, size: 8, kind: AccessKind::Held, value: 5 };
    // mov [r15], rax
    let effects = one(&mut runner, &[0x49, 0x89, 0x07], &[access], |_| {});
    assert!(!runner.shadow.is_symbolic(DATA, DATA_SIZE as u64));
    let held = effects.held[0];
    assert_eq!((held.address, held.size, held.value), (DATA, 8, 5));
    assert_eq!(show(runner.shadow.pool(), held.expr.unwrap()), "i0");
}

#[test]
fn memory_that_something_else_wrote_is_concrete() {
    let mut runner = Runner::new();
    runner.shadow.input(DATA, InputId(0), 32, 0x0403_0201);
    assert!(runner.shadow.read(DATA, 4, 0x0403_0201).is_some());
    let changed = runner.shadow.read(DATA, 4, 0x0403_0299).unwrap();
    assert_eq!(show(runner.shadow.pool(), changed), "(i0[31:8] ++ -103)");
    runner.shadow.copy(DATA, DATA + 2, 4);
    let moved = runner.shadow.read(DATA + 2, 4, 0x0403_0201).unwrap();
    assert_eq!(show(runner.shadow.pool(), moved), "i0");
    assert_eq!(runner.shadow.symbolic_ranges(DATA, 64), [(DATA, 6)]);
}

#[test]
fn what_goes_outside_is_used_by_its_value() {
    let mut runner = Runner::new();
    runner.bytes(0, b"ab");
    let mut effects = Effects::new();
    runner.shadow.concretise_range(&mut runner.thread, DATA, b"ab\0", Concretised::Outside, &mut effects);
    runner.input(7, Gpr::Rdi, 32, 9);
    let registers = runner.machine.registers.clone();
    let truth = runner.shadow.truth(&runner.thread, Gpr::Rdi, 32, &registers).unwrap();
    assert_eq!(show(runner.shadow.pool(), truth), "!(i7 == 0)");
    let (thread, why) = (&mut runner.thread, Concretised::Outside);
    runner.shadow.concretise_register(thread, Gpr::Rdi, &registers, why, &mut effects);
    assert!(!runner.shadow.is_symbolic(DATA, 16));
    assert!(runner.thread.symbolic().is_empty());
    runner.path = effects.path;
    assert_eq!(runner.conditions(), ["Outside: i0 is 97", "Outside: i1 is 98", "Outside: i7 is 9"]);
}

#[test]
fn an_instruction_that_nobody_knows_uses_concrete_values() {
    let mut runner = Runner::new();
    runner.bytes(16, b"q");
    runner.machine.registers.set(Gpr::Rax, DATA + 16);
    // pshufb xmm0, [rax], executed by the hardware: nobody saw its accesses.
    let effects = one(&mut runner, &[0x66, 0x0f, 0x38, 0x00, 0x00], &[], |_| {});
    runner.path = effects.path;
    assert_eq!(runner.conditions(), ["Other: i0 is 113"]);
    // fld dword ptr [rax]
    let mut runner = Runner::new();
    runner.bytes(16, b"q");
    runner.machine.registers.set(Gpr::Rax, DATA + 16);
    let effects = one(&mut runner, &[0xd9, 0x00], &[], |_| {});
    runner.path = effects.path;
    assert_eq!(runner.conditions(), ["Float: i0 is 113"]);
}

#[test]
fn a_table_is_translated_at_the_decided_index() {
    let mut runner = Runner::new();
    runner.input(0, Gpr::Rax, 8, 3);
    runner.machine.registers.set(Gpr::Rbx, DATA);
    let effects = one(&mut runner, &[0xd7], &[Access::read(DATA + 3, 1, 50)], |runner| {
        runner.machine.registers.set(Gpr::Rax, 50);
    });
    runner.path = effects.path;
    assert_eq!(runner.conditions(), ["Address: i0 is 3"]);
    assert_eq!(runner.text(Gpr::Rax, 8), None);
}

#[test]
fn a_full_table_loses_expressions_and_says_so() {
    let mut runner = Runner::new();
    runner.shadow =
        warpath_native::sym::Shadow::new(warpath_native::sym::ShadowOptions { max_expressions: 4 });
    runner.input(0, Gpr::Rax, 64, 1);
    runner.run(|a| {
        for step in 0..8 {
            a.lea(rax, ptr(rax + rax * 2 + step))?;
        }
        Ok(())
    });
    assert!(runner.shadow.lost() > 0);
    assert!(runner.shadow.pool().len() < 16);
}
