//! Conditions read like the source they were compiled from.

use iced_x86::IcedError;
use iced_x86::code_asm::*;
use warpath_native::cpu::Gpr;

use crate::runner::Runner;

/// Runs a program that begins with `i0` in (E/R)AX and `i1` in (E/R)BX; gives the conditions of its path.
fn path(
    width: u8,
    values: [u64; 2],
    program: impl FnOnce(&mut CodeAssembler, CodeLabel) -> Result<(), IcedError>,
) -> Vec<String> {
    let mut runner = Runner::new();
    runner.input(0, Gpr::Rax, width, values[0]);
    runner.input(1, Gpr::Rbx, width, values[1]);
    runner.run(|a| {
        let mut end = a.create_label();
        program(a, end)?;
        a.set_label(&mut end)?;
        a.zero_bytes()
    });
    runner.conditions()
}

macro_rules! reads {
    ($width:literal, $values:expr, |$a:ident, $end:ident| $($line:expr);+ => $expected:expr) => {
        let found = path($width, $values, |$a, $end| { $($line?;)+ Ok(()) });
        assert_eq!(found, $expected, stringify!($($line);+));
    };
}

#[test]
fn comparisons_of_all_widths_are_comparisons() {
    reads! { 32, [5, 7], |a, end| a.cmp(eax, 3); a.je(end) => ["not (i0 == 3)"] }
    reads! { 32, [3, 7], |a, end| a.cmp(eax, 3); a.jne(end) => ["(i0 == 3)"] }
    reads! { 32, [5, 7], |a, end| a.cmp(eax, ebx); a.jl(end) => ["(i0 <s i1)"] }
    reads! { 32, [5, 7], |a, end| a.cmp(eax, ebx); a.jge(end) => ["(i0 <s i1)"] }
    reads! { 64, [5, 7], |a, end| a.cmp(rax, rbx); a.jle(end) => ["not (i1 <s i0)"] }
    reads! { 64, [5, 7], |a, end| a.cmp(rax, rbx); a.jg(end) => ["not (i1 <s i0)"] }
    reads! { 16, [5, 7], |a, end| a.cmp(ax, bx); a.jb(end) => ["(i0 <u i1)"] }
    reads! { 16, [5, 7], |a, end| a.cmp(ax, bx); a.jae(end) => ["(i0 <u i1)"] }
    reads! { 8, [5, 7], |a, end| a.cmp(al, bl); a.jbe(end) => ["not (i1 <u i0)"] }
    reads! { 8, [5, 7], |a, end| a.cmp(al, 200); a.ja(end) => ["not (-56 <u i0)"] }
    reads! { 32, [5, 7], |a, end| a.cmp(eax, 0); a.js(end) => ["not (i0 <s 0)"] }
}

#[test]
fn tests_and_arithmetic_before_a_jump_are_comparisons() {
    reads! { 32, [0, 0], |a, end| a.test(eax, eax); a.je(end) => ["(i0 == 0)"] }
    reads! { 32, [5, 0], |a, end| a.test(eax, eax); a.jle(end) => ["(0 <s i0)"] }
    reads! { 64, [5, 0], |a, end| a.test(rax, rax); a.js(end) => ["not (i0 <s 0)"] }
    reads! { 32, [5, 7], |a, end| a.sub(eax, ebx); a.je(end) => ["not (i0 == i1)"] }
    reads! { 32, [5, 7], |a, end| a.sub(eax, ebx); a.jl(end) => ["(i0 <s i1)"] }
    reads! { 32, [5, 7], |a, end| a.sub(eax, 2); a.sub(eax, 3); a.je(end) => ["(i0 == 5)"] }
    reads! { 32, [5, 7], |a, end| a.dec(eax); a.jne(end) => ["not (i0 == 1)"] }
    reads! { 32, [5, 7], |a, end| a.dec(eax); a.jg(end) => ["(1 <s i0)"] }
    reads! { 32, [5, 7], |a, end| a.add(eax, -5); a.je(end) => ["(i0 == 5)"] }
    reads! { 32, [5, 7], |a, end| a.xor(eax, ebx); a.jne(end) => ["not (i0 == i1)"] }
    reads! { 32, [5, 7], |a, end| a.neg(eax); a.jb(end) => ["not (i0 == 0)"] }
    reads! { 32, [5, 7], |a, end| a.and(eax, 4); a.je(end) => ["not ((i0 & 4) == 0)"] }
    reads! { 32, [5, 7], |a, end| a.lea(ecx, rax - 3); a.cmp(ecx, 4); a.ja(end) => ["not (4 <u (i0 + -3))"] }
}

