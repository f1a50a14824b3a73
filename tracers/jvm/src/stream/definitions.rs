//! What records refer to by number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::record::ObjectRef;
use crate::classfile::{ClassFile, Code, JavaType, Method, MethodDescriptor, parse_field_type};
use crate::interpret::opcode;

/// A class of the stream, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClassIx(pub u32);

/// A method of the stream, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MethodIx(pub u32);

/// A method that threads enter.
#[derive(Clone, Debug)]
pub struct MethodDef {
    /// Its class.
    pub class: ClassIx,
    /// Which of the class's methods.
    pub index: usize,
    file: Rc<ClassFile>,
}

impl MethodDef {
    /// The class that it is of.
    pub fn file(&self) -> &Rc<ClassFile> {
        &self.file
    }

    /// The method itself.
    pub fn method(&self) -> &Method {
        &self.file.methods[self.index]
    }

    /// Its code; native and abstract methods have none.
    pub fn code(&self) -> Option<&Code> {
        self.method().code.as_ref()
    }

    /// `pkg.Class.method`.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.file.dotted_name(), self.method().name)
    }
}

/// What is known of an object besides its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing.
    Plain,
    /// An array of this length.
    Array(u64),
    /// A string with this text.
    Text(String),
    /// The class of this name.
    Class(String),
    /// A boxed value: its number, or the bits of a float or double.
    Box(i64),
}

/// An object of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDef {
    /// Its class, as people write it: `pkg.Class`, `int[]`.
    pub class: String,
    /// What else is known of it.
    pub content: Content,
    /// The number of the thread that made it.
    pub creator: u32,
    /// Which of that thread's, from 0.
    pub nth: u64,
}

/// A thread of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadDef {
    /// The number of the thread that started it; 0 for the first one.
    pub parent: u32,
    /// Which of the parent's, from 0.
    pub nth: u64,
    /// The name that the program gave it.
    pub name: String,
    /// The class whose `run` it executes.
    pub start: String,
}

/// Everything that has been defined so far.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    pub(super) strings: Vec<String>,
    pub(super) classes: Vec<Rc<ClassFile>>,
    pub(super) class_by_name: FxHashMap<String, ClassIx>,
    pub(super) methods: Vec<MethodDef>,
    pub(super) objects: Vec<ObjectDef>,
    pub(super) threads: Vec<ThreadDef>,
}

impl Definitions {
    /// The string of a number; 0 is empty.
    pub(super) fn string(&self, number: u64) -> Option<&str> {
        match number {
            0 => Some(""),
            _ => self.strings.get(usize::try_from(number - 1).ok()?).map(String::as_str),
        }
    }

    pub(super) fn add_class(&mut self, file: ClassFile) {
        let ix = ClassIx(self.classes.len() as u32);
        self.class_by_name.entry(file.name.clone()).or_insert(ix);
        self.classes.push(Rc::new(file));
    }

    /// Adds the method of a class (by its number); whether there is one.
    pub(super) fn add_method(&mut self, class: u64, name: &str, descriptor: &str) -> bool {
        let Some(at) = usize::try_from(class).ok().and_then(|class| class.checked_sub(1)) else {
            return false;
        };
        let Some(file) = self.classes.get(at).cloned() else { return false };
        let Some(index) = file.method(name, descriptor) else { return false };
        self.methods.push(MethodDef { class: ClassIx(at as u32), index, file });
        true
    }

    /// A class by its name with slashes, if it is instrumented and was loaded.
    pub fn class(&self, name: &str) -> Option<&Rc<ClassFile>> {
        self.class_by_name.get(name).map(|ix| &self.classes[ix.0 as usize])
    }

    /// A method that a record named.
    pub fn method(&self, ix: MethodIx) -> &MethodDef {
        &self.methods[ix.0 as usize]
    }

    /// An object; `None` for null.
    pub fn object(&self, object: ObjectRef) -> Option<&ObjectDef> {
        self.objects.get((object.0 as usize).checked_sub(1)?)
    }

    /// All objects.
    pub fn objects(&self) -> &[ObjectDef] {
        &self.objects
    }

    /// A thread by its number.
    pub fn thread(&self, number: u32) -> Option<&ThreadDef> {
        self.threads.get((number as usize).checked_sub(1)?)
    }

    /// All threads; the first has number 1.
    pub fn threads(&self) -> &[ThreadDef] {
        &self.threads
    }

    /// The type of the value that an instruction gets, puts or is given back.
    pub(super) fn type_at(&self, method: MethodIx, pc: u32) -> Option<JavaType> {
        let def = self.method(method);
        let code = &def.code()?.bytes;
        let at = pc as usize;
        let op = *code.get(at)?;
        let constants = &def.file.constants;
        let member = || {
            let index = u16::from_be_bytes([*code.get(at + 1)?, *code.get(at + 2)?]);
            constants.member(index).ok()
        };
        match op {
            opcode::GETSTATIC..=opcode::PUTFIELD => parse_field_type(member()?.descriptor).ok(),
            opcode::INVOKEVIRTUAL..=opcode::INVOKEDYNAMIC => {
                Some(MethodDescriptor::parse(member()?.descriptor).ok()?.result)
            }
            _ => opcode::element_type(op),
        }
    }

    /// The type of the elements of an array, by its class.
    pub(super) fn element_type(&self, array: ObjectRef) -> Option<JavaType> {
        let element = self.object(array)?.class.strip_suffix("[]")?;
        Some(match element {
            "boolean" => JavaType::Boolean,
            "byte" => JavaType::Byte,
            "char" => JavaType::Char,
            "short" => JavaType::Short,
            "int" => JavaType::Int,
            "long" => JavaType::Long,
            "float" => JavaType::Float,
            "double" => JavaType::Double,
            _ => JavaType::Reference,
        })
    }
}
