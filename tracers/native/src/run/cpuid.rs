//! The processor that the program believes to run on: a plain x86-64 with SSE2, the same on every machine.
//!
//! Libraries choose their code by what CPUID says. Without AVX and its like they take the SSE2 versions, which the
//! interpreter knows, so almost nothing has to be handed to the hardware.

use crate::cpu::{Gpr, Registers};

/// Family 6, model 15, stepping 6: a processor from before AVX.
const SIGNATURE: u32 = 0x06f6;

/// Executes CPUID; `rip` is moved by the caller.
pub(crate) fn cpuid(registers: &mut Registers) {
    let leaf = registers.get(Gpr::Rax) as u32;
    let subleaf = registers.get(Gpr::Rcx) as u32;
    let [eax, ebx, ecx, edx] = answer(leaf, subleaf);
    registers.set(Gpr::Rax, eax.into());
    registers.set(Gpr::Rbx, ebx.into());
    registers.set(Gpr::Rcx, ecx.into());
    registers.set(Gpr::Rdx, edx.into());
}

fn answer(leaf: u32, subleaf: u32) -> [u32; 4] {
    let text = |bytes: &[u8; 4]| u32::from_le_bytes(*bytes);
    match leaf {
        // The vendor decides which leaves describe the caches: Intel's are the simplest.
        0 => [4, text(b"Genu"), text(b"ntel"), text(b"ineI")],
        1 => {
            let edx = [0, 4, 5, 6, 8, 11, 13, 15, 16, 19, 23, 24, 25, 26];
            let ecx = [13]; // CMPXCHG16B
            [SIGNATURE, 0x0001_0800, bits(&ecx), bits(&edx)]
        }
        // "See leaf 4."
        2 => [0x0000_ff01, 0, 0, 0],
        // Data 32 KiB, instructions 32 KiB, unified 1 MiB, unified 8 MiB.
        4 => match subleaf {
            0 => cache(1, 1, 8, 64),
            1 => cache(2, 1, 8, 64),
            2 => cache(3, 2, 16, 1024),
            3 => cache(3, 3, 16, 8192),
            _ => [0; 4],
        },
        0x8000_0000 => [0x8000_0001, 0, 0, 0],
        // LAHF in 64-bit mode; SYSCALL, NX, long mode.
        0x8000_0001 => [0, 0, 1, bits(&[11, 20, 29])],
        _ => [0; 4],
    }
}

fn cache(kind: u32, level: u32, ways: u32, sets: u32) -> [u32; 4] {
    [kind | level << 5 | 1 << 8, (ways - 1) << 22 | 63, sets - 1, 0]
}

fn bits(positions: &[u32]) -> u32 {
    positions.iter().fold(0, |word, position| word | 1 << position)
}
