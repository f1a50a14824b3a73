//! Instructions that move operands about: a long or double is one operand here, and two places in the JVM.

use super::frame::{Astray, Frame};

/// Executes `pop` to `swap` (0x57 to 0x5f).
pub(super) fn shuffle(frame: &mut Frame, opcode: u8) -> Result<(), Astray> {
    let top = frame.pop()?;
    match opcode {
        // pop
        0x57 => {}
        // pop2
        0x58 => {
            if !top.is_wide() {
                frame.pop()?;
            }
        }
        // dup
        0x59 => frame.stack.extend([top, top]),
        // dup_x1
        0x5a => {
            let second = frame.pop()?;
            frame.stack.extend([top, second, top]);
        }
        // dup_x2
        0x5b => {
            let second = frame.pop()?;
            if second.is_wide() {
                frame.stack.extend([top, second, top]);
            } else {
                let third = frame.pop()?;
                frame.stack.extend([top, third, second, top]);
            }
        }
        // dup2
        0x5c if top.is_wide() => frame.stack.extend([top, top]),
        0x5c => {
            let second = frame.pop()?;
            frame.stack.extend([second, top, second, top]);
        }
        // dup2_x1
        0x5d if top.is_wide() => {
            let second = frame.pop()?;
            frame.stack.extend([top, second, top]);
        }
        0x5d => {
            let (second, third) = (frame.pop()?, frame.pop()?);
            frame.stack.extend([second, top, third, second, top]);
        }
        // dup2_x2
        0x5e if top.is_wide() => {
            let second = frame.pop()?;
            if second.is_wide() {
                frame.stack.extend([top, second, top]);
            } else {
                let third = frame.pop()?;
                frame.stack.extend([top, third, second, top]);
            }
        }
        0x5e => {
            let (second, third) = (frame.pop()?, frame.pop()?);
            if third.is_wide() {
                frame.stack.extend([second, top, third, second, top]);
            } else {
                let fourth = frame.pop()?;
                frame.stack.extend([second, top, fourth, third, second, top]);
            }
        }
        // swap
        0x5f => {
            let second = frame.pop()?;
            frame.stack.extend([top, second]);
        }
        _ => return Err(Astray),
    }
    Ok(())
}
