//! Orderings drawn: a lane per thread, time goes down, and beside them a track for each ordering from its first event
//! to its second.

use super::columns::{Row, lay_out};

/// An event in a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Drawn {
    /// Which lane.
    pub(crate) lane: usize,
    /// What it does, and where.
    pub(crate) text: String,
}

/// The lanes with these events, one below the other, and an arrow for each pair of them, drawn at the right.
pub(crate) fn draw(heads: &[String], events: &[Drawn], arrows: &[(usize, usize)]) -> String {
    let rows: Vec<Row> = events.iter().map(|event| Row::Step(event.lane, event.text.clone())).collect();
    let table = lay_out(heads, &rows);
    let width = table.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    let mut drawn = String::new();
    for (n, line) in table.lines().enumerate() {
        // Two lines of heads come first.
        let tracks = match n.checked_sub(2) {
            Some(row) => tracks(row, arrows),
            None => String::new(),
        };
        let padded = format!("{line:<width$}  {tracks}");
        drawn.push_str(padded.trim_end());
        drawn.push('\n');
    }
    drawn
}

/// What the tracks look like beside a row.
fn tracks(row: usize, arrows: &[(usize, usize)]) -> String {
    let mut text = String::new();
    for (n, &(from, to)) in arrows.iter().enumerate() {
        let (top, bottom) = (from.min(to), from.max(to));
        let corner = match row {
            _ if row == top => "─┐",
            _ if row == bottom => "─┘",
            _ if row > top && row < bottom => " │",
            _ => "  ",
        };
        let mark = match row {
            _ if row == to => '◄',
            _ if row == from => '─',
            _ => ' ',
        };
        // The line from a lane crosses the tracks to the left of its own.
        let crossed = arrows[n + 1..].iter().any(|&(from, to)| row == from || row == to);
        let fill = if crossed && corner == "  " { "──" } else { corner };
        text.push(if crossed && mark == ' ' && corner != " │" { '─' } else { mark });
        text.push_str(fill);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_leads_from_the_first_to_the_second() {
        let event = |lane, text: &str| Drawn { lane, text: text.into() };
        let heads = ["T0".to_owned(), "T1".to_owned()];
        let events = [event(0, "r x 1"), event(1, "w x 0"), event(0, "r x 0")];
        let drawn = draw(&heads, &events, &[(0, 1), (1, 2)]);
        let wanted = "  T0     T1\n  -----  -----\n  r x 1         ──┐\n         w x 0  ◄─┘──┐\n  r x 0         ───◄─┘\n";
        assert_eq!(drawn, wanted, "\n{drawn}");
    }
}
