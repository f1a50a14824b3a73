//! Which classes a command runs: a program that was compiled anew is another one, whatever its command says.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Folders inside folders at most: links may go round in circles.
const DEEPEST: usize = 40;

const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Options of `java` that are followed by a word of their own, and are no class path.
const WITH_WORD: [&str; 10] = [
    "--add-modules",
    "--add-reads",
    "--add-exports",
    "--add-opens",
    "--limit-modules",
    "--upgrade-module-path",
    "--patch-module",
    "-m",
    "--module",
    "--source",
];

/// 16 bytes that are others when a class of the program is; from contents alone, so the classes may lie anywhere.
pub(super) fn fingerprint(words: &[String]) -> Vec<u8> {
    let mut print = Print(OFFSET);
    for entry in entries(words) {
        print.entry(&entry);
    }
    print.0.to_be_bytes().to_vec()
}

/// The files and folders that classes come from, in order.
fn entries(words: &[String]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut class_path = std::env::var("CLASSPATH").unwrap_or_default();
    let mut archive = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => (option, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        match option {
            "-cp" | "-classpath" | "--class-path" => {
                class_path = value.or_else(|| rest.next().cloned()).unwrap_or_default();
            }
            "-p" | "--module-path" => {
                let path = value.or_else(|| rest.next().cloned()).unwrap_or_default();
                found.extend(split(&path));
            }
            "-jar" => {
                archive = rest.next().map(PathBuf::from);
                break;
            }
            _ if WITH_WORD.contains(&option) && value.is_none() => {
                rest.next();
            }
            _ if option.starts_with('@') => found.push(PathBuf::from(&option[1..])),
            _ if option.starts_with('-') => {}
            main => {
                // `java Main.java` compiles it on its way.
                found.extend(main.ends_with(".java").then(|| PathBuf::from(main)));
                break;
            }
        }
    }
    match archive {
        Some(archive) => found.push(archive),
        None if class_path.is_empty() => found.push(PathBuf::from(".")),
        None => found.extend(split(&class_path)),
    }
    found
}

/// The entries of a path; `folder/*` is all archives in it.
fn split(path: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in path.split(':') {
        match entry.strip_suffix('*').filter(|folder| folder.is_empty() || folder.ends_with('/')) {
            Some(folder) => {
                let folder = if folder.is_empty() { "." } else { folder };
                let is_archive =
                    |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jar");
                found.extend(content(Path::new(folder)).into_iter().filter(is_archive));
            }
            None if entry.is_empty() => found.push(PathBuf::from(".")),
            None => found.push(PathBuf::from(entry)),
        }
    }
    found
}

fn content(folder: &Path) -> BTreeSet<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeSet::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// FNV-1a of 128 bits: the same on every machine.
struct Print(u128);

impl Print {
    fn entry(&mut self, path: &Path) {
        if path.is_dir() { self.folder(path, path, 0) } else { self.file(path) }
    }

    fn folder(&mut self, root: &Path, folder: &Path, depth: usize) {
        for path in content(folder) {
            if path.is_dir() {
                if depth < DEEPEST {
                    self.folder(root, &path, depth + 1);
                }
            } else if path.extension().is_some_and(|extension| extension == "class") {
                let name = path.strip_prefix(root).unwrap_or(&path);
                self.bytes(name.as_os_str().as_encoded_bytes());
                self.file(&path);
            }
        }
    }

    /// What cannot be read is not part of the program either.
    fn file(&mut self, path: &Path) {
        let mut read = || -> io::Result<()> {
            let mut file = File::open(path)?;
            let mut buffer = vec![0; 1 << 16];
            loop {
                match file.read(&mut buffer)? {
                    0 => return Ok(()),
                    count => self.bytes(&buffer[..count]),
                }
            }
        };
        let _ = read();
        self.bytes(b"end");
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in (bytes.len() as u64).to_be_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_command_says_where_classes_are() {
        let found = |text: &str| {
            let entries = entries(&words(text));
            entries.iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("-ea -cp a:b.jar Main -cp c"), ["a", "b.jar"]);
        assert_eq!(found("--class-path=a --add-opens x/y=ALL Main"), ["a"]);
        assert_eq!(found("-Dx=1 -jar app.jar -cp no"), ["app.jar"]);
        assert_eq!(found("-cp lib Main.java"), ["Main.java", "lib"]);
        assert_eq!(found("@file -p mods -cp a: -m x/y.Z"), ["file", "mods", "a", "."]);
    }

    #[test]
    fn another_class_is_another_program_but_another_folder_is_not() {
        let print = |folder: &Path| fingerprint(&words(&format!("-cp {} Main", folder.display())));
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [&one, &two] {
            std::fs::create_dir(folder.path().join("pkg")).unwrap();
            std::fs::write(folder.path().join("pkg/A.class"), b"first").unwrap();
        }
        let before = print(one.path());
        assert_eq!((before.len(), &before), (16, &print(two.path())));
        std::fs::write(one.path().join("notes.txt"), b"no class").unwrap();
        assert_eq!(before, print(one.path()));
        std::fs::write(one.path().join("pkg/A.class"), b"other").unwrap();
        let changed = print(one.path());
        assert_ne!(before, changed);
        std::fs::rename(one.path().join("pkg/A.class"), one.path().join("pkg/B.class")).unwrap();
        assert_ne!(changed, print(one.path()));
        // An archive by the wildcard.
        std::fs::write(one.path().join("x.jar"), b"1").unwrap();
        let all = |folder: &Path| fingerprint(&words(&format!("-cp {}/* Main", folder.display())));
        let before = all(one.path());
        std::fs::write(one.path().join("x.jar"), b"2").unwrap();
        assert_ne!(before, all(one.path()));
    }
}
