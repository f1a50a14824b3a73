//! Prints the records of a stream that the agent wrote: `cargo run -p warpath-jvm --example stream FOLDER/stream`.

use warpath_jvm::stream::Reader;

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("name the stream: FOLDER/stream");
        std::process::exit(2);
    };
    let bytes = std::fs::read(&path).unwrap_or_else(|error| {
        eprintln!("{path}: {error}");
        std::process::exit(2);
    });
    let said = Reader::new(&bytes).and_then(|mut reader| {
        while let Some(item) = reader.next_item()? {
            let step = if item.step { "*" } else { " " };
            println!("{:>8} T{}{step} {:?}", item.offset, item.thread, item.record);
        }
        Ok(())
    });
    if let Err(error) = said {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
