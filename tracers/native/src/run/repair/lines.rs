//! Lines of a repair in the program's line tables.

use rustc_hash::FxHashMap;
use warpath_trace::repair::Region;

use super::plan::{PlaceIx, Plan};
use crate::names::{Images, Row, Source};
use crate::run::error::RunError;

/// Is a place of the source in the region? One whose function is not said is in whichever function has its lines.
pub(super) fn is_in(region: &Region, source: &Source) -> bool {
    (region.from..=region.to).contains(&source.line)
        && *source.file == *region.file
        && (region.function.is_empty() || source.function.as_deref() == Some(region.function.as_str()))
}

/// The rows of the line tables that are in a region.
fn rows(images: &Images, region: &Region) -> Vec<Row> {
    let in_function = |row: &Row| {
        let mut functions = images.frames(row.address).into_iter().filter_map(|source| source.function);
        region.function.is_empty() || functions.any(|function| *function == *region.function)
    };
    let all = images.rows(region.from..=region.to);
    all.into_iter().filter(|row| *row.file == *region.file && in_function(row)).collect()
}

/// Where statements begin of the places that threads come to even if they do nothing there that others can notice.
/// Fails if a region has no code in the program: to repair what is not there would change nothing, and nobody would be
/// told.
pub(super) fn markers(images: &Images, plan: &Plan) -> Result<FxHashMap<u64, Vec<PlaceIx>>, RunError> {
    let program = || images.executable().map(|image| image.path().to_owned()).unwrap_or_default();
    if !plan.places.is_empty() && !images.iter().any(|image| image.has_lines()) {
        return Err(RunError::NoLines { program: program() });
    }
    let mut markers: FxHashMap<u64, Vec<PlaceIx>> = FxHashMap::default();
    for (place, region) in plan.places.iter().enumerate() {
        let rows = rows(images, region);
        if rows.is_empty() {
            return Err(RunError::NoSuchLine { region: Box::new(region.clone()), program: program() });
        }
        if plan.is_marked(place) {
            for row in rows.iter().filter(|row| row.begins_statement) {
                let places = markers.entry(row.address).or_default();
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    Ok(markers)
}
