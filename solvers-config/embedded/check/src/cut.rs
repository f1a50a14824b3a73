//! Scripts that end in the middle of a command.
//!
//! A solver that writes down what it reads may be stopped at any byte. What it had answered by then was read whole, so
//! the rest can be left out: it stands behind every check that a proof can speak of.

use warpath_solvers::smtlib::sexpr::{Malformed, TokenKind, Tokens};

/// The script without a last command that has no end. A text with other faults is left as it is, for its reader to name
/// them.
pub(crate) fn whole_commands(script: &str) -> &str {
    let mut depth = 0_usize;
    // Behind the last command that has an end.
    let mut end = 0;
    for token in Tokens::new(script.as_bytes()) {
        match token {
            Ok(token) => match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        end = token.end;
                    }
                }
                _ => {}
            },
            Err(reason) if depth > 0 && is_at_the_end(script, reason) => return &script[..end],
            Err(_) => return script,
        }
    }
    if depth > 0 { &script[..end] } else { script }
}

/// Whether more text could have made it right.
fn is_at_the_end(script: &str, reason: Malformed) -> bool {
    match reason {
        Malformed::Unfinished { .. } => true,
        Malformed::BadWord { offset } => {
            let word = &script.as_bytes()[offset as usize..];
            !word.iter().any(|byte| byte.is_ascii_whitespace() || b"()\";|".contains(byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_may_be_cut_off_anywhere() {
        let first = "(declare-const |a b| Bool)\n; a (comment\n(assert (= #x0f #xf0))";
        let script =
            format!("{first} (assert (! (= |a b| (bvult #x1 #b0)) :named |c d|)) (echo \"a) \"\"b\")");
        let second = script.find(" (echo").expect("it is there");
        for cut in first.len()..=script.len() {
            let expected = if cut == script.len() {
                cut
            } else if cut < second {
                first.len()
            } else {
                second
            };
            // Spaces behind the last command say nothing.
            assert_eq!(whole_commands(&script[..cut]).trim_end(), &script[..expected], "cut at {cut}");
        }
    }

    #[test]
    fn other_faults_stay() {
        for script in ["(check-sat) 12ab", "(assert #xyz) (check-sat)", "(check-sat))", "(a \u{1}", "", "x"] {
            assert_eq!(whole_commands(script), script);
        }
    }
}
