//! Addresses to lines and variables.

use std::rc::Rc;
use std::sync::Arc;

use warpath_native::names::{Image, Images, Variable};
use warpath_trace::ids::{SourceId, StringId};
use warpath_trace::place::Source;
use warpath_trace::tables::{TableError, Tables};

use rustc_hash::FxHashMap;

use crate::folder::Recording;
use crate::image_data::{ImageData, byte};

/// The files that the program had mapped, and what was asked of them before.
pub(crate) struct Names {
    images: Images,
    sources: FxHashMap<u64, SourceId>,
    data: Rc<Vec<ImageData>>,
}

impl Names {
    /// Files that are gone, or are none of a program, have no names; that is no error.
    pub(crate) fn of(recording: &Recording) -> Names {
        let mut images = Images::new();
        let own = |path: &std::path::Path| path == recording.meta.program;
        // The executable comes first, whichever address it has.
        let (first, rest): (Vec<_>, Vec<_>) = recording.maps.iter().partition(|mapping| own(&mapping.path));
        for mapping in first.into_iter().chain(rest) {
            let is_program = mapping.path.is_file() && !mapping.path.starts_with("/dev");
            if is_program && let Err(_unreadable) = images.add(&mapping.path, mapping.base) {
                continue;
            }
        }
        let data = images.iter().map(|image| ImageData::read(image.path(), image.base())).collect();
        Names { images, sources: FxHashMap::default(), data: Rc::new(data) }
    }

    /// The build id of the executable; empty if it has none.
    pub(crate) fn build_id(&self) -> Vec<u8> {
        self.images.executable().and_then(|image| image.facts().build_id.clone()).unwrap_or_default()
    }

    /// The place of a call that returns to this address.
    pub(crate) fn call(&mut self, tables: &mut Tables, returns_to: u64) -> Result<SourceId, TableError> {
        if returns_to == 0 {
            return Ok(SourceId::UNKNOWN);
        }
        if let Some(&known) = self.sources.get(&returns_to) {
            return Ok(known);
        }
        // The call itself is before that address, which may be of the next line.
        let site = returns_to - 1;
        let named = self.images.source(site);
        let function = named.as_ref().and_then(|source| source.function.clone());
        let function = function.or_else(|| self.images.function(site));
        let function = function.map_or(Ok(StringId::EMPTY), |function| tables.string(function.as_bytes()))?;
        let (file, line, column) = match &named {
            Some(source) => (tables.string(source.file.as_bytes())?, source.line, source.column),
            None => (StringId::EMPTY, 0, 0),
        };
        let base = self.images.image_at(site).map_or(0, Image::base);
        let id = tables.source(Source { file, line, column, function, address: site - base.min(site) })?;
        self.sources.insert(returns_to, id);
        Ok(id)
    }

    /// Where the storage with one of these names begins.
    pub(crate) fn storage(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<(String, u64)> {
        // The executable comes first: what others call the same is theirs.
        self.images.iter().flat_map(|image| image.storage(&is_wanted)).collect()
    }

    /// The line of a call that returns to this address, for people.
    pub(crate) fn line(&self, returns_to: u64) -> Option<String> {
        let source = self.images.source(returns_to.checked_sub(1)?)?;
        Some(format!("{}:{}", source.file, source.line))
    }

    /// A function's name; empty if it has none.
    pub(crate) fn function(&self, address: u64) -> String {
        self.images.function(address).map(|name| name.to_string()).unwrap_or_default()
    }

    /// The global variable at an address: what it is called there, and what it is part of.
    pub(crate) fn variable(&self, address: u64, size: u64) -> Option<Arc<Variable>> {
        self.images.variable(address, size)
    }

    /// What a byte of a variable is before the program starts, where that is known.
    pub(crate) fn initial(&self, address: u64) -> Option<u8> {
        byte(&self.data, address)
    }

    /// Forgets that.
    pub(crate) fn forget_data(&mut self) {
        self.data = Rc::default();
    }

    /// The same for all bytes.
    pub(crate) fn data(&self) -> Rc<Vec<ImageData>> {
        self.data.clone()
    }
}
