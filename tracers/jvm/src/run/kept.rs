//! Runs that are kept: when more is known to be shared, their traces are made once more from what the agent wrote, which
//! has every access, and nothing has to run again.

use std::collections::BTreeMap;
use std::process::ExitStatus;

use super::outcome::Why;

/// A run that is kept, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeptRun(pub u64);

/// What a run has left.
#[derive(Clone, Debug)]
pub(super) struct Remains {
    /// What the agent wrote.
    pub stream: Vec<u8>,
    /// Why the JVM was ended by us, if it was.
    pub stopped: Option<Why>,
    /// How the JVM ended.
    pub status: ExitStatus,
    /// Interrupt flags that the agent knew of.
    pub flags: Vec<String>,
}

/// Compressed bytes of all runs together; the oldest go first.
const MOST_BYTES: usize = 512 << 20;
/// Streams are read again once or never: quickly packed is well packed.
const LEVEL: i32 = 1;

/// Runs that are kept.
#[derive(Debug, Default)]
pub(super) struct KeptRuns {
    runs: BTreeMap<KeptRun, Packed>,
    bytes: usize,
    next: u64,
}

#[derive(Debug)]
struct Packed {
    stream: Vec<u8>,
    length: usize,
    stopped: Option<Why>,
    status: ExitStatus,
    flags: Vec<String>,
}

impl KeptRuns {
    /// Keeps a run; `None` if it is too long for that.
    pub(super) fn keep(&mut self, remains: &Remains) -> Option<KeptRun> {
        let stream = zstd::bulk::compress(&remains.stream, LEVEL).ok()?;
        self.keep_packed(
            Packed {
                stream,
                length: remains.stream.len(),
                stopped: remains.stopped.clone(),
                status: remains.status,
                flags: remains.flags.clone(),
            },
            MOST_BYTES,
        )
    }

    fn keep_packed(&mut self, packed: Packed, most: usize) -> Option<KeptRun> {
        let size = packed.stream.len();
        if size > most {
            return None;
        }
        while self.bytes + size > most {
            let (_, oldest) = self.runs.pop_first()?;
            self.bytes -= oldest.stream.len();
        }
        let number = KeptRun(self.next);
        self.next += 1;
        self.bytes += size;
        self.runs.insert(number, packed);
        Some(number)
    }

    /// What a run has left, if it is still there.
    pub(super) fn get(&self, run: KeptRun) -> Option<Remains> {
        let packed = self.runs.get(&run)?;
        let stream = zstd::bulk::decompress(&packed.stream, packed.length).ok()?;
        Some(Remains {
            stream,
            stopped: packed.stopped.clone(),
            status: packed.status,
            flags: packed.flags.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_what_it_was() {
        let mut kept = KeptRuns::default();
        let stream: Vec<u8> = (0..100_000_u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let remains = Remains {
            stream,
            stopped: Some(Why::Interrupted),
            status: ExitStatus::default(),
            flags: Vec::new(),
        };
        let number = kept.keep(&remains).unwrap();
        let again = kept.get(number).unwrap();
        assert_eq!((again.stream, again.stopped), (remains.stream, remains.stopped));
        assert!(kept.get(KeptRun(1)).is_none());
    }

    #[test]
    fn the_oldest_make_room() {
        let mut kept = KeptRuns::default();
        let packed = |size| Packed {
            stream: vec![0; size],
            length: 0,
            stopped: None,
            status: ExitStatus::default(),
            flags: Vec::new(),
        };
        let all: Vec<KeptRun> = (0..4).map(|_| kept.keep_packed(packed(30), 100).unwrap()).collect();
        let left: Vec<bool> = all.iter().map(|run| kept.runs.contains_key(run)).collect();
        assert_eq!(left, [false, true, true, true]);
        assert!(kept.keep_packed(packed(101), 100).is_none());
        assert_eq!(kept.runs.len(), 3);
        kept.keep_packed(packed(100), 100).unwrap();
        assert_eq!((kept.runs.len(), kept.bytes), (1, 100));
    }
}
