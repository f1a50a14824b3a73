//! A small search tool: each file is searched by one of three threads, what is found is printed in order.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let pattern = arguments.next().expect("a pattern");
    let files: Vec<String> = arguments.collect();
    let next = Arc::new(AtomicUsize::new(0));
    let total = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let files = Arc::new(files);
    let (sender, receiver) = mpsc::channel();
    let workers: Vec<_> = (0..3)
        .map(|_| {
            let (next, total, files) = (Arc::clone(&next), Arc::clone(&total), Arc::clone(&files));
            let (sender, pattern) = (sender.clone(), pattern.clone());
            thread::spawn(move || {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(n) else { break };
                    let text = std::fs::read_to_string(file).expect("a file");
                    let found: Vec<(usize, String)> = text
                        .lines()
                        .enumerate()
                        .filter(|(_, line)| line.contains(&pattern))
                        .map(|(n, line)| (n + 1, line.to_owned()))
                        .collect();
                    total.lock().expect("nobody panics").insert(file.clone(), found.len());
                    sender.send((n, found)).expect("somebody listens");
                }
            })
        })
        .collect();
    drop(sender);
    let results: BTreeMap<usize, Vec<(usize, String)>> = receiver.iter().collect();
    for worker in workers {
        worker.join().expect("nobody panics");
    }
    for (n, found) in &results {
        for (line, text) in found {
            println!("{}:{line}:{text}", files[*n]);
        }
    }
    for (file, count) in total.lock().expect("nobody panics").iter() {
        println!("{file}: {count}");
    }
}
