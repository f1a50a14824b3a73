//! What was read, kept byte for byte.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Hands input on after it has been written to a file: whatever is answered, the commands that led to it are there. What
/// ends the process may cut off the last command, which then has not been answered.
#[derive(Debug)]
pub(crate) struct Transcribed<R> {
    input: R,
    file: File,
}

impl<R: Read> Transcribed<R> {
    pub(crate) fn create(path: &Path, input: R) -> io::Result<Self> {
        Ok(Transcribed { input, file: File::create(path)? })
    }
}

impl<R: Read> Read for Transcribed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        // Not through a buffer: reads are large already.
        self.file.write_all(&buffer[..read])?;
        Ok(read)
    }
}
