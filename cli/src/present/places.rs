//! Where a bug shows: each side as compilers show places, with the source line if the file is at hand.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use warpath_native::names::Image;

/// Larger files are not read for a line of theirs.
const LARGEST: u64 = 8 << 20;
/// A source line is cut there.
const WIDEST: usize = 96;

/// One of the places that a bug is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    /// `m.c:38:9`; empty if unknown.
    pub(crate) place: String,
    /// The thread's key.
    pub(crate) thread: String,
    /// What it does there; may be empty.
    pub(crate) role: String,
}

/// Source files, read when they are first asked for.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    folders: Vec<PathBuf>,
    program: PathBuf,
    /// Where files were when the program was built, by the names that places have.
    compiled: OnceCell<HashMap<String, Vec<PathBuf>>>,
    /// Files changed since then are not what the program was built from.
    built: Option<SystemTime>,
    read: RefCell<HashMap<PathBuf, Option<Vec<String>>>>,
}

impl Sources {
    /// The sources of a program, as far as they are found from here, from where the program is, or where its debug
    /// information says that they were.
    pub(crate) fn of(program: &Path) -> Sources {
        Sources {
            program: program.to_path_buf(),
            compiled: OnceCell::new(),
            folders: program.parent().map(Path::to_path_buf).into_iter().collect(),
            built: fs::metadata(program).and_then(|metadata| metadata.modified()).ok(),
            read: RefCell::default(),
        }
    }

    /// The same, and in these folders.
    pub(crate) fn and_in(mut self, folders: &[PathBuf]) -> Sources {
        self.folders.extend(folders.iter().cloned());
        self
    }

    /// The lines around one, with their numbers; empty if they are not at hand.
    pub(crate) fn around(&self, file: &str, line: usize, more: usize) -> Vec<(usize, String)> {
        let range = line.saturating_sub(more).max(1)..=line.saturating_add(more);
        self.with(file, |lines| {
            lines.get(line.checked_sub(1)?)?;
            let some = lines.iter().enumerate().map(|(n, text)| (n + 1, text.clone()));
            Some(some.filter(|(number, _)| range.contains(number)).collect())
        })
        .unwrap_or_default()
    }

    /// Every side with its line, one below the other.
    pub(crate) fn show(&self, sides: &[Side]) -> String {
        let mut text = String::new();
        for Side { place, thread, role } in sides {
            let named = if place.is_empty() { "a place without a name" } else { place };
            let _ = writeln!(text, "{}", format!("  --> {named} {thread} {role}").trim_end());
            if let Some((number, line)) = self.line(place) {
                let _ = writeln!(text, "  {number:>6} | {line}");
            }
        }
        text
    }

    /// The line at a place, without its indentation.
    pub(crate) fn line(&self, place: &str) -> Option<(usize, String)> {
        let (file, number) = file_and_line(place)?;
        self.with(file, |lines| {
            let line = lines.get(number.checked_sub(1)?)?.trim();
            Some((!line.is_empty()).then(|| (number, line.chars().take(WIDEST).collect())))
        })?
    }

    /// The first answer that a file of this name gives.
    fn with<T>(&self, file: &str, mut look: impl FnMut(&[String]) -> Option<T>) -> Option<T> {
        let near =
            [PathBuf::from(file)].into_iter().chain(self.folders.iter().map(|folder| folder.join(file)));
        // Debug information is read only if it is needed.
        let compiled = std::iter::once_with(|| self.compiled(file)).flatten();
        let mut read = self.read.borrow_mut();
        for path in near.chain(compiled) {
            let lines = read.entry(path).or_insert_with_key(|path| self.lines(path));
            if let Some(found) = lines.as_deref().and_then(&mut look) {
                return Some(found);
            }
        }
        None
    }

    /// Where a file of this name was when the program was built.
    fn compiled(&self, file: &str) -> Option<PathBuf> {
        let compiled = self.compiled.get_or_init(|| {
            let mut compiled: HashMap<String, Vec<PathBuf>> = HashMap::new();
            let image = Image::open(&self.program, 0).ok();
            for (name, path) in image.iter().flat_map(Image::source_files) {
                compiled.entry(name).or_default().push(path);
            }
            compiled
        });
        let mut there: Vec<PathBuf> =
            compiled.get(file)?.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        there.sort_unstable();
        there.dedup();
        // Of several files with one name nobody knows which it is.
        if there.len() == 1 { there.pop() } else { None }
    }

    fn lines(&self, path: &Path) -> Option<Vec<String>> {
        let metadata =
            fs::metadata(path).ok().filter(|metadata| metadata.is_file() && metadata.len() <= LARGEST)?;
        if self.built.is_some_and(|built| metadata.modified().is_ok_and(|changed| changed > built)) {
            return None;
        }
        let text = fs::read(path).ok()?;
        let printable = |line: &str| line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Some(String::from_utf8_lossy(&text).lines().map(printable).collect())
    }
}

/// `m.c:38:9` and `m.c:38` are line 38 of `m.c`.
pub(crate) fn file_and_line(place: &str) -> Option<(&str, usize)> {
    let (rest, last) = place.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file, line)),
        None => Some((rest, last)),
    }
}

/// The column of `m.c:38:9`.
pub(super) fn column(place: &str) -> Option<usize> {
    let (rest, last) = place.rsplit_once(':')?;
    rest.rsplit_once(':')?.1.parse::<usize>().ok()?;
    last.parse().ok().filter(|column| *column > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_files_lines_and_columns() {
        assert_eq!(file_and_line("m.c:38:9"), Some(("m.c", 38)));
        assert_eq!(file_and_line("a:b/m.c:38"), Some(("a:b/m.c", 38)));
        assert_eq!((column("m.c:38:9"), column("m.c:38")), (Some(9), None));
        for odd in ["", "main+0x3f", "m.c", "m.c:", ":::", "T0.1#3"] {
            assert_eq!(file_and_line(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_side_has_its_line_if_the_file_is_as_it_was() {
        let folder = tempfile::tempdir().expect("a folder");
        let (source, program) = (folder.path().join("m.c"), folder.path().join("m"));
        fs::write(&source, "one\n\tassert(x);\u{7}\n").expect("a source");
        fs::write(&program, "").expect("a program");
        let side = Side { place: "m.c:2:5".into(), thread: "T0.1".into(), role: "reads x".into() };
        let shown = Sources::of(&program).show(std::slice::from_ref(&side));
        assert_eq!(shown, "  --> m.c:2:5 T0.1 reads x\n       2 | assert(x);\n");
        let later = SystemTime::now() + std::time::Duration::from_secs(60);
        fs::File::options()
            .write(true)
            .open(&source)
            .and_then(|file| file.set_modified(later))
            .expect("a later time");
        assert_eq!(Sources::of(&program).show(&[side]), "  --> m.c:2:5 T0.1 reads x\n");
    }

    #[test]
    fn a_place_without_a_name_says_so() {
        let side = Side { place: String::new(), thread: "T0".into(), role: String::new() };
        assert_eq!(Sources::default().show(&[side]), "  --> a place without a name T0\n");
    }
}
