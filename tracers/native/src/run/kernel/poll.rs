//! Calls that wait for the outside: tried without waiting, and again later.

use super::{Call, Next, error};
use crate::run::action::{Action, Wait};
use crate::run::error::RunError;
use crate::run::machine::Machine;

impl Machine {
    pub(super) fn waiting_call(&mut self, t: usize, call: Call) -> Result<Next, RunError> {
        let deadline = match self.threads[t].retrying {
            Some(deadline) => deadline,
            None => self.patience(call),
        };
        self.write_back()?;
        let arguments = self.impatient(call)?;
        let result = self.raw_call(call.number, arguments)?;
        self.space.forget(0..u64::MAX);
        let nothing_yet = match call.number {
            // A child that has not ended: asked with WNOHANG, which only the program's own flag makes final.
            libc::SYS_wait4 => result == 0 && call.arguments[2] as i32 & libc::WNOHANG == 0,
            libc::SYS_waitid => {
                result == 0 && call.arguments[3] as i32 & libc::WNOHANG == 0 && self.no_child(call)
            }
            _ => result == 0,
        };
        if nothing_yet && deadline != Some(0) && deadline.is_none_or(|deadline| self.kernel.clock < deadline)
        {
            self.threads[t].retrying = Some(deadline);
            self.call_again(t, call);
            return Ok(Next::Poise(Action::Blocked(Wait::Retry { deadline })));
        }
        self.threads[t].retrying = None;
        Ok(self.give(t, result))
    }

    fn no_child(&mut self, call: Call) -> bool {
        call.arguments[2] == 0 || self.peek_word::<4>(call.arguments[2]) == Some(0)
    }

    /// Until when the call is willing to wait, in virtual time; 0 for not at all.
    fn patience(&mut self, call: Call) -> Option<u64> {
        let after = |time: u64, now: u64| Some(if time == 0 { 0 } else { now.saturating_add(time) });
        let now = self.kernel.clock;
        match call.number {
            libc::SYS_poll | libc::SYS_epoll_wait | libc::SYS_epoll_pwait => {
                let milliseconds = match call.number {
                    libc::SYS_poll => call.arguments[2],
                    _ => call.arguments[3],
                } as i32;
                let milliseconds = u64::try_from(milliseconds).ok()?;
                after(milliseconds * 1_000_000, now)
            }
            libc::SYS_ppoll | libc::SYS_pselect6 => {
                let address =
                    if call.number == libc::SYS_ppoll { call.arguments[2] } else { call.arguments[4] };
                let time = (address != 0).then(|| self.timespec(address))??;
                after(time, now)
            }
            libc::SYS_select => {
                let address = call.arguments[4];
                let seconds = (address != 0).then(|| self.peek_word::<8>(address))??;
                let microseconds = self.peek_word::<8>(address + 8)?;
                after(
                    seconds.saturating_mul(1_000_000).saturating_add(microseconds).saturating_mul(1000),
                    now,
                )
            }
            _ => None,
        }
    }

    /// The same call, unwilling to wait.
    fn impatient(&mut self, call: Call) -> Result<[u64; 6], RunError> {
        let mut arguments = call.arguments;
        match call.number {
            libc::SYS_poll => arguments[2] = 0,
            libc::SYS_epoll_wait | libc::SYS_epoll_pwait => arguments[3] = 0,
            libc::SYS_wait4 => arguments[2] |= libc::WNOHANG as u64,
            libc::SYS_waitid => arguments[3] |= libc::WNOHANG as u64,
            _ => {
                // A time of zero, in a page of ours.
                self.process.write(self.native.scratch, &[0; 16])?;
                let place = if call.number == libc::SYS_ppoll { 2 } else { 4 };
                arguments[place] = self.native.scratch;
            }
        }
        Ok(arguments)
    }

    /// Is the descriptor ready, or not one that can be waited for?
    pub(crate) fn ready(&mut self, fd: i32, events: i16) -> Result<bool, RunError> {
        let mut request = [0; 8];
        request[..4].copy_from_slice(&fd.to_le_bytes());
        request[4..6].copy_from_slice(&events.to_le_bytes());
        self.process.write(self.native.scratch, &request)?;
        let result = self.raw_call(libc::SYS_poll, [self.native.scratch, 1, 0, 0, 0, 0])?;
        Ok(result != 0 || result == error(libc::EINTR))
    }
}
