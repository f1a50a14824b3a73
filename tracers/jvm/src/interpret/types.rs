//! Casts and tests of types: what the stream knows of a class decides them; what it does not, what comes next.

use warpath_trace::event::Concretised;

use super::advance::CodeBytes;
use super::frame::{Astray, Frame, State};
use super::thread::{Done, Interpreter, Trouble};
use super::value::{Known, Reference, Slot};
use crate::stream::Definitions;

impl Interpreter<'_> {
    /// Executes `checkcast` and `instanceof`.
    pub(super) fn type_test(&mut self, frame: &mut Frame, code: &CodeBytes<'_>, op: u8) -> Done<()> {
        let slot = frame.peek(0)?;
        let Known::Reference(reference) = slot.known else { return Err(Trouble::Astray) };
        let reference = self.resolve(reference);
        let site = frame.site();
        if slot.expr.is_some() {
            self.concretise(site, &slot, Concretised::Other);
        }
        code.u16(frame.pc + 1)?;
        let wanted = self.wanted_type(frame).ok_or(Astray)?;
        let fits = match reference {
            Reference::NULL => Some(op == 0xc0),
            Reference::Object(object) => {
                self.definitions.object(object).and_then(|object| self.is_subtype(&object.class, wanted))
            }
            Reference::Fresh(_) => None,
        };
        match (op, fits) {
            (0xc0, Some(true)) => frame.pc += 3,
            (0xc0, Some(false)) => frame.state = State::Throwing,
            (_, Some(fits)) => self.tested(frame, fits)?,
            (_, None) => frame.state = State::Doubtful,
        }
        Ok(())
    }

    /// The dotted name of the class that the instruction names.
    pub(super) fn wanted_type(&self, frame: &Frame) -> Option<String> {
        let definition = self.definitions.method(frame.method);
        let code = CodeBytes(&definition.code()?.bytes);
        let class = definition.file().constants.class(code.u16(frame.pc + 1).ok()?).ok()?;
        Some(class.replace('/', "."))
    }

    fn is_subtype(&self, class: &str, wanted: String) -> Option<bool> {
        is_a(self.definitions, class, &wanted)
            .or_else(|| self.thread.subtypes.get(&(class.to_owned(), wanted)).copied())
    }

    /// The test of a type gave this.
    pub(super) fn tested(&mut self, frame: &mut Frame, fits: bool) -> Done<()> {
        frame.pop()?;
        frame.push(Slot::int(fits.into()));
        frame.pc += 3;
        Ok(())
    }
}

/// Is one class a subtype of another, by dotted names? `None` if the classes known do not tell.
fn is_a(definitions: &Definitions, class: &str, wanted: &str) -> Option<bool> {
    if class == wanted || wanted == "java.lang.Object" || descriptor_name(wanted) == class {
        return Some(true);
    }
    if class.ends_with("[]") {
        let element = class.strip_suffix("[]")?;
        return match wanted.strip_prefix('[') {
            Some(inner) => {
                let inner = descriptor_name(inner);
                if primitive(element) || primitive(&inner) {
                    return Some(element == inner);
                }
                is_a(definitions, element, &inner)
            }
            None => Some(matches!(wanted, "java.lang.Cloneable" | "java.io.Serializable")),
        };
    }
    if wanted.starts_with('[') {
        return Some(false);
    }
    // Boxes and strings have few supertypes, and everybody asks for them.
    if let Some(supers) = well_known(class) {
        return Some(supers.contains(&wanted));
    }
    let mut complete = true;
    let mut pending = vec![class.replace('.', "/")];
    let wanted = wanted.replace('.', "/");
    let mut seen = Vec::new();
    while let Some(name) = pending.pop() {
        if name == wanted {
            return Some(true);
        }
        if seen.contains(&name) {
            continue;
        }
        match definitions.class(&name) {
            Some(file) => {
                pending.extend(file.interfaces.iter().cloned());
                pending.extend((!file.superclass.is_empty()).then(|| file.superclass.clone()));
            }
            None => complete &= name == "java/lang/Object",
        }
        seen.push(name);
    }
    complete.then_some(false)
}

fn primitive(name: &str) -> bool {
    matches!(name, "boolean" | "byte" | "char" | "short" | "int" | "long" | "float" | "double")
}

/// `[[I` as `int[][]`, `Lpkg.A;` as `pkg.A`; a plain name is itself.
fn descriptor_name(text: &str) -> String {
    let element = text.trim_start_matches('[');
    let depth = text.len() - element.len();
    let name = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => element.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(element),
    };
    name.to_owned() + &"[]".repeat(depth)
}

fn well_known(class: &str) -> Option<&'static [&'static str]> {
    const NUMBER: &[&str] = &[
        "java.lang.Number",
        "java.lang.Comparable",
        "java.io.Serializable",
        "java.lang.constant.Constable",
        "java.lang.constant.ConstantDesc",
    ];
    const OTHER: &[&str] = &["java.lang.Comparable", "java.io.Serializable", "java.lang.constant.Constable"];
    const TEXT: &[&str] = &[
        "java.lang.Comparable",
        "java.io.Serializable",
        "java.lang.CharSequence",
        "java.lang.constant.Constable",
        "java.lang.constant.ConstantDesc",
    ];
    Some(match class {
        "java.lang.Integer" | "java.lang.Long" | "java.lang.Short" | "java.lang.Byte" | "java.lang.Float"
        | "java.lang.Double" => NUMBER,
        "java.lang.Boolean" | "java.lang.Character" => OTHER,
        "java.lang.String" => TEXT,
        _ => return None,
    })
}
