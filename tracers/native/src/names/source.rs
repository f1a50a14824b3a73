//! Source positions, with the file names that people recognise.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use gimli::Reader as _;

use super::debug::{Debug, Reader, guarded};
use super::demangle::demangle;

/// A deeper nest of inlined calls is not followed.
const DEEPEST: usize = 256;

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Source {
    /// Relative to where the compiler ran if the file lies below it, else its base name (of a Rust file, from the
    /// folder of its crate on).
    pub file: Arc<str>,
    /// From one; zero if the compiler made the code for no line in particular.
    pub line: u32,
    /// From one; zero if unknown.
    pub column: u32,
    /// The function, also if it was inlined.
    pub function: Option<Arc<str>>,
    /// The file belongs to a standard library or to the system's headers.
    pub is_standard: bool,
}

/// Every function that has the address in its code, inlined ones first, with the line where each of them is.
pub(super) fn frames(debug: &Debug, address: u64) -> Vec<Source> {
    guarded(|| read(debug, address).unwrap_or_default()).unwrap_or_default()
}

fn read(debug: &Debug, address: u64) -> Option<Vec<Source>> {
    let lines = debug.lines()?;
    let unit = lines.find_dwarf_and_unit(address).skip_all_loads();
    let folder = unit
        .as_ref()
        .and_then(|unit| unit.comp_dir.as_ref())
        .and_then(|folder| folder.to_string_lossy().ok());
    let folder = folder.unwrap_or_default();
    let mut found = lines.find_frames(address).skip_all_loads().ok()?;
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = found.next() {
        let function = frame.function.and_then(|function| {
            let name = function.raw_name().ok()?;
            Some(Arc::from(demangle(&name, function.language)))
        });
        let Some(location) = frame.location else { continue };
        let Some(file) = location.file else { continue };
        frames.push(Source {
            file: Arc::from(shortened(file, &folder)),
            line: location.line.unwrap_or(0),
            column: location.column.unwrap_or(0),
            function,
            is_standard: is_standard(file),
        });
        if frames.len() == DEEPEST {
            break;
        }
    }
    Some(frames)
}

/// A row of the line table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Where its code begins.
    pub address: u64,
    /// The file; see [`Source::file`].
    pub file: Arc<str>,
    /// The line.
    pub line: u32,
    /// Whether a statement begins there, in the order of the source; parts of it may have been moved elsewhere.
    pub begins_statement: bool,
}

/// The rows of these lines, in whichever file.
pub(super) fn rows(debug: &Debug, lines: &RangeInclusive<u32>) -> Vec<Row> {
    let read = |unit| guarded(|| rows_of(debug, unit, lines)).flatten().unwrap_or_default();
    (0..debug.unit_count()).flat_map(read).collect()
}

fn rows_of(debug: &Debug, unit: usize, lines: &RangeInclusive<u32>) -> Option<Vec<Row>> {
    let unit = debug.unit(unit)?;
    let program = unit.line_program.clone()?;
    let text = |value| -> Option<String> {
        let text = unit.attr_string(value).ok()?;
        text.to_string_lossy().ok().map(|text| text.into_owned())
    };
    let folder = match &unit.comp_dir {
        Some(folder) => folder.to_string_lossy().ok()?.into_owned(),
        None => String::new(),
    };
    let name = |header: &gimli::LineProgramHeader<_>, row: &gimli::LineRow| {
        let file = row.file(header)?;
        let name = text(file.path_name())?;
        let within = file.directory(header).and_then(&text).unwrap_or_default();
        // Names are relative to their folder, and folders to where the compiler ran.
        let path = [folder.as_str(), &within, &name].iter().collect::<PathBuf>();
        Some(Arc::from(shortened(&path.to_string_lossy(), &folder)))
    };
    let mut rows = program.rows();
    let mut found = Vec::new();
    while let Ok(Some((header, row))) = rows.next_row() {
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
        if let Some(line) = line.filter(|line| !row.end_sequence() && lines.contains(line))
            && let Some(file) = name(header, row)
        {
            found.push(Row { address: row.address(), file, line, begins_statement: row.is_stmt() });
        }
    }
    Some(found)
}

