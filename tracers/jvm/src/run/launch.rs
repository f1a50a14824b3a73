//! The JVM as a process: started, watched, ended.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::error::JvmError;
use super::options::{Output, RunOptions};
use super::outcome::Why;

/// How a JVM ended.
pub(super) struct Ended {
    pub status: ExitStatus,
    /// Why it was ended by us, if it was.
    pub stopped: Option<Why>,
    /// What it wrote to standard output (1) and error (2), if that was kept.
    pub output: Vec<(i32, Vec<u8>)>,
}

/// How often a running JVM is looked at.
const LOOK: Duration = Duration::from_millis(2);
/// The end of standard error that is worth showing.
const LAST_WORDS: usize = 2000;

/// Standard input that every run reads from its beginning.
pub(super) enum OwnStdin {
    /// A terminal, or nothing that can be read twice.
    Inherited,
    /// All of it.
    Kept(File),
}

impl OwnStdin {
    /// Reads what there is, unless somebody would have to type it.
    pub(super) fn open() -> OwnStdin {
        if std::io::stdin().is_terminal() {
            return OwnStdin::Inherited;
        }
        let kept = || {
            // A file is opened anew; a pipe can be read once only, so it is copied.
            if let Ok(file) = File::open("/proc/self/fd/0")
                && file.metadata()?.is_file()
            {
                return Ok(file);
            }
            let mut copy = tempfile::tempfile()?;
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            copy.write_all(&bytes)?;
            Ok::<File, std::io::Error>(copy)
        };
        kept().map_or(OwnStdin::Inherited, OwnStdin::Kept)
    }

    fn stdio(&mut self) -> Stdio {
        match self {
            OwnStdin::Inherited => Stdio::inherit(),
            OwnStdin::Kept(file) => match file.rewind().and_then(|()| file.try_clone()) {
                Ok(copy) => copy.into(),
                Err(_) => Stdio::null(),
            },
        }
    }
}

/// A JVM that is ended with us, whatever happens.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a command to its end.
pub(super) fn run(
    java: &Path,
    arguments: &[String],
    stdin: &mut OwnStdin,
    options: &RunOptions,
) -> Result<Ended, JvmError> {
    let mut command = Command::new(java);
    command.args(arguments).stdin(stdin.stdio());
    let stream = |inherited: Stdio| match options.output {
        Output::Inherit => inherited,
        Output::Keep | Output::Discard => Stdio::piped(),
    };
    command.stdout(stream(Stdio::inherit())).stderr(stream(Stdio::inherit()));
    let child = command.spawn();
    let child = child.map_err(|error| JvmError::Start { command: java.display().to_string(), error })?;
    let mut running = Running(child);
    let (sender, receiver) = mpsc::channel();
    let out = running.0.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let err = running.0.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>);
    let mut readers = 0;
    for (stream, pipe) in [(1, out), (2, err)] {
        let Some(pipe) = pipe else { continue };
        readers += 1;
        let sender = sender.clone();
        std::thread::spawn(move || drain(stream, pipe, &sender));
    }
    drop(sender);
    let mut output = Kept { pieces: Vec::new(), bytes: 0, open: readers, options };
    let started = Instant::now();
    let mut stopped = None;
    let status = loop {
        output.take(&receiver);
        match running.0.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(JvmError::Start { command: java.display().to_string(), error }),
        }
        if stopped.is_none() {
            stopped = if options.cancel.load(Ordering::Relaxed) {
                Some(Why::Interrupted)
            } else if started.elapsed() > options.max_time {
                Some(Why::Time(options.max_time.as_secs()))
            } else if output.bytes > options.max_output {
                Some(Why::Output(options.max_output))
            } else {
                None
            };
            if stopped.is_some() {
                let _ = running.0.kill();
            }
        }
        std::thread::sleep(LOOK);
    };
    // Children that it left behind may hold the pipes open: they are not waited for.
    let patience = Instant::now();
    while output.open > 0 && patience.elapsed() < Duration::from_secs(1) {
        output.take(&receiver);
        std::thread::sleep(LOOK);
    }
    Ok(Ended { status, stopped, output: output.pieces })
}

struct Kept<'a> {
    pieces: Vec<(i32, Vec<u8>)>,
    bytes: u64,
    open: usize,
    options: &'a RunOptions,
}

impl Kept<'_> {
    fn take(&mut self, receiver: &mpsc::Receiver<(i32, Vec<u8>)>) {
        while let Ok((stream, bytes)) = receiver.try_recv() {
            if bytes.is_empty() {
                self.open -= 1;
                continue;
            }
            self.bytes += bytes.len() as u64;
            if self.bytes > self.options.max_output {
                continue;
            }
            match self.pieces.last_mut() {
                Some((last, known)) if *last == stream => known.extend(bytes),
                _ => self.pieces.push((stream, bytes)),
            }
        }
    }
}

/// Hands on what comes out of a pipe; an empty piece at its end.
fn drain(stream: i32, mut pipe: Box<dyn Read + Send>, to: &mpsc::Sender<(i32, Vec<u8>)>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = pipe.read(&mut buffer).unwrap_or(0);
        if to.send((stream, buffer[..count].to_vec())).is_err() || count == 0 {
            return;
        }
    }
}

/// The end of what was said on standard error, for an error message.
pub(super) fn last_words(output: &[(i32, Vec<u8>)]) -> String {
    let bytes: Vec<u8> = output
        .iter()
        .filter(|(stream, _)| *stream == 2)
        .flat_map(|(_, bytes)| bytes.iter().copied())
        .collect();
    let from = bytes.len().saturating_sub(LAST_WORDS);
    let text = String::from_utf8_lossy(&bytes[from..]);
    let text = text.trim();
    if text.is_empty() { String::new() } else { format!(":\n{text}") }
}
