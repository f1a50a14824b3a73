//! Virtual time: it moves when a thread sleeps, and a little whenever somebody looks.

use super::Call;
use crate::run::error::RunError;
use crate::run::machine::Machine;
use crate::run::options::Source;

pub(super) const SECOND: u64 = 1_000_000_000;
/// What the wall clock says at the program's start: the first second of 2020.
pub(super) const EPOCH: u64 = 1_577_836_800 * SECOND;

impl Machine {
    /// What a clock says, in nanoseconds.
    pub(crate) fn clock(&self, which: u64) -> u64 {
        match which as i32 {
            libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_TAI => EPOCH + self.kernel.clock,
            // A machine that has been up for a while: programs subtract from it.
            libc::CLOCK_MONOTONIC
            | libc::CLOCK_MONOTONIC_RAW
            | libc::CLOCK_MONOTONIC_COARSE
            | libc::CLOCK_BOOTTIME => 1000 * SECOND + self.kernel.clock,
            _ => self.kernel.clock,
        }
    }

    /// Virtual time at which a clock will say this.
    pub(crate) fn deadline(&self, which: u64, absolute: u64) -> u64 {
        self.kernel.clock + absolute.saturating_sub(self.clock(which))
    }

    /// A `timespec` in the program's memory, in nanoseconds; `None` if it is not there or makes no sense.
    pub(crate) fn timespec(&mut self, address: u64) -> Option<u64> {
        let seconds = self.peek_word::<8>(address)? as i64;
        let nanoseconds = self.peek_word::<8>(address + 8)?;
        if nanoseconds >= SECOND {
            return None;
        }
        Some(u64::try_from(seconds).unwrap_or(0).saturating_mul(SECOND).saturating_add(nanoseconds))
    }

    /// Time passes for a thread that sleeps; the others get a turn.
    fn sleep(&mut self, t: usize, nanoseconds: u64) {
        self.kernel.clock = self.kernel.clock.saturating_add(nanoseconds);
        self.threads[t].yielded = true;
    }

    /// Somebody looks at the clock: a microsecond has passed.
    pub(crate) fn tick(&mut self) {
        self.kernel.clock = self.kernel.clock.saturating_add(1000);
    }

    pub(super) fn time_call(&mut self, t: usize, call: Call) -> Result<i64, RunError> {
        let [first, second, third, ..] = call.arguments;
        self.tick();
        let pair = |time: u64, unit: u64| {
            [(time / SECOND).to_le_bytes(), (time % SECOND / unit).to_le_bytes()].concat()
        };
        let (address, bytes) = match call.number {
            libc::SYS_nanosleep => {
                let Some(time) = self.timespec(first) else { return Ok(super::error(libc::EINVAL)) };
                self.sleep(t, time);
                return Ok(0);
            }
            libc::SYS_clock_nanosleep => {
                let Some(time) = self.timespec(third) else { return Ok(super::error(libc::EINVAL)) };
                let absolute = second as i32 & libc::TIMER_ABSTIME != 0;
                let now = self.clock(first);
                self.sleep(t, if absolute { time.saturating_sub(now) } else { time });
                return Ok(0);
            }
            libc::SYS_clock_gettime => (second, pair(self.clock(first), 1)),
            libc::SYS_clock_getres => (second, pair(1, 1)),
            libc::SYS_gettimeofday => (first, pair(self.clock(libc::CLOCK_REALTIME as u64), 1000)),
            libc::SYS_time => {
                let seconds = self.clock(libc::CLOCK_REALTIME as u64) / SECOND;
                if first != 0 && !self.kernel_write(t, first, &seconds.to_le_bytes())? {
                    return Ok(super::error(libc::EFAULT));
                }
                return Ok(seconds as i64);
            }
            // `times`: ticks of a hundredth of a second, all of them spent in the program.
            _ => {
                let ticks = self.kernel.clock / (SECOND / 100);
                if first != 0 {
                    let bytes = [ticks, 0, 0, 0].map(u64::to_le_bytes).concat();
                    if !self.kernel_write(t, first, &bytes)? {
                        return Ok(super::error(libc::EFAULT));
                    }
                }
                return Ok(ticks as i64);
            }
        };
        if address != 0 {
            if !self.kernel_write(t, address, &bytes)? {
                return Ok(super::error(libc::EFAULT));
            }
            if self.options.symbolic.contains(&Source::Time) && call.number != libc::SYS_clock_getres {
                self.take_input(t, "time", address, bytes.len() as u64)?;
            }
        }
        Ok(0)
    }
}
