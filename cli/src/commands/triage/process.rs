//! A worker as a process: started, waited for, ended when its time is over.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::entry::{Answer, Examined};
use super::worker::Order;

/// A worker ends by itself when its time is over; if it does not by then, it is killed.
const GRACE: Duration = Duration::from_secs(15);
/// How often somebody looks whether to stop.
const LOOK: Duration = Duration::from_millis(100);
/// An answer is not longer than this.
const LONGEST_ANSWER: u64 = 256 << 20;
/// Of what a worker says on standard error, so much is kept.
const LONGEST_COMPLAINT: u64 = 64 << 10;

/// Lets a process analyse the trace. `None` if everything is to be stopped.
pub(super) fn examine(order: &Order, stop: &AtomicBool) -> anyhow::Result<Option<Answer>> {
    let mut command = order.command()?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C is for us; we tell the workers.
    command.process_group(0);
    let mut child = command.spawn()?;
    let answer = drain(child.stdout.take(), LONGEST_ANSWER);
    let complaint = drain(child.stderr.take(), LONGEST_COMPLAINT);
    let deadline = Instant::now() + order.task.time + GRACE;
    let text = loop {
        match answer.recv_timeout(LOOK) {
            Ok(text) => break Some(text),
            Err(RecvTimeoutError::Disconnected) => break Some(Vec::new()),
            Err(RecvTimeoutError::Timeout) if stop.load(Ordering::SeqCst) => {
                end(&mut child);
                return Ok(None);
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => break None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let Some(text) = text else {
        end(&mut child);
        let reason = format!("the analysis did not end within {} s", order.task.time.as_secs_f64());
        return Ok(Some(Examined::Failed { reason }.into()));
    };
    let status = child.wait()?;
    if status.success()
        && let Ok(answer) = serde_json::from_slice(&text)
    {
        return Ok(Some(answer));
    }
    let said = complaint.recv().unwrap_or_default();
    Ok(Some(Examined::Failed { reason: reason(status, &String::from_utf8_lossy(&said), order) }.into()))
}

fn end(child: &mut Child) {
    // Its solvers notice that it has gone.
    let _ = child.kill();
    let _ = child.wait();
}

/// Reads to the end on a thread of its own; what is behind the limit is thrown away.
fn drain(pipe: Option<impl Read + Send + 'static>, limit: u64) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    if let Some(mut pipe) = pipe {
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = pipe.by_ref().take(limit).read_to_end(&mut text);
            let _ = std::io::copy(&mut pipe, &mut std::io::sink());
            let _ = sender.send(text);
        });
    }
    receiver
}

fn reason(status: ExitStatus, said: &str, order: &Order) -> String {
    if said.contains("memory allocation of") {
        return format!("the analysis needs more than {} MiB (--trace-memory)", order.task.memory >> 20);
    }
    let last = said.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing");
    match (status.code(), status.signal()) {
        (_, Some(signal)) => format!("the analysis was ended by signal {signal}: {last}"),
        (Some(code), _) => format!("the analysis ended with {code}: {last}"),
        _ => format!("the analysis ended: {last}"),
    }
}
