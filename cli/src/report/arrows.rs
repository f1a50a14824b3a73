//! Arrows over the lanes: from the event that came first to the one that came second.

use super::html::Html;

/// Sizes in pixels; the style sheet has the same.
const ROW: usize = 34;
const HEAD: usize = 46;
/// Between the edge of a lane and the event in it.
const MARGIN: i64 = 8;
/// How far an arrow leaves an event before it turns.
const BEND: i64 = 40;

/// An arrow with its number in the list of its cause.
#[derive(Debug)]
pub(super) struct Arrow {
    pub(super) cause: usize,
    pub(super) number: usize,
    pub(super) from: End,
    pub(super) to: End,
}

/// One end of it.
#[derive(Debug)]
pub(super) struct End {
    /// The event's element.
    pub(super) id: String,
    /// Its row when everything is unfolded.
    pub(super) row: usize,
    pub(super) lane: usize,
}

/// Draws arrows where everything is unfolded; only those of the first cause are seen. `widths` are those of the lanes.
pub(super) fn write(html: &mut Html, id: &str, arrows: &[Arrow], widths: &[usize]) {
    let head = format!("{id}-head");
    html.open("svg", &[("class", "arrows"), ("aria-hidden", "true"), ("width", "1"), ("height", "1")]);
    html.open("defs", &[]);
    html.open(
        "marker",
        &[
            ("id", &head),
            ("viewBox", "0 0 10 10"),
            ("refX", "9"),
            ("refY", "5"),
            ("markerWidth", "7"),
            ("markerHeight", "7"),
            ("orient", "auto-start-reverse"),
        ],
    );
    html.open("path", &[("d", "M0 0L10 5L0 10z")]).close("path").close("marker").close("defs");
    for arrow in arrows {
        one(html, arrow, widths, &format!("url(#{head})"));
    }
    html.close("svg");
}

fn one(html: &mut Html, arrow: &Arrow, widths: &[usize], head: &str) {
    let Arrow { cause, number, from, to } = arrow;
    let class = if *cause == 0 { "arrow" } else { "arrow off" };
    let cause = cause.to_string();
    html.open("g", &[("class", class), ("data-from", &from.id), ("data-to", &to.id), ("data-cause", &cause)]);
    let goes_right = to.lane > from.lane;
    let (x1, x2) = (side(widths, from.lane, goes_right), side(widths, to.lane, !goes_right));
    let (y1, y2) = (middle(from.row), middle(to.row));
    let bend = if goes_right { BEND } else { -BEND };
    let path = format!("M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}", x1 + bend, x2 - bend);
    html.open("path", &[("d", &path), ("marker-end", head)]).close("path");
    let (x, y) = (((x1 + x2) / 2).to_string(), ((y1 + y2) / 2).to_string());
    html.open("circle", &[("cx", &x), ("cy", &y), ("r", "9")]).close("circle");
    html.leaf("text", &[("x", &x), ("y", &y), ("dy", "0.35em")], &number.to_string());
    html.close("g");
}

/// The left or the right side of the events in a lane.
fn side(widths: &[usize], lane: usize, right: bool) -> i64 {
    let edge: usize = widths.iter().take(lane + usize::from(right)).sum();
    edge as i64 + if right { -MARGIN } else { MARGIN }
}

fn middle(row: usize) -> i64 {
    (HEAD + row * ROW + ROW / 2) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_joins_the_sides_that_face_each_other() {
        let end = |lane, row| End { id: format!("e{lane}"), row, lane };
        let path = |from, to| {
            let mut html = Html::default();
            write(&mut html, "bug", &[Arrow { cause: 0, number: 1, from, to }], &[100, 200, 300]);
            let text = html.into_string();
            text.split(" d=\"").nth(2).and_then(|rest| rest.split('"').next()).map(str::to_owned)
        };
        assert_eq!(path(end(0, 0), end(2, 3)).as_deref(), Some("M92 63C132 63 268 165 308 165"));
        assert_eq!(path(end(2, 0), end(0, 3)).as_deref(), Some("M308 63C268 63 132 165 92 165"));
    }
}
