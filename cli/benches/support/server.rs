//! Recorded runs of a program like a server: eight threads that change a record under its lock, count without one, and
//! look whether to stop.
//!
//! Sixteen records, each with a lock; now and then a thread takes the lock of the next record within, always in this
//! order. Every twentieth time a thread counts (a race), every tenth time it looks at a flag (another).

use std::fs;
use std::path::Path;

use super::warpath;

const THREADS: u64 = 8;
const RECORDS: u64 = 16;

/// What the trace knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Locks, no memory.
    Locks,
    /// Accesses and their values.
    Pinned,
    /// And conditions.
    Symbolic,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Locks, Kind::Pinned, Kind::Symbolic];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Locks => "locks",
            Kind::Pinned => "pinned",
            Kind::Symbolic => "symbolic",
        }
    }
}

/// A run.
#[derive(Clone, Copy, Debug)]
pub struct Server {
    pub kind: Kind,
    /// About so many events.
    pub events: u32,
    pub seed: u64,
}

impl Server {
    /// Writes its trace.
    pub fn write(self, path: &Path) {
        let text = path.with_extension("wpt.txt");
        fs::write(&text, self.text()).unwrap();
        let packed = warpath().args(["pack", "-q"]).arg(&text).arg("-o").arg(path).status().unwrap();
        assert!(packed.success());
        fs::remove_file(text).unwrap();
    }

    fn text(self) -> String {
        let values = if self.kind == Kind::Symbolic { "symbolic" } else { "pinned" };
        let mut run = Run { text: String::new(), events: 0, random: self.seed.wrapping_mul(0x9E37_79B9) | 1 };
        run.text = format!(
            "warpath-trace 1\nprogram \"./server\"\ntracer \"bench\" \"1\"\nvalues {values}\nthread T0\n"
        );
        (0..THREADS).for_each(|n| run.text.push_str(&format!("thread T0.{n}\n")));
        (0..RECORDS).for_each(|n| run.text.push_str(&format!("global x{n} 4 = 0\nsync m{n}\n")));
        run.text.push_str("global hits 4 = 0\nglobal stop 4 = 0\nT0 begin\n");
        (0..RECORDS).for_each(|n| run.add(&format!("T0 init m{n} mutex")));
        (0..THREADS).for_each(|n| run.add(&format!("T0 fork T0.{n} @server.c:90")));
        (0..THREADS).for_each(|n| run.add(&format!("T0.{n} begin")));
        let mut records = [0; RECORDS as usize + 1];
        let mut hits = 0;
        while run.events < self.events {
            let (thread, record) = (run.below(THREADS), run.below(RECORDS - 1));
            let within = run.below(4) == 0;
            self.change(&mut run, thread, record, &mut records, within);
            if self.kind != Kind::Locks && run.below(20) == 0 {
                run.add(&format!("T0.{thread} r hits {hits} @server.c:70"));
                hits = (hits + 1) % 200;
                run.add(&format!("T0.{thread} w hits {hits} @server.c:70"));
            }
            if self.kind != Kind::Locks && run.below(10) == 0 {
                run.add(&format!("T0.{thread} r stop 0 @server.c:80"));
            }
        }
        (0..THREADS).for_each(|n| run.add(&format!("T0.{n} end")));
        if self.kind != Kind::Locks {
            run.add("T0 w stop 1 @server.c:95");
        }
        (0..THREADS).for_each(|n| run.add(&format!("T0 join T0.{n} @server.c:96")));
        run.text.push_str("T0 end\noutcome exited 0\n");
        run.text
    }

    /// One of four functions changes a record.
    fn change(self, run: &mut Run, thread: u64, record: u64, records: &mut [u32], within: bool) {
        let line = record % 4 * 10;
        run.add(&format!("T0.{thread} lock m{record} @server.c:{}", line + 1));
        let value = records[record as usize];
        let next = (value + 1) % 200;
        match self.kind {
            Kind::Locks => {}
            Kind::Pinned => run.add(&format!("T0.{thread} r x{record} {value} @server.c:{}", line + 2)),
            Kind::Symbolic => {
                let name = run.events;
                run.add(&format!("T0.{thread} r x{record} $v{name}={value} @server.c:{}", line + 2));
                run.add(&format!("T0.{thread} branch true (ult $v{name} 200:32) @server.c:{}", line + 3));
            }
        }
        if self.kind != Kind::Locks {
            run.add(&format!("T0.{thread} w x{record} {next} @server.c:{}", line + 4));
        }
        records[record as usize] = next;
        if within {
            self.change(run, thread, record + 1, records, false);
        }
        run.add(&format!("T0.{thread} unlock m{record} @server.c:{}", line + 5));
    }
}

struct Run {
    text: String,
    events: u32,
    random: u64,
}

impl Run {
    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.events += 1;
    }

    /// A small generator of its own (xorshift*), so that every run measures the same.
    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) % bound
    }
}
