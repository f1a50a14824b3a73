//! The tree of one s-expression, for reading answers.

use super::{Construct, Malformed, SexprLimits, TokenKind, Tokens};
use crate::smtlib::symbol;

/// One s-expression. Symbols and strings carry their content: bars, quotes and escapes removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sexpr {
    /// A symbol, simple or quoted (SMT-LIB takes `|a|` and `a` for the same symbol).
    Symbol(String),
    /// A keyword without its colon.
    Keyword(String),
    /// A numeral, decimal, hexadecimal or binary literal, as written.
    Literal(String),
    /// A string literal.
    Text(String),
    /// A list.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads the one expression that `text` holds.
    pub fn parse(text: &[u8], limits: SexprLimits) -> Result<Sexpr, Malformed> {
        let mut all = Self::parse_all(text, limits)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            _ => Err(Malformed::NotOne { offset: text.len() as u64 }),
        }
    }

    /// Reads all top-level expressions of `text`. Bytes that are not UTF-8 (possible only inside
    /// strings, quoted symbols and comments) become replacement characters.
    pub fn parse_all(text: &[u8], limits: SexprLimits) -> Result<Vec<Sexpr>, Malformed> {
        let max_depth = limits.max_depth.min(SexprLimits::TREE_DEPTH);
        let mut open: Vec<Vec<Sexpr>> = Vec::new();
        let mut done = Vec::new();
        let mut begin = 0;
        for token in Tokens::new(text) {
            let token = token?;
            let offset = token.start as u64;
            if open.is_empty() {
                begin = token.start;
            }
            if token.end - begin > limits.max_bytes && token.kind != TokenKind::Comment {
                return Err(Malformed::TooLong { limit: limits.max_bytes, offset });
            }
            let word = || String::from_utf8_lossy(&text[token.start..token.end]).into_owned();
            let inner = || String::from_utf8_lossy(&text[token.start + 1..token.end - 1]).into_owned();
            let node = match token.kind {
                TokenKind::Comment => continue,
                TokenKind::Open => {
                    if open.len() >= max_depth {
                        return Err(Malformed::TooDeep { limit: max_depth, offset });
                    }
                    open.push(Vec::new());
                    continue;
                }
                TokenKind::Close => match open.pop() {
                    Some(items) => Sexpr::List(items),
                    None => return Err(Malformed::UnexpectedClose { offset }),
                },
                TokenKind::String => Sexpr::Text(inner().replace("\"\"", "\"")),
                TokenKind::Quoted => Sexpr::Symbol(inner()),
                TokenKind::Symbol => Sexpr::Symbol(word()),
                TokenKind::Keyword => Sexpr::Keyword(word().split_off(1)),
                TokenKind::Numeral | TokenKind::Decimal | TokenKind::Hexadecimal | TokenKind::Binary => {
                    Sexpr::Literal(word())
                }
            };
            open.last_mut().unwrap_or(&mut done).push(node);
        }
        if !open.is_empty() {
            return Err(Malformed::Unfinished { inside: Construct::List, offset: text.len() as u64 });
        }
        Ok(done)
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(items) => Some(items),
            _ => None,
        }
    }

    /// The content, if this is a symbol.
    pub fn as_symbol(&self) -> Option<&str> {
        match self {
            Sexpr::Symbol(name) => Some(name),
            _ => None,
        }
    }
}

impl std::fmt::Display for Sexpr {
    /// Writes the expression as SMT-LIB. Depth is bounded by [`SexprLimits::TREE_DEPTH`], yet this
    /// too walks an explicit stack: answers are printed on threads with small stacks.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        enum Item<'a> {
            Node(&'a Sexpr),
            Space,
            Close,
        }
        let mut stack = vec![Item::Node(self)];
        while let Some(item) = stack.pop() {
            match item {
                Item::Space => f.write_str(" ")?,
                Item::Close => f.write_str(")")?,
                Item::Node(Sexpr::Symbol(name)) => symbol::write_content(f, name)?,
                Item::Node(Sexpr::Keyword(name)) => write!(f, ":{name}")?,
                Item::Node(Sexpr::Literal(text)) => f.write_str(text)?,
                Item::Node(Sexpr::Text(text)) => write!(f, "\"{}\"", text.replace('"', "\"\""))?,
                Item::Node(Sexpr::List(items)) => {
                    f.write_str("(")?;
                    stack.push(Item::Close);
                    for (index, item) in items.iter().enumerate().rev() {
                        stack.push(Item::Node(item));
                        if index > 0 {
                            stack.push(Item::Space);
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_and_written() {
        let text = "(error \"line 1: \"\"(\" |a b| (:k 12 #xff ()) x)";
        let tree = Sexpr::parse(text.as_bytes(), SexprLimits::default()).unwrap();
        assert_eq!(tree.to_string(), text);
        assert_eq!(tree.as_list().unwrap()[1], Sexpr::Text("line 1: \"(".into()));
    }

    #[test]
    fn depth_is_bounded_whatever_the_limits_say() {
        let limits = SexprLimits { max_bytes: usize::MAX, max_depth: usize::MAX };
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(
            Sexpr::parse(deep.as_bytes(), limits),
            Err(Malformed::TooDeep {
                limit: SexprLimits::TREE_DEPTH,
                offset: SexprLimits::TREE_DEPTH as u64
            })
        );
        let fine = "(".repeat(4096) + &")".repeat(4096);
        assert_eq!(Sexpr::parse(fine.as_bytes(), limits).unwrap().to_string(), fine);
    }

    #[test]
    fn one_means_one() {
        let one = |text: &str| Sexpr::parse(text.as_bytes(), SexprLimits::default());
        assert!(matches!(one(""), Err(Malformed::NotOne { .. })));
        assert!(matches!(one("a b"), Err(Malformed::NotOne { .. })));
        assert!(matches!(one("(a"), Err(Malformed::Unfinished { .. })));
    }
}
