//! What a program took from outside in a recorded run, byte for byte.
//!
//! An [`Op::Input`](crate::event::Op::Input) is a value that the solver may choose. These are plain bytes: all that a
//! later run needs to be given the same again, be it a megabyte of a file. Names are those of inputs: `arg:1`,
//! `env:HOME`, `stdin`, `file:PATH`; and `socket:0` for the first socket that was read from, in the order of first reads.

use bincode::{Decode, Encode};

/// Bytes of one piece in a file; the rest is in further pieces.
pub(crate) const PIECE: usize = 1 << 20;

/// Bytes from one source, as the program found them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordedInput {
    /// Where they came from; bytes, because paths need not be text.
    pub name: Vec<u8>,
    /// What was there.
    pub bytes: Vec<u8>,
    /// Is this all of it? Else only the beginning was kept.
    pub whole: bool,
}

/// A part of a recorded input, as it is in the file.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Piece {
    /// The input's name.
    pub name: Vec<u8>,
    /// Bytes of the same name before this piece.
    pub offset: u64,
    /// The next ones.
    pub bytes: Vec<u8>,
    /// Is nothing missing that was there? Of the last piece of a name it counts.
    pub whole: bool,
}

/// A piece that does not follow what was there of its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a piece of `{name}` begins at byte {offset}, but byte {expected} comes next")]
pub struct PieceError {
    /// The input.
    pub name: String,
    /// Where the piece begins.
    pub offset: u64,
    /// Where it should.
    pub expected: u64,
}

impl RecordedInput {
    /// As pieces, at least one.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> + '_ {
        let starts = (0..self.bytes.len().max(1)).step_by(PIECE);
        starts.map(|start| {
            let end = (start + PIECE).min(self.bytes.len());
            Piece {
                name: self.name.clone(),
                offset: start as u64,
                bytes: self.bytes[start..end].to_vec(),
                whole: self.whole || end < self.bytes.len(),
            }
        })
    }

    /// Adds a piece to what is there.
    pub fn add(all: &mut Vec<RecordedInput>, piece: Piece) -> Result<(), PieceError> {
        // Pieces of one name mostly come one after the other.
        let known = all.iter().rposition(|input| input.name == piece.name);
        let expected = known.map_or(0, |at| all[at].bytes.len() as u64);
        if piece.offset != expected {
            let name = String::from_utf8_lossy(&piece.name).into_owned();
            return Err(PieceError { name, offset: piece.offset, expected });
        }
        match known {
            Some(at) => {
                all[at].bytes.extend(piece.bytes);
                all[at].whole = piece.whole;
            }
            None => {
                all.push(RecordedInput { name: piece.name, bytes: piece.bytes, whole: piece.whole });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_inputs_come_back_whole() {
        let input = |len: usize, whole| RecordedInput {
            name: b"file:x".to_vec(),
            bytes: (0..len).map(|byte| byte as u8).collect(),
            whole,
        };
        for len in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            for whole in [true, false] {
                let wanted = input(len, whole);
                let mut all = Vec::new();
                for piece in wanted.pieces() {
                    RecordedInput::add(&mut all, piece).expect("pieces follow each other");
                }
                assert_eq!(all, [wanted]);
            }
        }
        let late = Piece { name: b"stdin".to_vec(), offset: 3, bytes: Vec::new(), whole: true };
        assert!(RecordedInput::add(&mut Vec::new(), late).is_err());
    }
}
