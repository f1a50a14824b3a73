//! A class file as a whole.

use super::access;
use super::attributes::Code;
use super::bytes::Bytes;
use super::constants::ConstantPool;
use super::descriptor::{JavaType, MethodDescriptor, parse_field_type};
use super::error::ClassError;

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassFile {
    /// Its name, with slashes.
    pub name: String,
    /// Its superclass; empty for `java/lang/Object`.
    pub superclass: String,
    /// The interfaces that it names.
    pub interfaces: Vec<String>,
    /// Its constants.
    pub constants: ConstantPool,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its methods.
    pub methods: Vec<Method>,
    /// How call sites are computed: for each a method handle and its arguments, by their numbers.
    pub bootstraps: Vec<(u16, Vec<u16>)>,
    /// The file that it was compiled from; empty if that is not known.
    pub source: String,
}

/// A field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: JavaType,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its access flags.
    pub access: u16,
    /// Its name.
    pub name: String,
    /// What it takes and gives, as the file writes it.
    pub descriptor: String,
    /// The same, read.
    pub signature: MethodDescriptor,
    /// Its code, if it has any.
    pub code: Option<Code>,
}

impl Method {
    /// Is it called without a receiver?
    pub fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }
}

impl ClassFile {
    /// Is it a class of the JDK?
    pub fn is_of_jdk(&self) -> bool {
        ["java/", "javax/", "jdk/", "sun/"].iter().any(|package| self.name.starts_with(package))
    }

    /// Reads a class file.
    pub fn parse(file: &[u8]) -> Result<ClassFile, ClassError> {
        let mut bytes = Bytes::new(file);
        let magic = bytes.u32()?;
        if magic != 0xcafe_babe {
            return Err(ClassError::Magic(magic));
        }
        bytes.u32()?;
        let constants = ConstantPool::read(&mut bytes)?;
        bytes.u16()?;
        let name = constants.class(bytes.u16()?)?.to_owned();
        let superclass = match bytes.u16()? {
            0 => String::new(),
            index => constants.class(index)?.to_owned(),
        };
        let mut interfaces = Vec::new();
        for _ in 0..bytes.u16()? {
            interfaces.push(constants.class(bytes.u16()?)?.to_owned());
        }
        let mut fields = Vec::new();
        for _ in 0..bytes.u16()? {
            fields.push(field(&mut bytes, &constants)?);
        }
        let mut methods = Vec::new();
        for _ in 0..bytes.u16()? {
            methods.push(method(&mut bytes, &constants)?);
        }
        let (mut source, mut bootstraps) = (String::new(), Vec::new());
        for _ in 0..bytes.u16()? {
            let name = bytes.u16()?;
            let content = bytes.block()?;
            if constants.text(name) == Ok("SourceFile") {
                source = constants.text(Bytes::new(content).u16()?)?.to_owned();
            }
            if constants.text(name) == Ok("BootstrapMethods") {
                let mut table = Bytes::new(content);
                for _ in 0..table.u16()? {
                    let handle = table.u16()?;
                    let mut arguments = Vec::new();
                    for _ in 0..table.u16()? {
                        arguments.push(table.u16()?);
                    }
                    bootstraps.push((handle, arguments));
                }
            }
        }
        Ok(ClassFile { name, superclass, interfaces, constants, fields, methods, bootstraps, source })
    }

    /// The name as people write it.
    pub fn dotted_name(&self) -> String {
        self.name.replace('/', ".")
    }

    /// The method of this name and descriptor.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.methods.iter().position(|method| method.name == name && method.descriptor == descriptor)
    }

    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

fn field(bytes: &mut Bytes<'_>, constants: &ConstantPool) -> Result<Field, ClassError> {
    let access = bytes.u16()?;
    let name = constants.text(bytes.u16()?)?.to_owned();
    let kind = parse_field_type(constants.text(bytes.u16()?)?)?;
    for _ in 0..bytes.u16()? {
        bytes.u16()?;
        bytes.block()?;
    }
    Ok(Field { access, name, kind })
}

fn method(bytes: &mut Bytes<'_>, constants: &ConstantPool) -> Result<Method, ClassError> {
    let access = bytes.u16()?;
    let name = constants.text(bytes.u16()?)?.to_owned();
    let descriptor = constants.text(bytes.u16()?)?.to_owned();
    let signature = MethodDescriptor::parse(&descriptor)?;
    let mut code = None;
    for _ in 0..bytes.u16()? {
        let attribute = bytes.u16()?;
        let content = bytes.block()?;
        if constants.text(attribute) == Ok("Code") {
            code = Some(Code::read(content, constants)?);
        }
    }
    Ok(Method { access, name, descriptor, signature, code })
}
