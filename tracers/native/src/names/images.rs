//! All files that a program has mapped, asked as one.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::image::{Image, shown};
use super::{CLibrary, Frame, Local, NamesError, ReadWord, Row, Source, Symbol, SymbolKind, Variable};

/// More answers are not kept: a run asks the same few addresses over and over, a fuzzer does not.
const MOST: usize = 1 << 18;

/// The images of one program, in the order in which they were added: the executable first.
#[derive(Debug, Default)]
pub struct Images {
    images: Vec<Image>,
    functions: Answers<u64, Option<Arc<str>>>,
    sources: Answers<u64, Option<Source>>,
    variables: Answers<(u64, u64), Option<Arc<Variable>>>,
}

#[derive(Debug)]
struct Answers<K, V>(RefCell<FxHashMap<K, V>>);

impl<K, V> Default for Answers<K, V> {
    fn default() -> Self {
        Answers(RefCell::default())
    }
}

impl<K: std::hash::Hash + Eq, V: Clone> Answers<K, V> {
    fn get(&self, key: K, find: impl FnOnce(&K) -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let found = find(&key);
        let mut answers = self.0.borrow_mut();
        if answers.len() >= MOST {
            answers.clear();
        }
        answers.insert(key, found.clone());
        found
    }

    fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}

impl Images {
    /// None yet.
    pub fn new() -> Images {
        Images::default()
    }

    /// Adds the file whose first page the program has mapped at `base`; it takes the place of what was there.
    pub fn add(&mut self, path: &Path, base: u64) -> Result<&Image, NamesError> {
        Image::open(path, base).map(|image| self.insert(image))
    }

    /// Adds an image that was read before.
    pub fn insert(&mut self, image: Image) -> &Image {
        self.forget();
        let at = self.images.iter().position(|other| other.base() == image.base());
        let at = match at {
            Some(at) => {
                self.images[at] = image;
                at
            }
            None => {
                self.images.push(image);
                self.images.len() - 1
            }
        };
        &self.images[at]
    }

    /// Forgets the image at `base`, as when the program unloads a library; whether there was one.
    pub fn remove(&mut self, base: u64) -> bool {
        let before = self.images.len();
        self.images.retain(|image| image.base() != base);
        self.forget();
        self.images.len() != before
    }

    fn forget(&mut self) {
        self.functions.clear();
        self.sources.clear();
        self.variables.clear();
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Image> {
        self.images.iter()
    }

    /// The program itself: the image that was added first.
    pub fn executable(&self) -> Option<&Image> {
        self.images.first()
    }

    /// The image that takes the address.
    pub fn image_at(&self, address: u64) -> Option<&Image> {
        // The last one added wins where two overlap: the older one is no longer whole.
        self.images.iter().rev().find(|image| image.range().contains(&address))
    }

    /// The function whose code is at the address, as in its source; `None` in a stripped file.
    pub fn function(&self, address: u64) -> Option<Arc<str>> {
        self.functions.get(address, |address| self.image_at(*address)?.function(*address).map(Arc::from))
    }

    /// The line that the code at the address was made from.
    ///
    /// Where functions were inlined it is the innermost line in the program's own source: `n++` on a `std::atomic` is
    /// where the program says so, not in a header of the compiler. [`Images::frames`] gives all of them.
    pub fn source(&self, address: u64) -> Option<Source> {
        self.sources.get(address, |address| shown(&self.frames(*address)).cloned())
    }

    /// Every function that has the address in its code with the line in it: inlined ones first, the real one last.
    pub fn frames(&self, address: u64) -> Vec<Source> {
        self.image_at(address).map(|image| image.frames(address)).unwrap_or_default()
    }

    /// The rows of all line tables for these lines, in whichever source file.
    pub fn rows(&self, lines: RangeInclusive<u32>) -> Vec<Row> {
        self.images.iter().flat_map(|image| image.rows(&lines)).collect()
    }

    /// What a name stands for: in the executable, else in the first library that defines it; of several versions the
    /// one that programs linked today get.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        self.images.iter().find_map(|image| {
            let named = image.named(name);
            let best = named.iter().find(|symbol| symbol.is_default && symbol.kind != SymbolKind::Label);
            best.or_else(|| named.iter().find(|symbol| symbol.is_default)).or_else(|| named.first()).cloned()
        })
    }

    /// Everything that has one of these names, in every image and version, each address once per name.
    pub fn symbols_named<N: AsRef<str>>(&self, names: &[N]) -> Vec<Symbol> {
        let mut found: Vec<Symbol> = Vec::new();
        for name in names {
            let from = found.len();
            for symbol in self.images.iter().flat_map(|image| image.named(name.as_ref())) {
                let known = found[from..].iter_mut().find(|other| other.address == symbol.address);
                match known {
                    Some(known) => known.is_default |= symbol.is_default,
                    None => found.push(symbol),
                }
            }
        }
        found
    }

    /// Addresses of the functions whose names, as linkers know them, fit.
    pub fn functions_like(&self, fits: impl Fn(&str) -> bool) -> Vec<u64> {
        self.images.iter().flat_map(|image| image.functions_like(&fits)).collect()
    }

    /// The global or static variable at an address, and the part of it that `size` bytes there are; `None` outside all
    /// images.
    pub fn variable(&self, address: u64, size: u64) -> Option<Arc<Variable>> {
        self.variables.get((address, size), |(address, size)| {
            self.image_at(*address).map(|image| Arc::new(image.variable(*address, *size)))
        })
    }

    /// Whether the code at the address is the C library's; see [`CLibrary`] for how it is known.
    pub fn is_c_library(&self, address: u64) -> bool {
        self.image_at(address).is_some_and(|image| match image.c_library() {
            CLibrary::Whole => true,
            CLibrary::Parts(parts) => parts.iter().any(|part| part.contains(&address)),
            CLibrary::No | CLibrary::Unknown => false,
        })
    }

    /// All code of the C library.
    pub fn c_library_code(&self) -> Vec<Range<u64>> {
        let code = |image: &Image| match image.c_library() {
            CLibrary::Whole => image.code(),
            CLibrary::Parts(parts) => parts.clone(),
            CLibrary::No | CLibrary::Unknown => Vec::new(),
        };
        self.images.iter().flat_map(code).collect()
    }

    /// The frame's canonical address: the stack pointer before the call that made it.
    pub fn frame_address(&self, frame: &Frame, read: &mut ReadWord<'_>) -> Option<u64> {
        self.image_at(frame.lookup())?.step(frame, read).map(|(address, _)| address)
    }

    /// The frame that called this one; `None` at the outermost, and where nothing tells.
    pub fn caller(&self, frame: &Frame, read: &mut ReadWord<'_>) -> Option<Frame> {
        let (_, caller) = self.image_at(frame.lookup())?.step(frame, read)?;
        // A stack grows downwards: a caller that is not above the frame is a circle in damaged tables.
        caller.filter(|caller| caller.stack_pointer() > frame.stack_pointer())
    }

    /// The local variable or parameter of this very frame at an address, and the part of it that `size` bytes there are.
    pub fn local(&self, frame: &Frame, address: u64, size: u64, read: &mut ReadWord<'_>) -> Option<Local> {
        self.image_at(frame.lookup())?.local(frame, address, size, read)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn images_can_be_moved_to_a_worker() {
        fn moves<T: Send>() {}
        moves::<super::Images>();
    }
}