#[test]
fn flags_that_became_numbers_become_conditions_again() {
    reads! {
        32, [5, 7], |a, end| a.cmp(eax, ebx); a.setl(al); a.movzx(eax, al); a.test(eax, eax); a.je(end)
        => ["(i0 <s i1)"]
    }
    reads! {
        32, [5, 7], |a, end| a.xor(ecx, ecx); a.cmp(eax, 3); a.sete(cl); a.cmp(ecx, 1); a.je(end)
        => ["not (i0 == 3)"]
    }
    reads! {
        32, [5, 7], |a, end| a.cmp(eax, ebx); a.sbb(ecx, ecx); a.and(ecx, 8); a.cmp(ecx, 8); a.je(end)
        => ["(i0 <u i1)"]
    }
    reads! {
        32, [5, 7], |a, end| a.cmp(eax, ebx); a.cmovl(eax, ebx); a.cmp(eax, ebx); a.je(end)
        => ["(i1 == ((i0 <s i1) ? i1 : i0))"]
    }
}

#[test]
fn widening_disappears() {
    reads! { 8, [5, 7], |a, end| a.movzx(eax, al); a.cmp(eax, 9); a.jbe(end) => ["not (9 <u i0)"] }
    reads! { 8, [5, 7], |a, end| a.movzx(eax, al); a.cmp(eax, 9); a.jle(end) => ["not (9 <u i0)"] }
    reads! { 8, [5, 7], |a, end| a.movsx(eax, al); a.cmp(eax, 9); a.jle(end) => ["not (9 <s i0)"] }
    reads! {
        8, [5, 7], |a, end| a.movsx(eax, al); a.sub(eax, 48); a.cmp(al, 9); a.jbe(end)
        => ["(9 <u (i0 + -48))"]
    }
    reads! {
        8, [5, 7], |a, end| a.movsx(eax, al); a.movsx(ebx, bl); a.cmp(eax, ebx); a.jl(end)
        => ["(i0 <s i1)"]
    }
    reads! { 16, [5, 7], |a, end| a.movzx(eax, ax); a.cmp(eax, 65_536); a.jb(end) => [""; 0] }
    reads! { 32, [5, 7], |a, end| a.movsxd(rax, eax); a.test(rax, rax); a.js(end) => ["not (i0 <s 0)"] }
    reads! { 32, [5, 7], |a, end| a.and(eax, 0xff); a.cmp(eax, 5); a.je(end) => ["(i0[7:0] == 5)"] }
}

#[test]
fn an_address_is_decided_as_the_index_it_depends_on() {
    let index = |a: &mut CodeAssembler, _| {
        a.movsxd(rax, eax)?;
        a.mov(ecx, dword_ptr(r15 + rax * 4 + 8))?;
        a.mov(dword_ptr(r15 + rax * 4 + 16), ecx)
    };
    assert_eq!(path(32, [6, 0], index), ["Address: i0 is 6"]);
    let branch_first = |a: &mut CodeAssembler, end| {
        a.cmp(eax, 6)?;
        a.jne(end)?;
        a.mov(ecx, dword_ptr(r15 + rax * 4))
    };
    assert_eq!(path(32, [6, 0], branch_first), ["(i0 == 6)"]);
}

#[test]
fn a_division_decides_that_it_is_one() {
    let divide = |a: &mut CodeAssembler, _| {
        a.cdq()?;
        a.idiv(ebx)
    };
    assert_eq!(path(32, [17, 5], divide), ["not (i1 == 0)", "not ((i0 == -2147483648) && (i1 == -1))"]);
    assert_eq!(path(32, [17, 0], divide), ["(i1 == 0)"]);
    let unsigned = |a: &mut CodeAssembler, _| {
        a.xor(edx, edx)?;
        a.div(ebx)
    };
    assert_eq!(path(32, [17, 5], unsigned), ["not (i1 == 0)"]);
}

#[test]
fn a_decision_is_noted_once() {
    reads! { 32, [5, 7], |a, end| a.cmp(eax, 3); a.je(end); a.cmp(eax, 3); a.jne(end) => ["not (i0 == 3)"] }
}

#[test]
fn an_indirect_jump_is_a_switch() {
    let jump = |a: &mut CodeAssembler, _| {
        a.lea(rcx, qword_ptr(0x40_0000 + 12))?;
        a.add(rax, rcx)?;
        a.jmp(rax)
    };
    let found = path(8, [1, 0], jump);
    assert_eq!(found, ["switch i0 is 1"]);
}
