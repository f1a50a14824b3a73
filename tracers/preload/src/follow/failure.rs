//! What is caught only where a schedule is followed: freed storage is kept, so that using it shows.

use warpath_light_format::kind::failure;
use warpath_light_format::plan::Act;

/// The running thread uses freed storage: the process ends.
pub(super) fn use_after_free(act: Act, address: u64, size: u64, at: u64) -> ! {
    let does: &[u8] = match act {
        Act::Read => b"reads ",
        Act::Write => b"writes ",
        _ => b"updates ",
    };
    let mut digits = [0; 20];
    let size = crate::files::decimal(size, &mut digits);
    let mut message = [0u8; 64];
    let mut used = 0;
    for part in [does, size, b" bytes of freed storage"] {
        for byte in part.iter().take(message.len() - used) {
            message[used] = *byte;
            used += 1;
        }
    }
    end(failure::USE_AFTER_FREE, address, &message[..used], at)
}

/// The running thread frees storage once more: the process ends.
pub(super) fn double_free(address: u64, at: u64) -> ! {
    end(failure::DOUBLE_FREE, address, b"frees storage that was freed", at)
}

fn end(kind: u16, address: u64, message: &[u8], at: u64) -> ! {
    crate::calls::failure::record(kind, at, address, message);
    // SAFETY: ends the process, and nothing of the program's runs any more.
    unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
        libc::_exit(127)
    }
}
