//! Colours for terminals, put on finished text: what it says and how it is laid out does not depend on them.

/// Words that a line of a report begins with, and how they are shown.
const VERDICTS: [(&[&str], Style); 3] = [
    (&["BUG", "OBSERVED", "REPRODUCED", "EXPLAINED", "EVERY-SCHEDULE", "INPUT-DEPENDENT"], Style::Bad),
    (&["SAFE", "PASSED", "NONE"], Style::Good),
    (&["UNKNOWN", "PREDICTED", "DIVERGED", "SKIPPED"], Style::Unsure),
];

/// How something is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Bad,
    Good,
    Unsure,
    Place,
    Arrow,
}

impl Style {
    /// The attributes of a terminal.
    fn code(self) -> &'static str {
        match self {
            Style::Bad => "1;31",
            Style::Good => "1;32",
            Style::Unsure => "1;33",
            Style::Place => "36",
            Style::Arrow => "35",
        }
    }

    fn put(self, text: &str, out: &mut String) {
        out.push_str("\u{1b}[");
        out.push_str(self.code());
        out.push('m');
        out.push_str(text);
        out.push_str("\u{1b}[0m");
    }
}

/// A report with its verdicts, places and arrows in colour.
pub(crate) fn painted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    for line in text.split_inclusive('\n') {
        let (word, rest) = line.split_at(line.find([' ', ':', '\n']).unwrap_or(line.len()));
        let rest = match VERDICTS.iter().find(|(words, _)| words.contains(&word)) {
            Some((_, style)) => {
                style.put(word, &mut out);
                rest
            }
            None => line,
        };
        match rest.strip_prefix("  --> ") {
            Some(place) => {
                out.push_str("  ");
                Style::Arrow.put("-->", &mut out);
                out.push(' ');
                let end = place.find([' ', '\n']).unwrap_or(place.len());
                Style::Place.put(&place[..end], &mut out);
                out.push_str(&place[end..]);
            }
            None => within(rest, &mut out),
        }
    }
    out
}

/// `@m.c:38` and the arrows of lanes.
fn within(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(at) = rest.find(|c: char| is_arrow(c) || c == '@') {
        out.push_str(&rest[..at]);
        let found = &rest[at..];
        let (end, style) = match found.starts_with('@') {
            true => (found.find(char::is_whitespace).unwrap_or(found.len()), Style::Place),
            false => (found.find(|c| !is_arrow(c)).unwrap_or(found.len()), Style::Arrow),
        };
        style.put(&found[..end], out);
        rest = &found[end..];
    }
    out.push_str(rest);
}

fn is_arrow(c: char) -> bool {
    matches!(c, '─' | '┐' | '┘' | '│' | '◄')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        let mut parts = text.split('\u{1b}');
        let first = parts.next().unwrap_or_default().to_owned();
        first + &parts.map(|part| part.split_once('m').map_or("", |(_, rest)| rest)).collect::<String>()
    }

    #[test]
    fn verdicts_places_and_arrows_have_colours_and_nothing_is_lost() {
        let text = "BUG assertion: y != 2\n  --> m.c:38:9 T0.1\n\n  w y 2 @m.c:50  ──┐\n  r y 2 @m.c:38  ◄─┘\nSAFE: all\n";
        let painted = painted(text);
        assert_eq!(plain(&painted), text);
        for what in [
            "\u{1b}[1;31mBUG\u{1b}[0m ",
            "\u{1b}[36mm.c:38:9\u{1b}[0m T0.1",
            "\u{1b}[36m@m.c:50\u{1b}[0m  ",
            "\u{1b}[35m◄─┘\u{1b}[0m\n",
            "\u{1b}[1;32mSAFE\u{1b}[0m:",
        ] {
            assert!(painted.contains(what), "no {what:?} in {painted:?}");
        }
    }

    #[test]
    fn words_that_only_begin_like_a_verdict_are_left_alone() {
        for text in ["BUGS are here\n", "a BUG\n", "", "\n", "no end"] {
            assert_eq!(painted(text), text);
        }
    }
}
