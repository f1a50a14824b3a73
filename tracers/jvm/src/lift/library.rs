//! Objects of libraries that are not instrumented: if several threads call their methods, threads speak with each other
//! through something that the trace does not have. That is counted, so that nobody calls such a program safe.

use rustc_hash::FxHashMap;

use super::Lifter;
use crate::stream::{Content, Definitions, ObjectRef};

/// Which thread has called methods of an object; `None` once several have.
pub(super) type Callers = FxHashMap<ObjectRef, Option<usize>>;

/// What never changes, or is followed in another way. A name that ends with a dot is a package, one that ends with a
/// dollar sign a class and those inside it.
const HARMLESS: [&str; 16] = [
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
];

impl Lifter {
    /// Looks at what the thread has given to code that is not instrumented.
    pub(super) fn doubt_library(&mut self, definitions: &Definitions, t: usize) {
        for object in std::mem::take(&mut self.threads[t].given_away) {
            let Some(class) = library_class(definitions, object) else { continue };
            let caller = self.callers.entry(object).or_insert(Some(t));
            if caller.is_some_and(|caller| caller != t) {
                *caller = None;
                self.approximate(&format!("objects of {class} that threads share"));
            }
        }
    }
}

/// The class of an object that keeps something to itself.
fn library_class(definitions: &Definitions, object: ObjectRef) -> Option<&str> {
    let object = definitions.object(object)?;
    let class = object.class.as_str();
    let is_plain = matches!(object.content, Content::Plain | Content::Array { .. });
    // A lambda has nothing but what it captured.
    let is_lambda = class.contains("$$Lambda");
    let is_thrown = class.ends_with("Exception") || class.ends_with("Error");
    let is_followed = definitions.class(&class.replace('.', "/")).is_some();
    let is_harmless = HARMLESS
        .iter()
        .any(|harmless| class == *harmless || harmless.ends_with(['.', '$']) && class.starts_with(harmless));
    (is_plain && !is_lambda && !is_thrown && !is_followed && !is_harmless).then_some(class)
}
