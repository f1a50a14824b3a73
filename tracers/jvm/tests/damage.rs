//! Damaged class files and streams: an error with a place, never a panic, never more memory than the bytes can pay for.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use warpath_jvm::classfile::ClassFile;
use warpath_jvm::lift::{LiftOptions, lift};
use warpath_jvm::stream::{Reader, StreamError};
use warpath_trace::header::Header;

const SOURCE: &str = "import java.util.function.*;
public class Main {
    static int x; int[] some = {1, 2, 3}; static final Object lock = new Object();
    static int work(int n) { int s = 0; for (int i = 0; i < n; i++) { s += i * x; if (s % 7 == 3) s--; } return s; }
    public static void main(String[] a) throws Exception {
        Main m = new Main();
        IntUnaryOperator op = v -> v + m.some[1];
        Thread t = new Thread(() -> { synchronized (lock) { x = op.applyAsInt(work(5)); } });
        t.start();
        synchronized (lock) { x = x + 1; }
        t.join();
        switch (x) { case 1: x = 2; break; case 700: x = 3; }
        try { Object o = x; System.out.println(((Number) o).intValue() / (x - x)); } catch (ArithmeticException e) { x = 4; }
    }
}";

/// A class file that javac made, and the stream of a run of it.
fn samples() -> &'static (Vec<u8>, Vec<u8>) {
    static SAMPLES: std::sync::OnceLock<(Vec<u8>, Vec<u8>)> = std::sync::OnceLock::new();
    SAMPLES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("Main.java"), SOURCE).unwrap();
        let compiled = Command::new("javac").arg("-d").arg(folder.path()).arg(at("Main.java")).status();
        assert!(compiled.expect("there is a Java compiler; run scripts/setup").success());
        let plan = "warpath-jvm-plan\t1\nmodel\tsc\npolicy\tround-robin\nfollow\tstrict\nmax-events\t1000\nshared\tMain.x\n";
        std::fs::write(at("plan"), plan).unwrap();
        let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/target/warpath-agent.jar");
        let agent = std::env::var_os("WARPATH_JVM_AGENT").map_or(built, Into::into);
        let agent = format!("-javaagent:{}={}", agent.display(), folder.path().display());
        let run = Command::new("java").arg(agent).arg("-cp").arg(folder.path()).arg("Main").output().unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let mut stream = std::fs::read(at("stream")).unwrap();
        let written = stream.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        stream.truncate(written + 1);
        (std::fs::read(at("Main.class")).unwrap(), stream)
    })
}

fn options() -> LiftOptions {
    LiftOptions {
        header: Header::default(),
        max_expressions: 1 << 20,
        fail_on_exit: false,
        shared: None,
        flags: Vec::new(),
    }
}

/// Some bytes replaced, and perhaps the end cut off.
fn damage(bytes: &[u8], changes: &[(usize, u8)], cut: Option<usize>) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for &(at, byte) in changes {
        let length = damaged.len();
        damaged[at % length] = byte;
    }
    if let Some(cut) = cut {
        damaged.truncate(cut % bytes.len());
    }
    damaged
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_class_file_is_an_error_at_most(
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<usize>()),
    ) {
        let _ = ClassFile::parse(&damage(&samples().0, &changes, cut));
    }

    #[test]
    fn a_damaged_stream_gives_what_is_complete(
        changes in prop::collection::vec((any::<usize>(), any::<u8>()), 0..6),
        cut in prop::option::of(any::<usize>()),
    ) {
        let stream = damage(&samples().1, &changes, cut);
        if let Ok((lifted, _)) = lift(&stream, &options()) {
            prop_assert!(lifted.trace.check().is_ok(), "{:?}", lifted.trace.check());
        }
    }
}

#[test]
fn a_stream_that_is_cut_has_everything_before() {
    let stream = &samples().1;
    let (whole, error) = lift(stream, &options()).unwrap();
    assert_eq!((error, &whole.lost), (None, &Vec::new()));
    let all: Vec<_> = whole.trace.listing().map(|(thread, _, event)| (thread, event.op.verb())).collect();
    let mut reader = Reader::new(stream).unwrap();
    let mut offsets = Vec::new();
    while let Some(item) = reader.next_item().unwrap() {
        offsets.push(item.offset);
    }
    assert!(all.len() > 20 && offsets.len() > 50, "{} events, {} records", all.len(), offsets.len());
    for &offset in &offsets {
        // In the middle of the record: of a record of one byte, nothing is missing but itself.
        let (cut, error) = lift(&stream[..offset + 1], &options()).unwrap();
        if let Some(error) = error {
            assert_eq!(error, StreamError::Cut { offset });
        }
        // What a thread does on its way to its next step comes when that is known: the order within threads stays.
        for (thread, events) in cut.trace.threads.iter().enumerate() {
            let events: Vec<_> = events.iter().map(|event| event.op.verb()).collect();
            let whole: Vec<_> = whole.trace.threads[thread].iter().map(|event| event.op.verb()).collect();
            assert!(whole.starts_with(&events), "cut at {offset}: {events:?} is no beginning of {whole:?}");
        }
    }
}

#[test]
fn what_is_no_stream_is_refused() {
    for bytes in [&b""[..], b"WPJVM2\n\0", b"WPJVM1"] {
        let (lifted, error) = lift(bytes, &options()).unwrap();
        assert_eq!(error, Some(StreamError::Magic));
        assert!(lifted.trace.is_empty() && lifted.end.is_none());
    }
    let unknown = [&b"WPJVM1\n\0"[..], &[99]].concat();
    assert_eq!(lift(&unknown, &options()).unwrap().1, Some(StreamError::Tag { tag: 99, offset: 8 }));
}
