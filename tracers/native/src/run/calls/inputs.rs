//! Inputs: data that the solver may choose.

use warpath_trace::event::Op;

use super::Function;
use crate::cpu::Gpr;
use crate::run::error::RunError;
use crate::run::kernel::Next;
use crate::run::machine::Machine;
use crate::run::options::Source;

impl Machine {
    pub(super) fn input_call(&mut self, t: usize, function: Function) -> Result<Next, RunError> {
        match function {
            Function::WarpathInput | Function::KleeMakeSymbolic => {
                self.concretise_arguments(t, 3)?;
                let (address, size) = (self.argument(t, 0), self.argument(t, 1));
                let name = self.argument(t, 2);
                let name = self.peek_string(name, 256).unwrap_or_default();
                let name = String::from_utf8_lossy(&name).into_owned();
                let name = if name.is_empty() { "input".to_owned() } else { name };
                self.plain_value(t, &name, address, size)?;
                self.take_input(t, &name, address, size)?;
                Ok(self.return_from(t, 0))
            }
            Function::Nondet { name, bytes, boolean } => {
                let width = if boolean { 1 } else { bytes * 8 };
                let (input, nth) = self.recorder.input(name, None, width)?;
                let value = self.input_value(name, nth, width).unwrap_or(0);
                self.record(t, Op::Input { input, value })?;
                self.return_from(t, value as u64);
                let pool = self.shadow.pool_mut();
                let leaf = pool.input(input, width)?;
                let wide = if width < 64 { pool.zero_extend(64, leaf)? } else { leaf };
                self.threads[t].shadow.set(Gpr::Rax, Some(wide));
                Ok(Next::Go)
            }
            _ => {
                if !self.options.symbolic.contains(&Source::Random) {
                    return self.pass(t);
                }
                let (input, nth) = self.recorder.input("rand", None, 32)?;
                let value = self.input_value("rand", nth, 32).unwrap_or(0) & 0x7fff_ffff;
                self.record(t, Op::Input { input, value })?;
                self.return_from(t, value as u64);
                let pool = self.shadow.pool_mut();
                let leaf = pool.input(input, 32)?;
                // It is never negative.
                let low = pool.extract(30, 0, leaf)?;
                let wide = pool.zero_extend(64, low)?;
                self.threads[t].shadow.set(Gpr::Rax, Some(wide));
                Ok(Next::Go)
            }
        }
    }

    /// What a plain run would read: the value from the environment as the stubs do, else zeros.
    fn plain_value(&mut self, t: usize, name: &str, address: u64, size: u64) -> Result<(), RunError> {
        let size = size.min(1 << 20);
        let value = self.environment.get(name).and_then(|text| parse_plain(text, size as usize));
        let bytes = value.unwrap_or_else(|| vec![0; size as usize]);
        self.kernel_write(t, address, &bytes)?;
        Ok(())
    }

    /// The value that was asked for an input.
    fn input_value(&self, name: &str, nth: u32, width: u8) -> Option<u128> {
        let given = self
            .options
            .inputs
            .iter()
            .find(|input| input.name == name && input.nth == nth && input.width == width);
        given.map(|input| input.value)
    }

    /// Makes the bytes at an address the next input of this name: one if it is small enough, else one per byte.
    pub(crate) fn take_input(
        &mut self,
        t: usize,
        name: &str,
        address: u64,
        size: u64,
    ) -> Result<(), RunError> {
        if matches!(size, 1 | 2 | 4 | 8 | 16) {
            return self.take(t, name, None, address, size as u8);
        }
        for n in 0..size {
            self.take(t, name, None, address + n, 1)?;
        }
        Ok(())
    }

    /// Makes one byte the `nth` input of this name.
    pub(crate) fn take_byte(&mut self, t: usize, name: &str, nth: u64, address: u64) -> Result<(), RunError> {
        self.take(t, name, Some(u32::try_from(nth).unwrap_or(u32::MAX)), address, 1)
    }

    fn take(
        &mut self,
        t: usize,
        name: &str,
        nth: Option<u32>,
        address: u64,
        size: u8,
    ) -> Result<(), RunError> {
        let width = size * 8;
        let (input, nth) = self.recorder.input(name, nth, width)?;
        let value = match self.input_value(name, nth, width) {
            Some(value) => value,
            None => self.view(t, address, size.into()).unwrap_or(0),
        };
        self.record(t, Op::Input { input, value })?;
        let leaf = self.shadow.pool_mut().input(input, width)?;
        self.store_input(t, address, size, value, leaf)
    }
}

/// A value as the stubs read it from the environment: a number or `hex:` bytes.
fn parse_plain(text: &str, size: usize) -> Option<Vec<u8>> {
    if let Some(digits) = text.strip_prefix("hex:") {
        let bytes: Option<Vec<u8>> = (0..digits.len() / 2)
            .map(|n| u8::from_str_radix(digits.get(2 * n..2 * n + 2)?, 16).ok())
            .collect();
        return bytes.filter(|bytes| bytes.len() == size);
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let number = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok()?,
        None => digits.parse::<i128>().ok()?,
    };
    let number = if negative { -number } else { number };
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(size, if number < 0 { 0xff } else { 0 });
    Some(bytes)
}
