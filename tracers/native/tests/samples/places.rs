//! Where the manifest expects a bug, the debug information has code: function and line as the reports will name them.

use std::collections::BTreeSet;

use warpath_native::names::Images;

use crate::build::{Toolchain, Workshop};
use crate::manifest::{Program, manifest};

/// Every function and line that the code of a program was made from.
fn code(workshop: &Workshop, program: &Program) -> BTreeSet<(String, u32)> {
    let path = workshop.build(program, &[]);
    let mut images = Images::new();
    images.add(&path, 0x5555_5555_4000).expect("it was just built");
    let file = program.source.file_name().and_then(|name| name.to_str()).expect("a plain name");
    let code = images.executable().expect("it was just added").code();
    let mut found = BTreeSet::new();
    for address in code.into_iter().flatten() {
        for frame in images.frames(address) {
            if &*frame.file == file
                && let Some(function) = frame.function
            {
                found.insert((function.to_string(), frame.line));
            }
        }
    }
    found
}

#[test]
fn reports_will_name_the_places_of_the_manifest() {
    let workshop = Workshop::open(Toolchain::Gcc);
    for program in &manifest().program {
        let places: Vec<_> = program.expect.iter().flat_map(|expectation| &expectation.places).collect();
        if places.is_empty() {
            continue;
        }
        let code = code(&workshop, program);
        for place in places {
            let wanted = (place.function.clone(), place.line);
            assert!(code.contains(&wanted), "{}: {wanted:?} is not among {code:?}", program.name);
        }
    }
}
