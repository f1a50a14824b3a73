//! The file `inputs`: what the program took from outside, if that was asked for.
//!
//! Records follow each other, each appended by one system call: [`HEAD`] bytes ([`InputHead`]), a name, then bytes. A
//! record that is cut is the end. What may be large is in a file of its own, `input-N`, and the record says its number.

/// Name of the file in the process' folder.
pub const FILE: &str = "inputs";

/// What files with content are called; a number follows.
pub const CONTENT: &str = "input-";

/// Bytes of a record before its name.
pub const HEAD: usize = 32;

/// What a record begins with, together with its kind.
const MARK: u64 = u64::from_le_bytes(*b"WPIN\0\0\0\0");

/// What a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum InputKind {
    /// `extra` the number of the file with the arguments, the program's own name first, each ended by a zero.
    Arguments = 1,
    /// `extra` the number of the file with the environment, each entry ended by a zero.
    Environment = 2,
    /// Standard input is a file: `extra` the number of the file with what was in it from where it stood.
    StdinFile = 3,
    /// Bytes that were read from standard input.
    Stdin = 4,
    /// A file was opened: the name as the program gave it, `extra` the number of the file with what was in it.
    File = 5,
    /// Bytes that were read from a socket: `extra` tells it from others.
    Socket = 6,
    /// Something could not be recorded: the name says what.
    Missed = 7,
    /// Only the beginning of the file with this number (`extra`) was kept.
    Cut = 8,
    /// Only the beginning of what standard input (`extra` 0) or sockets (1) gave was kept.
    StreamCut = 9,
}

impl InputKind {
    /// All of them.
    pub const ALL: [InputKind; 9] = [
        InputKind::Arguments,
        InputKind::Environment,
        InputKind::StdinFile,
        InputKind::Stdin,
        InputKind::File,
        InputKind::Socket,
        InputKind::Missed,
        InputKind::Cut,
        InputKind::StreamCut,
    ];
}

/// What a record says before its name and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputHead {
    /// What it is about.
    pub kind: InputKind,
    /// Depends on the kind.
    pub extra: u64,
    /// Bytes of the name.
    pub name: u64,
    /// Bytes behind the name.
    pub bytes: u64,
}

impl InputHead {
    /// As it is in the file.
    pub fn pack(self) -> [u8; HEAD] {
        let mut packed = [0; HEAD];
        let words = [MARK | (self.kind as u64) << 32, self.extra, self.name, self.bytes];
        for (place, word) in packed.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        packed
    }

    /// From the file; none if it is no record.
    pub fn unpack(packed: &[u8; HEAD]) -> Option<InputHead> {
        let mut words = [0u64; 4];
        for (word, bytes) in words.iter_mut().zip(packed.chunks_exact(8)) {
            let mut whole = [0; 8];
            whole.copy_from_slice(bytes);
            *word = u64::from_le_bytes(whole);
        }
        let [mark, extra, name, bytes] = words;
        let kind = InputKind::ALL.into_iter().find(|kind| MARK | (*kind as u64) << 32 == mark)?;
        Some(InputHead { kind, extra, name, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked() {
        for kind in InputKind::ALL {
            let head = InputHead { kind, extra: u64::MAX - 1, name: 3, bytes: 1 << 40 };
            assert_eq!(InputHead::unpack(&head.pack()), Some(head));
        }
        assert_eq!(InputHead::unpack(&[7; HEAD]), None);
    }
}
