//! The journal: one line for each trace that is finished, on disk before the next one counts.
//!
//! Each writer has a file of its own in the folder `journal`: this machine, or a task of a cluster's job. Lines are only
//! appended. A line that was cut by a crash or a power cut, and any other that makes no sense, is as good as not written:
//! its trace is analysed again.

use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::entry::{Answer, Examined};
use super::task::Task;
use crate::outputs::make_folder;

/// Larger lines are not read: a worker does not write them.
const LONGEST_LINE: u64 = 512 << 20;

/// A file as it was when its trace was analysed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    /// Of the content.
    digest: String,
}

impl Stamp {
    /// Reads the file once.
    pub(super) fn of(path: &Path) -> io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        let mut hasher = DefaultHasher::new();
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => break,
                count => hasher.write(&buffer[..count]),
            }
        }
        let modified = modified(&metadata);
        Ok(Stamp { size: metadata.len(), modified, digest: format!("{:016x}", hasher.finish()) })
    }

    /// Is the file still that one? Its content is read only if its time has changed.
    fn fits(&self, path: &Path) -> bool {
        let Ok(metadata) = fs::metadata(path) else { return false };
        if metadata.len() != self.size {
            return false;
        }
        modified(&metadata) == self.modified || Stamp::of(path).is_ok_and(|now| now.digest == self.digest)
    }
}

fn modified(metadata: &fs::Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

/// A line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub(super) trace: PathBuf,
    stamp: Stamp,
    meaning: String,
    limits: String,
    /// How long it took.
    pub(super) seconds: f64,
    /// The most memory that the worker had, in bytes; 0 if it did not come to say.
    pub(super) peak: u64,
    pub(super) examined: Examined,
}

/// What is known about traces.
#[derive(Debug, Default)]
pub(super) struct Known {
    lines: HashMap<PathBuf, Vec<Line>>,
    /// Lines that make no sense.
    pub(super) broken: usize,
}

impl Known {
    /// Reads every file of the folder, and keeps what counts under this task.
    pub(super) fn read(folder: &Path, task: &Task) -> anyhow::Result<Known> {
        let meaning = task.meaning();
        let mut known = Known::default();
        let mut files: Vec<PathBuf> = match fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(known),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.display())),
        };
        files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
        files.sort_unstable();
        for file in files {
            known.add(&file, &meaning).with_context(|| format!("cannot read {}", file.display()))?;
        }
        Ok(known)
    }

    /// Reads what one writer has written, if it has.
    pub(super) fn add_writer(&mut self, folder: &Path, writer: &str, task: &Task) -> anyhow::Result<()> {
        let path = folder.join(format!("{writer}.jsonl"));
        match self.add(&path, &task.meaning()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("cannot read {}", path.display()))
            }
            _ => Ok(()),
        }
    }

    fn add(&mut self, path: &Path, meaning: &str) -> io::Result<()> {
        let mut input = BufReader::with_capacity(1 << 18, File::open(path)?);
        loop {
            let mut line = Vec::new();
            if input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            match serde_json::from_slice::<Line>(&line) {
                Ok(line) if line.meaning == meaning => {
                    self.lines.entry(line.trace.clone()).or_default().push(line);
                }
                Ok(_) => {}
                Err(_) => self.broken += 1,
            }
        }
    }

    /// What is known of a trace under this task, if that still holds; a definite result rather than an attempt in vain.
    pub(super) fn of(&self, trace: &Path, task: &Task) -> Option<&Line> {
        let lines = self.lines.get(trace)?;
        let limits = task.limits();
        let definite = lines.iter().rev().filter(|line| line.examined.is_definite());
        let in_vain = lines.iter().rev().filter(|line| !line.examined.is_definite() && line.limits == limits);
        definite.chain(in_vain).find(|line| line.stamp.fits(trace))
    }
}

/// A file that lines are appended to.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the file of a writer; a line without end is cut off.
    pub(super) fn open(folder: &Path, writer: &str) -> anyhow::Result<Journal> {
        make_folder(folder)?;
        let path = folder.join(format!("{writer}.jsonl"));
        let opened = File::options().read(true).append(true).create(true).open(&path).and_then(|mut file| {
            let whole = whole_lines(&mut file)?;
            file.set_len(whole)?;
            file.sync_all()?;
            Ok(file)
        });
        let file = opened.with_context(|| format!("cannot open {}", path.display()))?;
        // The name of a new file is in the folder, which has to reach the disk, too.
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
        Ok(Journal { path, file })
    }

    /// Appends a line; when this returns, it is on disk.
    pub(super) fn add(&mut self, line: &Line) -> anyhow::Result<()> {
        let mut text = serde_json::to_vec(line).context("cannot put a result into JSON")?;
        text.push(b'\n');
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Line {
    /// What became of a trace under this task; its file was so when the work began.
    pub(super) fn new(trace: &Path, stamp: Stamp, task: &Task, seconds: f64, answer: Answer) -> Line {
        Line {
            trace: trace.to_path_buf(),
            stamp,
            meaning: task.meaning(),
            limits: task.limits(),
            seconds,
            peak: answer.peak,
            examined: answer.examined,
        }
    }
}

/// How many lines writers have written whose names begin so: for progress.
pub(super) fn count_lines(folder: &Path, begin: &str) -> usize {
    let lines = |path: PathBuf| -> Option<usize> {
        path.file_name()?.to_str()?.starts_with(begin).then_some(())?;
        let mut input = BufReader::new(File::open(path).ok()?);
        let mut lines = 0;
        loop {
            let buffer = input.fill_buf().ok()?;
            if buffer.is_empty() {
                return Some(lines);
            }
            lines += buffer.iter().filter(|byte| **byte == b'\n').count();
            let read = buffer.len();
            input.consume(read);
        }
    };
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| lines(entry.ok()?.path())).sum()
}

/// Forgets everything: nothing that was written counts any more.
pub(super) fn forget(folder: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Bytes up to the end of the last line.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut end = length;
    let mut block = vec![0; 1 << 16];
    while end > 0 {
        let begin = end.saturating_sub(block.len() as u64);
        let part = &mut block[..(end - begin) as usize];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(part)?;
        if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("local.jsonl");
        for (before, after) in [("", ""), ("ab", ""), ("one\ntwo\n", "one\ntwo\n"), ("one\ntw", "one\n")] {
            fs::write(&path, before).expect("a file");
            Journal::open(folder.path(), "local").expect("it opens");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), after);
        }
    }

    #[test]
    fn a_long_line_without_end_is_cut_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("local.jsonl");
        fs::write(&path, format!("one\n{}", "x".repeat(200_000))).expect("a file");
        Journal::open(folder.path(), "local").expect("it opens");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "one\n");
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("local.jsonl"), b"\0\0\0\n{\"trace\":\n\xff\n{}").expect("a file");
        let mut known = Known::default();
        known.add(&folder.path().join("local.jsonl"), "any").expect("it is read");
        assert_eq!((known.lines.len(), known.broken), (0, 4));
    }
}
