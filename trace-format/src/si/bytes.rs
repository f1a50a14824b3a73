//! Text that need not be UTF-8, such as a program's arguments.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes that are text where they can be: in the file a string, else `{ hex = "ff00" }`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(text.as_bytes().to_vec())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Form {
    Text(String),
    Bytes { hex: String },
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Form::Text(text.to_owned()),
            Err(_) => Form::Bytes { hex: to_hex(&self.0) },
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(Text(text.into_bytes())),
            Form::Bytes { hex } => from_hex(&hex).map(Text).map_err(D::Error::custom),
        }
    }
}

pub(super) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes from pairs of hexadecimal digits; blanks between pairs are allowed.
pub(super) fn from_hex(text: &str) -> Result<Vec<u8>, String> {
    let wrong = || format!("`{text}` is not a row of bytes in hexadecimal; write them like `03 00 ff`");
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.bytes().all(|b| b.is_ascii_hexdigit()));
        pair.filter(|pair| pair.len() == 2).and_then(|pair| u8::from_str_radix(pair, 16).ok())
    };
    digits.chunks(2).map(|pair| byte(pair).ok_or_else(wrong)).collect()
}