/// Every file that the line tables speak of: what [`Source::file`] calls it, and where it was when it was compiled.
pub(super) fn files(debug: &Debug) -> Vec<(String, PathBuf)> {
    let all = |unit| guarded(|| files_of(debug, unit)).flatten().unwrap_or_default();
    let files: BTreeSet<(String, PathBuf)> = (0..debug.unit_count()).flat_map(all).collect();
    files.into_iter().collect()
}

fn files_of(debug: &Debug, unit: usize) -> Option<Vec<(String, PathBuf)>> {
    let unit = debug.unit(unit)?;
    let text = |value: gimli::AttributeValue<Reader>| {
        let text = unit.attr_string(value).ok()?;
        Some(text.to_string_lossy().ok()?.into_owned())
    };
    let folder = unit.comp_dir.as_ref().and_then(|folder| Some(folder.to_string_lossy().ok()?.into_owned()));
    let folder = folder.unwrap_or_default();
    let header = unit.line_program.as_ref()?.header();
    let file = |file: &gimli::FileEntry<Reader>| {
        // As with every path, one that begins at the root is not below another.
        let mut path = PathBuf::from(&folder);
        path.extend(file.directory(header).and_then(text));
        path.push(text(file.path_name())?);
        let short = shortened(path.to_str()?, &folder).to_owned();
        Some((short, path))
    };
    Some(header.file_names().iter().filter_map(file).collect())
}

/// The frame to show: the innermost one of the program's own, since what a standard library inlines into it says
/// little about the program.
pub(super) fn shown(frames: &[Source]) -> Option<&Source> {
    let own = frames.iter().find(|frame| frame.line != 0 && !frame.is_standard);
    own.or_else(|| frames.iter().find(|frame| frame.line != 0)).or_else(|| frames.first())
}

fn is_standard(file: &str) -> bool {
    const ROOTS: [&str; 4] = ["/rustc/", "/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm"];
    const PARTS: [&str; 2] = ["/rustlib/src/rust/library/", "/include/c++/"];
    ROOTS.iter().any(|root| file.starts_with(root)) || PARTS.iter().any(|part| file.contains(part))
}

fn shortened<'a>(file: &'a str, folder: &str) -> &'a str {
    let below = if folder.is_empty() {
        None
    } else {
        file.strip_prefix(folder)
            .and_then(|rest| rest.strip_prefix('/').or(folder.ends_with('/').then_some(rest)))
    };
    let mut short = below.unwrap_or(file);
    while let Some(rest) = short.strip_prefix("./") {
        short = rest;
    }
    if !short.starts_with('/') && !short.starts_with("../") && !short.is_empty() {
        return short;
    }
    if short.ends_with(".rs")
        && let Some(source) = short.rfind("/src/")
    {
        let crate_from = short[..source].rfind('/').map_or(0, |slash| slash + 1);
        return &short[crate_from..];
    }
    match short.rsplit('/').next() {
        Some(base) if !base.is_empty() => base,
        _ => file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_what_people_call_them() {
        let names = [
            ("/home/me/project/src/main.c", "/home/me/project", "src/main.c"),
            ("/home/me/project/./main.c", "/home/me/project", "main.c"),
            ("/home/me/project/../other/main.c", "/home/me/project", "main.c"),
            ("/home/me/projects/main.c", "/home/me/project", "main.c"),
            ("/home/me/main.c", "/", "home/me/main.c"),
            ("/somewhere/else/x.c", "", "x.c"),
            ("main.c", "", "main.c"),
            ("/rustc/0123/library/std/src/sync/mutex.rs", "/home/me", "std/src/sync/mutex.rs"),
            ("/r/some-crate-1.0/src/lib.rs", "/home/me", "some-crate-1.0/src/lib.rs"),
            ("/odd/", "/home", "/odd/"),
        ];
        for (file, folder, expected) in names {
            assert_eq!(shortened(file, folder), expected, "{file} in {folder}");
        }
    }
}
