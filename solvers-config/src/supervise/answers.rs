//! The solver's side of the dialogue: an answer is handed to the client only when it is whole, has the shape of what
//! was asked, and holds nothing that the client's parser is known to stumble over.
//!
//! That parser (of `rsmt2`) counts characters where it should count bytes, so non-ASCII text makes it panic; it does
//! not know string literals, so a parenthesis inside one makes it wait for ever.

use super::commands::Awaited;
use super::failure::Failure;
use crate::smtlib::sexpr::{Token, TokenKind, Tokens};

/// Longest piece of a bad answer that is shown in a report.
const EXCERPT: usize = 400;

/// Turns a complete expression into the one line for the client, or into the failure it means.
pub(crate) fn accept(expression: &[u8], awaited: Awaited) -> Result<Vec<u8>, Failure> {
    let tokens: Vec<Token> = Tokens::new(expression)
        .collect::<Result<_, _>>()
        .map_err(|error| malformed(error.to_string(), expression))?;
    if let Some(message) = error_message(expression, &tokens) {
        return Err(Failure::SolverError { message });
    }
    if expression == b"unsupported" {
        return Err(Failure::SolverError { message: "unsupported".to_owned() });
    }
    if !has_shape(expression, &tokens, awaited) {
        let wanted = match awaited {
            Awaited::Verdict => "`sat`, `unsat` or `unknown`",
            Awaited::Pairs => "a list of pairs",
            Awaited::List => "a list",
            Awaited::Echo => "a word",
            Awaited::Any => "an expression",
        };
        return Err(malformed(format!("{wanted} was expected"), expression));
    }
    write_line(expression, &tokens)
}

/// A failure that shows the beginning of what the solver wrote.
pub(crate) fn malformed(reason: String, written: &[u8]) -> Failure {
    Failure::Malformed { reason, excerpt: excerpt(written) }
}

/// The message if the text, complete or not, begins like an error answer.
pub(crate) fn error_in_fragment(fragment: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&fragment[..fragment.len().min(4 * EXCERPT)]);
    let message = text.trim_start().strip_prefix('(')?.trim_start().strip_prefix("error")?;
    Some(message.trim().trim_matches('"').to_owned())
}

fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]).into_owned();
    if bytes.len() > EXCERPT { text + "…" } else { text }
}

fn error_message(expression: &[u8], tokens: &[Token]) -> Option<String> {
    let [open, word, rest @ .., _] = tokens else { return None };
    if open.kind != TokenKind::Open || &expression[word.start..word.end] != b"error" {
        return None;
    }
    let (first, last) = (rest.first()?, rest.last()?);
    let text = String::from_utf8_lossy(&expression[first.start..last.end]).into_owned();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text);
    Some(inner.replace("\"\"", "\"").trim().to_owned())
}

fn has_shape(expression: &[u8], tokens: &[Token], awaited: Awaited) -> bool {
    let is_list = tokens.first().is_some_and(|token| token.kind == TokenKind::Open);
    match awaited {
        Awaited::Verdict => matches!(expression, b"sat" | b"unsat" | b"unknown"),
        Awaited::List => is_list,
        Awaited::Echo => !is_list,
        Awaited::Any => true,
        Awaited::Pairs => is_list && holds_pairs(tokens),
    }
}

/// Every item of the list is itself a list of exactly two items.
fn holds_pairs(tokens: &[Token]) -> bool {
    let mut depth = 0usize;
    let mut items = 0;
    for token in tokens {
        match token.kind {
            TokenKind::Comment => continue,
            TokenKind::Close => {
                // More is closed than was opened: no list at all.
                let Some(outer) = depth.checked_sub(1) else { return false };
                depth = outer;
                if depth == 1 && items != 2 {
                    return false;
                }
                continue;
            }
            _ if depth == 1 && token.kind != TokenKind::Open => return false,
            _ => {}
        }
        match depth {
            1 => items = 0,
            2 => items += 1,
            _ => {}
        }
        if token.kind == TokenKind::Open {
            depth += 1;
        }
    }
    true
}

