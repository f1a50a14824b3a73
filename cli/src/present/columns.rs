//! A table with a column per thread; time goes down.

use std::fmt::Write;

/// A column is not wider than this. Two have more room than many.
pub(super) fn widest(columns: usize) -> usize {
    if columns <= 2 { 60 } else { 44 }
}

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// A step of the thread of this column.
    Step(usize, String),
    /// Steps of these columns that are not shown.
    Gap(Vec<usize>),
    /// Words across all columns.
    Remark(String),
}

/// The table, indented by two blanks.
pub(super) fn lay_out(heads: &[String], rows: &[Row]) -> String {
    let cells: Vec<Option<Vec<String>>> = rows.iter().map(|row| cells(heads.len(), row)).collect();
    let heads: Vec<String> = heads.iter().map(|head| cut(head, widest(heads.len()))).collect();
    let widths: Vec<usize> = (0..heads.len())
        .map(|column| {
            let texts = cells.iter().flatten().chain([&heads]).map(|cells| cells[column].chars().count());
            texts.max().unwrap_or_default()
        })
        .collect();
    let mut table = line(&heads, &widths);
    table.push_str(&line(&widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>(), &widths));
    for (row, cells) in rows.iter().zip(&cells) {
        match (row, cells) {
            (Row::Remark(text), _) => {
                let _ = writeln!(table, "  {text}");
            }
            (_, Some(cells)) => table.push_str(&line(cells, &widths)),
            _ => {}
        }
    }
    table
}

fn cells(columns: usize, row: &Row) -> Option<Vec<String>> {
    let mut cells = vec![String::new(); columns];
    match row {
        Row::Step(column, text) => *cells.get_mut(*column)? = cut(text, widest(columns)),
        Row::Gap(gaps) => gaps.iter().for_each(|&column| {
            if let Some(cell) = cells.get_mut(column) {
                cell.push('…');
            }
        }),
        Row::Remark(_) => return None,
    }
    Some(cells)
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut line = String::from(" ");
    for (cell, width) in cells.iter().zip(widths) {
        let _ = write!(line, " {cell:<width$} ");
    }
    format!("{}\n", line.trim_end())
}

pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_gaps_and_remarks() {
        let heads = ["T0".to_owned(), "T0.0 put".to_owned()];
        let rows = [
            Row::Remark("… 3 steps".into()),
            Row::Step(0, "w x 1 @m.c:3".into()),
            Row::Gap(vec![0, 1]),
            Row::Step(1, "r x 1".into()),
        ];
        let wanted = "  T0            T0.0 put\n  ------------  --------\n  … 3 steps\n  w x 1 @m.c:3\n  …             …\n                r x 1\n";
        assert_eq!(lay_out(&heads, &rows), wanted);
    }

    #[test]
    fn long_cells_are_cut() {
        let table = lay_out(&["T0".to_owned()], &[Row::Step(0, "x".repeat(100))]);
        assert_eq!(table.lines().map(|line| line.chars().count()).max(), Some(widest(1) + 2));
    }
}
