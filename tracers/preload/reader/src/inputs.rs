//! What came from outside, as the recorder left it.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use warpath_light_format::inputs::{CONTENT, FILE, HEAD, InputHead, InputKind};
use warpath_trace::recorded::RecordedInput;

/// What was recorded of the program's inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inputs {
    /// Bytes, by the names that inputs have in traces; each name once.
    pub recorded: Vec<RecordedInput>,
    /// What could not be recorded, and how often.
    pub missed: BTreeMap<String, u64>,
}

impl Inputs {
    /// Reads them from a process' folder. What is not there, or makes no sense, was not recorded.
    pub(crate) fn read(folder: &Path) -> Inputs {
        let mut inputs = Inputs::default();
        let Ok(log) = std::fs::read(folder.join(FILE)) else { return inputs };
        let content = |number: u64| std::fs::read(folder.join(format!("{CONTENT}{number}"))).ok();
        let records: Vec<(InputHead, &[u8], &[u8])> = Records(&log).collect();
        let of =
            |kind| records.iter().filter(move |(head, ..)| head.kind == kind).map(|(head, ..)| head.extra);
        let cut: Vec<u64> = of(InputKind::Cut).collect();
        let stream_cut: Vec<u64> = of(InputKind::StreamCut).collect();
        let mut sockets: FxHashMap<u64, usize> = FxHashMap::default();
        for (head, name, bytes) in &records {
            let whole = !cut.contains(&head.extra);
            match head.kind {
                InputKind::Arguments => {
                    let all = content(head.extra).unwrap_or_default();
                    for (nth, argument) in entries(&all).enumerate().skip(1) {
                        inputs.add(format!("arg:{nth}").into_bytes(), argument, whole);
                    }
                }
                InputKind::Environment => {
                    let all = content(head.extra).unwrap_or_default();
                    for entry in entries(&all) {
                        if let Some((name, value)) = variable(entry) {
                            inputs.add([b"env:", name].concat(), &value, whole);
                        }
                    }
                }
                InputKind::StdinFile => {
                    inputs.add(b"stdin".to_vec(), &content(head.extra).unwrap_or_default(), whole);
                }
                InputKind::Stdin => {
                    inputs.add_more(b"stdin".to_vec(), bytes, !stream_cut.contains(&0));
                }
                InputKind::File => match content(head.extra) {
                    Some(bytes) => inputs.add([b"file:", *name].concat(), &bytes, whole),
                    None => inputs.miss("files-unreadable"),
                },
                InputKind::Socket => {
                    let next = sockets.len();
                    let nth = *sockets.entry(head.extra).or_insert(next);
                    inputs.add_more(format!("socket:{nth}").into_bytes(), bytes, !stream_cut.contains(&1));
                }
                InputKind::Missed => inputs.miss(&String::from_utf8_lossy(name)),
                InputKind::Cut | InputKind::StreamCut => inputs.miss("inputs-cut"),
            }
        }
        inputs
    }

    /// Standard input as somebody outside of the program has seen it.
    pub fn set_stdin(&mut self, bytes: Vec<u8>, whole: bool) {
        self.recorded.retain(|input| input.name != b"stdin");
        self.recorded.push(RecordedInput { name: b"stdin".to_vec(), bytes, whole });
        if !whole {
            self.miss("inputs-cut");
        }
    }

    fn miss(&mut self, what: &str) {
        *self.missed.entry(what.to_owned()).or_default() += 1;
    }

    /// The first of a name counts: it is what the program found when it first looked.
    fn add(&mut self, name: Vec<u8>, bytes: &[u8], whole: bool) {
        if self.recorded.iter().all(|input| input.name != name) {
            self.recorded.push(RecordedInput { name, bytes: bytes.to_vec(), whole });
        }
    }

    fn add_more(&mut self, name: Vec<u8>, bytes: &[u8], whole: bool) {
        match self.recorded.iter_mut().find(|input| input.name == name) {
            Some(known) => known.bytes.extend_from_slice(bytes),
            None => self.recorded.push(RecordedInput { name, bytes: bytes.to_vec(), whole }),
        }
    }
}

/// What is ended by a zero, one after the other.
fn entries(all: &[u8]) -> impl Iterator<Item = &[u8]> {
    let all = all.strip_suffix(b"\0").unwrap_or(all);
    all.split(|byte| *byte == 0).take(if all.is_empty() { 0 } else { usize::MAX })
}

/// A variable of the environment, without what is there for the recorder alone.
fn variable(entry: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    const LIBRARY: &[u8] = b"libwarpath_preload.so";
    let middle = entry.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (&entry[..middle], &entry[middle + 1..]);
    if name.is_empty() || name.starts_with(b"WARPATH_LIGHT") {
        return None;
    }
    if name != b"LD_PRELOAD" {
        return Some((name, value.to_vec()));
    }
    let others: Vec<&[u8]> = value
        .split(|byte| matches!(byte, b':' | b' '))
        .filter(|library| !library.is_empty() && !library.ends_with(LIBRARY))
        .collect();
    (!others.is_empty()).then(|| (name, others.join(&b':')))
}

/// The records of the file, until one is not whole.
struct Records<'a>(&'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = (InputHead, &'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (head, rest) = self.0.split_first_chunk::<HEAD>()?;
        let head = InputHead::unpack(head)?;
        let (name, rest) = rest.split_at_checked(usize::try_from(head.name).ok()?)?;
        let (bytes, rest) = rest.split_at_checked(usize::try_from(head.bytes).ok()?)?;
        self.0 = rest;
        Some((head, name, bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_for_the_recorder_is_left_out() {
        assert_eq!(variable(b"HOME=/root"), Some((&b"HOME"[..], b"/root".to_vec())));
        assert_eq!(variable(b"WARPATH_LIGHT_INPUTS=all"), None);
        assert_eq!(variable(b"LD_PRELOAD=/x/libwarpath_preload.so"), None);
        let more = variable(b"LD_PRELOAD=/x/libwarpath_preload.so:/y/mine.so").expect("another library");
        assert_eq!(more.1, b"/y/mine.so");
    }

    #[test]
    fn a_record_that_is_cut_is_the_end() {
        let head = InputHead { kind: InputKind::Stdin, extra: 0, name: 0, bytes: 3 };
        let mut log = [&head.pack()[..], b"abc"].concat();
        log.extend_from_slice(&log.clone());
        log.pop();
        assert_eq!(Records(&log).count(), 1);
        let huge = InputHead { bytes: u64::MAX, ..head };
        assert_eq!(Records(&huge.pack()).count(), 0);
    }

    #[test]
    fn arguments_may_be_empty() {
        assert_eq!(entries(b"a\0\0b\0").collect::<Vec<_>>(), [&b"a"[..], b"", b"b"]);
        assert_eq!(entries(b"").count(), 0);
    }
}
