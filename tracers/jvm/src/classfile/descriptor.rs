//! Types, as descriptors write them.

use super::error::ClassError;

/// A type of a field, an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JavaType {
    /// `boolean`.
    Boolean,
    /// `byte`.
    Byte,
    /// `char`.
    Char,
    /// `short`.
    Short,
    /// `int`.
    Int,
    /// `long`.
    Long,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// Any class or array.
    Reference,
    /// No value at all: of results only.
    Void,
}

impl JavaType {
    /// Bytes that a location of this type has.
    pub fn size(self) -> u32 {
        match self {
            JavaType::Boolean | JavaType::Byte => 1,
            JavaType::Char | JavaType::Short => 2,
            JavaType::Int | JavaType::Float => 4,
            JavaType::Long | JavaType::Double | JavaType::Reference => 8,
            JavaType::Void => 0,
        }
    }

    /// Does a value take two places among local variables?
    pub fn is_wide(self) -> bool {
        matches!(self, JavaType::Long | JavaType::Double)
    }

    fn of(letter: u8) -> Option<JavaType> {
        Some(match letter {
            b'Z' => JavaType::Boolean,
            b'B' => JavaType::Byte,
            b'C' => JavaType::Char,
            b'S' => JavaType::Short,
            b'I' => JavaType::Int,
            b'J' => JavaType::Long,
            b'F' => JavaType::Float,
            b'D' => JavaType::Double,
            b'L' | b'[' => JavaType::Reference,
            b'V' => JavaType::Void,
            _ => return None,
        })
    }
}

/// What a method takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodDescriptor {
    /// Its arguments, without the receiver.
    pub arguments: Vec<JavaType>,
    /// Its result.
    pub result: JavaType,
}

impl MethodDescriptor {
    /// Reads `(IJ)V`.
    pub fn parse(text: &str) -> Result<MethodDescriptor, ClassError> {
        let wrong = || ClassError::Descriptor(text.to_owned());
        let mut rest = text.strip_prefix('(').ok_or_else(wrong)?;
        let mut arguments = Vec::new();
        loop {
            if let Some(result) = rest.strip_prefix(')') {
                let (result, end) = one(result).ok_or_else(wrong)?;
                return if end.is_empty() {
                    Ok(MethodDescriptor { arguments, result })
                } else {
                    Err(wrong())
                };
            }
            let (argument, after) =
                one(rest).filter(|(kind, _)| *kind != JavaType::Void).ok_or_else(wrong)?;
            arguments.push(argument);
            rest = after;
        }
    }
}

/// The type that a field's descriptor names.
pub fn parse_field_type(text: &str) -> Result<JavaType, ClassError> {
    match one(text) {
        Some((kind, "")) if kind != JavaType::Void => Ok(kind),
        _ => Err(ClassError::Descriptor(text.to_owned())),
    }
}

/// The first type of a row of them, and the rest.
fn one(text: &str) -> Option<(JavaType, &str)> {
    let kind = JavaType::of(*text.as_bytes().first()?)?;
    let element = text.trim_start_matches('[');
    let is_array = element.len() < text.len();
    let rest = match element.as_bytes().first()? {
        b'L' => &element[element.find(';')? + 1..],
        b'V' if is_array => return None,
        letter => {
            JavaType::of(*letter)?;
            &element[1..]
        }
    };
    Some((kind, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_read() {
        let read = MethodDescriptor::parse("(I[[JLjava/lang/String;[Lx;ZD)V").unwrap();
        use JavaType::*;
        assert_eq!(read.arguments, [Int, Reference, Reference, Reference, Boolean, Double]);
        assert_eq!(read.result, Void);
        assert_eq!(parse_field_type("[I"), Ok(Reference));
        for wrong in ["", "I", "(", "(V)V", "(I)", "()VV", "(Lx)V", "([V)V", "(é)V"] {
            assert!(MethodDescriptor::parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "V", "II", "[", "L", "é"] {
            assert!(parse_field_type(wrong).is_err(), "{wrong}");
        }
    }
}