fn write_line(expression: &[u8], tokens: &[Token]) -> Result<Vec<u8>, Failure> {
    let mut line = Vec::with_capacity(expression.len() + 1);
    let mut previous: Option<TokenKind> = None;
    for token in tokens.iter().filter(|token| token.kind != TokenKind::Comment) {
        let text = &expression[token.start..token.end];
        let apart = previous.is_some_and(|kind| kind != TokenKind::Open) && token.kind != TokenKind::Close;
        if apart {
            line.push(b' ');
        }
        match token.kind {
            TokenKind::String => {
                line.push(b'"');
                line.extend(text[1..text.len() - 1].iter().map(|&byte| harmless(byte)));
                line.push(b'"');
            }
            TokenKind::Quoted if text.iter().any(|byte| !matches!(byte, b' '..=b'~')) => {
                return Err(malformed("a symbol holds characters that we never send".to_owned(), expression));
            }
            _ => line.extend_from_slice(text),
        }
        previous = Some(token.kind);
    }
    line.push(b'\n');
    Ok(line)
}

/// The nearest character that can stand inside a string without misleading the client's parser.
fn harmless(byte: u8) -> u8 {
    match byte {
        b'(' => b'[',
        b')' => b']',
        b'"' | b'|' => b'\'',
        b';' => b',',
        b'\\' => b'/',
        b' '..=b'~' => byte,
        b'\n' | b'\r' | b'\t' => b' ',
        _ => b'?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(text: &str, awaited: Awaited) -> String {
        String::from_utf8(accept(text.as_bytes(), awaited).unwrap()).unwrap()
    }

    #[test]
    fn answers_become_one_clean_line() {
        assert_eq!(line("((|a b|\n #x05) ; why\n (p\ttrue))", Awaited::Pairs), "((|a b| #x05) (p true))\n");
        assert_eq!(line("(:name \"Z(3 é\")", Awaited::Any), "(:name \"Z[3 ??\")\n");
        assert_eq!(line("((x (- 5)))", Awaited::Pairs), "((x (- 5)))\n");
        assert_eq!(line("()", Awaited::Pairs), "()\n");
        assert_eq!(line("((((_ f 3) x) 1))", Awaited::Pairs), "((((_ f 3) x) 1))\n");
    }

    #[test]
    fn shapes_are_checked() {
        for (text, awaited) in [
            ("satisfied", Awaited::Verdict),
            ("(sat)", Awaited::Verdict),
            ("sat", Awaited::Pairs),
            ("(x 1)", Awaited::Pairs),
            ("((x))", Awaited::Pairs),
            ("((x 1 2))", Awaited::Pairs),
            ("unsat", Awaited::List),
            ("(|é|)", Awaited::List),
        ] {
            let failure = accept(text.as_bytes(), awaited).unwrap_err();
            assert!(matches!(failure, Failure::Malformed { .. }), "{text}: {failure:?}");
        }
    }

    #[test]
    fn errors_keep_the_words_of_the_solver() {
        let failure =
            accept("(error \"line 3: (unbalanced \"\"é\"\"\")".as_bytes(), Awaited::Verdict).unwrap_err();
        assert_eq!(failure, Failure::SolverError { message: "line 3: (unbalanced \"é\"".to_owned() });
        assert_eq!(error_in_fragment(b" (error \"never ended ("), Some("never ended (".to_owned()));
        assert_eq!(error_in_fragment(b"(err"), None);
    }

    proptest! {
        #[test]
        fn whatever_is_accepted_is_one_balanced_ascii_line(text in "[ -~éü\n]{0,40}") {
            for awaited in [Awaited::Verdict, Awaited::Pairs, Awaited::List, Awaited::Echo, Awaited::Any] {
                if let Ok(line) = accept(format!("({text})").as_bytes(), awaited) {
                    prop_assert!(line.is_ascii());
                    prop_assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
                }
            }
        }
    }
}
