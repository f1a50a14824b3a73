//! The constant pool.

use super::bytes::Bytes;
use super::error::ClassError;

/// A constant, as the file has it: others are referred to by their number.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// The second half of a long or double, and number 0.
    Nothing,
    /// Text.
    Utf8(String),
    /// An `int`.
    Integer(i32),
    /// A `float`, by its bits.
    Float(u32),
    /// A `long`.
    Long(i64),
    /// A `double`, by its bits.
    Double(u64),
    /// A class by its internal name.
    Class(u16),
    /// A string by its text.
    String(u16),
    /// A field or method: class, and name with type.
    Member(u16, u16),
    /// Name and descriptor.
    NameAndType(u16, u16),
    /// A call site or a constant that is computed: its bootstrap method, and name with type.
    Dynamic(u16, u16),
    /// A method handle: the member that it leads to.
    Handle(u16),
    /// A method type, a module or a package: nothing of it is needed.
    Other,
}

/// All constants of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstantPool(Vec<Constant>);

/// A field or method as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// The class, with slashes; empty for a call site that is computed.
    pub class: &'a str,
    /// The name.
    pub name: &'a str,
    /// The descriptor.
    pub descriptor: &'a str,
}

impl ConstantPool {
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<ConstantPool, ClassError> {
        let count = bytes.u16()?;
        let mut pool = vec![Constant::Nothing];
        while pool.len() < usize::from(count) {
            let index = pool.len() as u16;
            let constant = read_constant(bytes, index)?;
            let wide = matches!(constant, Constant::Long(_) | Constant::Double(_));
            pool.push(constant);
            if wide {
                pool.push(Constant::Nothing);
            }
        }
        Ok(ConstantPool(pool))
    }

    /// The constant of this number.
    pub fn get(&self, index: u16) -> Option<&Constant> {
        self.0.get(usize::from(index))
    }

    /// Text.
    pub fn text(&self, index: u16) -> Result<&str, ClassError> {
        match self.get(index) {
            Some(Constant::Utf8(text)) => Ok(text),
            _ => Err(ClassError::Constant { index, wanted: "text" }),
        }
    }

    /// The internal name of a class.
    pub fn class(&self, index: u16) -> Result<&str, ClassError> {
        match self.get(index) {
            Some(&Constant::Class(name)) => self.text(name),
            _ => Err(ClassError::Constant { index, wanted: "a class" }),
        }
    }

    /// What a method handle leads to.
    pub fn handle(&self, index: u16) -> Result<Member<'_>, ClassError> {
        match self.get(index) {
            Some(&Constant::Handle(member)) => self.member(member),
            _ => Err(ClassError::Constant { index, wanted: "a method handle" }),
        }
    }

    /// A field, a method, or a call site that is computed.
    pub fn member(&self, index: u16) -> Result<Member<'_>, ClassError> {
        let (class, described) = match self.get(index) {
            Some(&Constant::Member(class, described)) => (self.class(class)?, described),
            Some(&Constant::Dynamic(_, described)) => ("", described),
            _ => return Err(ClassError::Constant { index, wanted: "a field or method" }),
        };
        match self.get(described) {
            Some(&Constant::NameAndType(name, descriptor)) => {
                Ok(Member { class, name: self.text(name)?, descriptor: self.text(descriptor)? })
            }
            _ => Err(ClassError::Constant { index: described, wanted: "a name with its type" }),
        }
    }
}

fn read_constant(bytes: &mut Bytes<'_>, index: u16) -> Result<Constant, ClassError> {
    let tag = bytes.u8()?;
    Ok(match tag {
        1 => {
            let length = bytes.u16()?;
            Constant::Utf8(modified_utf8(bytes.take(usize::from(length))?))
        }
        3 => Constant::Integer(bytes.u32()? as i32),
        4 => Constant::Float(bytes.u32()?),
        5 => Constant::Long(bytes.u64()? as i64),
        6 => Constant::Double(bytes.u64()?),
        7 => Constant::Class(bytes.u16()?),
        8 => Constant::String(bytes.u16()?),
        9..=11 => Constant::Member(bytes.u16()?, bytes.u16()?),
        12 => Constant::NameAndType(bytes.u16()?, bytes.u16()?),
        15 => {
            bytes.u8()?;
            Constant::Handle(bytes.u16()?)
        }
        16 | 19 | 20 => {
            bytes.take(2)?;
            Constant::Other
        }
        17 | 18 => Constant::Dynamic(bytes.u16()?, bytes.u16()?),
        _ => return Err(ClassError::ConstantTag { index, tag }),
    })
}

/// Java's own UTF-8: characters are UTF-16 units of up to three bytes each. What is neither is replaced.
fn modified_utf8(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return text.to_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().map(|&byte| u16::from(byte));
    let mut next = move || rest.next();
    while let Some(first) = next() {
        let mut low = || next().map_or(0, |byte| byte & 0x3f);
        units.push(match first {
            0..=0x7f => first,
            0xc0..=0xdf => (first & 0x1f) << 6 | low(),
            0xe0..=0xef => (first & 0x0f) << 12 | low() << 6 | low(),
            _ => 0xfffd,
        });
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_writes_zero_and_large_characters_in_its_own_way() {
        assert_eq!(modified_utf8(b"plain"), "plain");
        assert_eq!(modified_utf8(&[b'a', 0xc0, 0x80, b'b']), "a\0b");
        // U+1F600 as two surrogates of three bytes each.
        assert_eq!(modified_utf8(&[0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]), "\u{1f600}");
        assert_eq!(modified_utf8(&[0xff, b'x', 0xe0]), "\u{fffd}x\0");
    }
}
