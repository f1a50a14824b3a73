//! Inputs: data that the solver may choose.

use warpath_trace::event::Op;

use super::Function;
use crate::cpu::Gpr;
use crate::run::action::{Action, Take};
use crate::run::careful::word;
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
                let take = Take { name, address, size };
                let shared = size > 0 && self.watched.overlaps(address..address.saturating_add(size));
                if shared { Ok(Next::Poise(Action::Take(take))) } else { self.take_now(t, &take) }
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

    /// Takes an input and returns from the function that asked for it.
    pub(crate) fn take_now(&mut self, t: usize, take: &Take) -> Result<Next, RunError> {
        let Take { name, address, size } = take;
        // What a plain run would read: the value from the environment as the stubs do, else zeros.
        let length = (*size).min(1 << 20) as usize;
        let plain = self.environment.get(name).and_then(|text| parse_plain(text, length));
        let plain = plain.unwrap_or_else(|| vec![0; length]);
        let step = take.step();
        for (n, bytes) in plain.chunks(step.into()).enumerate() {
            let address = address + n as u64 * u64::from(step);
            self.take(t, name, None, address, step, Some(word(bytes)))?;
        }
        Ok(self.return_from(t, 0))
    }

    /// Makes bytes that are there the next inputs of this name.
    pub(crate) fn take_input(
        &mut self,
        t: usize,
        name: &str,
        address: u64,
        size: u64,
    ) -> Result<(), RunError> {
        let step = Take { name: String::new(), address, size }.step();
        for address in (address..address + size).step_by(step.into()) {
            self.take(t, name, None, address, step, None)?;
        }
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

    /// Makes one byte the `nth` input of this name.
    pub(crate) fn take_byte(&mut self, t: usize, name: &str, nth: u64, address: u64) -> Result<(), RunError> {
        self.take(t, name, Some(u32::try_from(nth).unwrap_or(u32::MAX)), address, 1, None)
    }

    /// Makes bytes an input. Its value is the one that was asked for; else `plain`, or what is there.
    fn take(
        &mut self,
        t: usize,
        name: &str,
        nth: Option<u32>,
        address: u64,
        size: u8,
        plain: Option<u128>,
    ) -> Result<(), RunError> {
        let width = size * 8;
        let (input, nth) = self.recorder.input(name, nth, width)?;
        let value = match self.input_value(name, nth, width).or(plain) {
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
