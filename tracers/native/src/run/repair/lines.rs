//! Lines of a repair in the program's line tables.

use warpath_trace::repair::Region;

use crate::names::{Images, Source};
use crate::run::error::RunError;

/// Is a place of the source in the region? One whose function is not said is in whichever function has its lines.
pub(super) fn is_in(region: &Region, source: &Source) -> bool {
    (region.from..=region.to).contains(&source.line)
        && *source.file == *region.file
        && (region.function.is_empty() || source.function.as_deref() == Some(region.function.as_str()))
}

/// Every region must have code in the program: a repair of lines that are never executed changes nothing, and says so
/// to nobody.
pub(super) fn check(images: &Images, regions: &[Region]) -> Result<(), RunError> {
    let program = || images.executable().map(|image| image.path().to_owned()).unwrap_or_default();
    if !regions.is_empty() && !images.iter().any(|image| image.has_lines()) {
        return Err(RunError::NoLines { program: program() });
    }
    for region in regions {
        let near = images.code_of_lines(region.from..=region.to);
        let found =
            near.iter().any(|&address| images.frames(address).iter().any(|source| is_in(region, source)));
        if !found {
            return Err(RunError::NoSuchLine { region: Box::new(region.clone()), program: program() });
        }
    }
    Ok(())
}
