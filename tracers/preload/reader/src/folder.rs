//! The folder of a recorded process.

use std::path::{Path, PathBuf};

use warpath_light_format::{MAPS_SEPARATOR, meta};

use crate::cut::episodes;
use crate::error::LightError;
use crate::inputs::Inputs;
use crate::thread::{ThreadFile, files};

/// What the recorder noted when the program was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Meta {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments, without the program's own name.
    pub arguments: Vec<Vec<u8>>,
    /// The process.
    pub pid: u32,
    /// The process that it was forked from, if that was recorded, too.
    pub forked_from: Option<u32>,
    /// Nanoseconds after the Unix epoch.
    pub began: u64,
    /// Only the newest part was kept.
    pub ring: bool,
}

/// A recorded process.
#[derive(Debug)]
pub struct Recording {
    /// What is known of it as a whole.
    pub meta: Meta,
    /// What came from outside, if that was asked for.
    pub inputs: Inputs,
    pub(crate) maps: Vec<Mapping>,
    pub(crate) threads: Vec<ThreadFile>,
    pub(crate) episodes: Vec<u64>,
    /// Files of threads that could not be read, and why.
    pub damaged: Vec<LightError>,
}

/// A file that was mapped, and where its first page was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mapping {
    pub(crate) base: u64,
    pub(crate) path: PathBuf,
}

/// The folders of all processes recorded in a folder, the first one first. A process' own folder stands for itself.
pub fn processes(folder: &Path) -> Result<Vec<PathBuf>, LightError> {
    if folder.join("meta").is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let wrong = |error| LightError::File { path: folder.to_owned(), error };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("process-"));
        if named && let Ok(meta) = read_meta(&path) {
            found.push((meta.began, path));
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(LightError::NothingThere(folder.to_owned()));
    }
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

impl Recording {
    /// How many records there are, and bytes of them.
    pub fn volume(&self) -> (u64, u64) {
        self.threads
            .iter()
            .map(ThreadFile::volume)
            .fold((0, 0), |(records, bytes), (more, size)| (records + more, bytes + size))
    }

    /// How many threads were recorded.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Reads a process' folder. Threads whose files make no sense are left out, and listed.
    pub fn open(folder: &Path) -> Result<Recording, LightError> {
        let meta = read_meta(folder)?;
        let mut threads = Vec::new();
        let mut damaged = Vec::new();
        for (number, path) in files(folder)? {
            match ThreadFile::open(&path, number, meta.ring) {
                Ok(Some(thread)) => threads.push(thread),
                // The process ended while it was being made.
                Ok(None) => {}
                Err(error) => damaged.push(error),
            }
        }
        if threads.is_empty() {
            return Err(damaged.pop().unwrap_or_else(|| LightError::Empty(folder.to_owned())));
        }
        let maps = std::fs::read_to_string(folder.join("maps")).unwrap_or_default();
        let episodes = episodes(&threads);
        let inputs = Inputs::read(folder);
        Ok(Recording { meta, inputs, maps: mappings(&maps), threads, episodes, damaged })
    }
}

fn read_meta(folder: &Path) -> Result<Meta, LightError> {
    let path = folder.join("meta");
    let text = std::fs::read(&path).map_err(|error| LightError::File { path: path.clone(), error })?;
    let mut meta = Meta::default();
    let mut format = String::from("none");
    for line in text.split(|byte| *byte == b'\n') {
        let Some(middle) = line.iter().position(|byte| *byte == b'=') else { continue };
        let value = unescape(&line[middle + 1..]);
        let text = String::from_utf8_lossy(&value);
        match std::str::from_utf8(&line[..middle]).unwrap_or("") {
            meta::FORMAT => format = text.into_owned(),
            meta::PROGRAM => meta.program = PathBuf::from(text.as_ref()),
            meta::ARGUMENT => meta.arguments.push(value),
            meta::PID => meta.pid = text.parse().unwrap_or(0),
            meta::FORKED_FROM => meta.forked_from = text.parse().ok(),
            meta::BEGAN => meta.began = text.parse().unwrap_or(0),
            meta::RING => meta.ring = text == "1",
            // Later versions may say more.
            _ => {}
        }
    }
    if format != "3" {
        return Err(LightError::Format { path, found: format });
    }
    if !meta.arguments.is_empty() {
        meta.arguments.remove(0);
    }
    Ok(meta)
}

fn unescape(value: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter();
    while let Some(byte) = bytes.next() {
        match (byte, if *byte == b'\\' { bytes.next() } else { None }) {
            (b'\\', Some(b'n')) => plain.push(b'\n'),
            (b'\\', Some(other)) => plain.push(*other),
            (byte, _) => plain.push(*byte),
        }
    }
    plain
}

/// Where files were mapped: all that were, since nothing says when one was unloaded. A later one takes the place of
/// an earlier one at the same address.
fn mappings(maps: &str) -> Vec<Mapping> {
    let mut found: Vec<Mapping> = Vec::new();
    for line in maps.lines().filter(|line| *line != MAPS_SEPARATOR) {
        // 7f0000000000-7f0000001000 r--p 00000000 08:01 1234   /usr/lib/libc.so.6
        let mut fields = line.split_ascii_whitespace();
        let (Some(range), _, Some(offset)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let Some(path) = line.find('/').map(|from| &line[from..]) else { continue };
        let base = range.split('-').next().and_then(|base| u64::from_str_radix(base, 16).ok());
        let (Some(base), Ok(0)) = (base, u64::from_str_radix(offset, 16)) else { continue };
        let path = PathBuf::from(path.strip_suffix(" (deleted)").unwrap_or(path));
        match found.iter_mut().find(|mapping| mapping.base == base) {
            Some(known) => known.path = path,
            None => found.push(Mapping { base, path }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_pages_of_files_are_found() {
        let maps = "\
555555554000-555555555000 r--p 00000000 08:01 11 /usr/bin/a program
555555555000-555555556000 r-xp 00001000 08:01 11 /usr/bin/a program
7ffff7c00000-7ffff7c28000 r--p 00000000 08:01 12                         /usr/lib/libc.so.6 (deleted)
7ffff7fff000-7ffff8000000 rw-p 00000000 00:00 0                          [stack]
--
555555554000-555555555000 r--p 00000000 08:01 11 /usr/bin/another
";
        let found = mappings(maps);
        let expected = [(0x5555_5555_4000, "/usr/bin/another"), (0x7fff_f7c0_0000, "/usr/lib/libc.so.6")];
        let expected = expected.map(|(base, path)| Mapping { base, path: PathBuf::from(path) });
        assert_eq!(found, expected);
    }

    #[test]
    fn what_was_escaped_is_as_before() {
        assert_eq!(unescape(b"a\\nb\\\\n\\"), b"a\nb\\n\\");
    }
}
