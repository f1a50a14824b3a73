//! Objects of libraries that are not instrumented: if several threads call their methods, threads speak with each other
//! through something that the trace does not have. That is counted, so that nobody calls such a program safe.

use rustc_hash::FxHashMap;

use super::Lifter;
use crate::stream::{Content, Definitions, ObjectDef, ObjectRef};

/// Which thread has called methods of an object; `None` once several have.
pub(super) type Callers = FxHashMap<ObjectRef, Option<usize>>;

/// What never changes, or is followed in another way. A name that ends with a dot is a package, one that ends with a
/// dollar sign a class and those inside it. Views of collections have nothing of their own.
const HARMLESS: [&str; 23] = [
    "java.lang.Object",
    "java.lang.Thread",
    "java.lang.ThreadGroup",
    "java.io.PrintStream",
    "java.lang.reflect.",
    "java.lang.invoke.",
    "java.util.Optional",
    "java.util.concurrent.atomic.",
    "java.util.concurrent.locks.ReentrantLock",
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$",
    "java.util.concurrent.locks.ReentrantReadWriteLock",
    "java.util.concurrent.locks.ReentrantReadWriteLock$",
    "java.util.concurrent.Semaphore",
    "java.util.concurrent.CountDownLatch",
    "java.util.concurrent.CyclicBarrier",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.ImmutableCollections$",
    "java.util.Collections$Empty",
    "java.util.Collections$Unmodifiable",
    "java.util.Collections$Singleton",
    "java.util.concurrent.TimeUnit",
    "java.security.AccessControlContext",
    "jdk.internal.misc.Unsafe",
];

impl Lifter {
    /// Looks at what the thread has given to code that is not instrumented.
    pub(super) fn doubt_library(&mut self, definitions: &Definitions, t: usize) {
        for object in std::mem::take(&mut self.threads[t].given_away) {
            let known = definitions.object(object);
            let Some(class) = known.and_then(|known| library_class(definitions, known)) else { continue };
            let caller = self.callers.entry(object).or_insert(Some(t));
            if caller.is_some_and(|caller| caller != t) {
                *caller = None;
                self.approximate(&format!("objects of {class} that threads share"));
            }
        }
    }

    /// Without path conditions calls are not looked at: collections and their like may be shared.
    pub(super) fn doubt_all(&mut self, definitions: &Definitions) {
        let mut of_library =
            definitions.objects().iter().filter_map(|object| library_class(definitions, object));
        if !self.symbolic
            && self.threads.len() > 1
            && let Some(class) = of_library.find(|class| class.starts_with("java.util."))
        {
            self.approximate(&format!("objects of {class} that threads may share"));
        }
    }
}

/// The class of an object that keeps something to itself.
fn library_class<'d>(definitions: &Definitions, object: &'d ObjectDef) -> Option<&'d str> {
    let class = object.class.as_str();
    let is_plain = matches!(object.content, Content::Plain | Content::Array { .. });
    // A lambda has nothing but what it captured.
    let is_lambda = class.contains("$$Lambda");
    let is_thrown = class.ends_with("Exception") || class.ends_with("Error");
    let is_followed = definitions.class(&class.replace('.', "/")).is_some();
    let is_harmless = HARMLESS
        .iter()
        .any(|harmless| class == *harmless || is_open(harmless) && class.starts_with(harmless));
    (is_plain && !is_lambda && !is_thrown && !is_followed && !is_harmless).then_some(class)
}

/// Does the name stand for all that begin with it?
fn is_open(name: &str) -> bool {
    name.ends_with(['.', '$']) || name.starts_with("java.util.Collections$")
}
