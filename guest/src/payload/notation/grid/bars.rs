//! Bars and rules: where cells begin and end.

use crate::payload::notation::names::MOST_COLUMNS;

/// Separators of cells, which may also begin and end a line.
pub(super) const BARS: [char; 4] = ['|', '│', '┃', '┆'];

/// What rules are drawn with, in addition to bars.
const STROKES: [char; 6] = ['-', '=', '─', '━', '═', '╌'];

/// Where rules cross or end.
pub(super) const CROSSINGS: [char; 24] = [
    '+', '┼', '├', '┤', '┌', '┐', '└', '┘', '┬', '┴', '╭', '╮', '╰', '╯', '╋', '┏', '┓', '┳', '┡', '┩', '╇', '┗', '┛',
    '┻',
];

/// The number of columns of a line that only separates: `|---|:-:|`, `+---+---+`, `----+----`.
pub(super) fn rule(line: &str) -> Option<usize> {
    let line = line.trim();
    let is_end = |letter: char| BARS.contains(&letter) || CROSSINGS.contains(&letter) || "╞╡╪╬╠╣║".contains(letter);
    let mut has_stroke = false;
    let (mut columns, mut in_column) = (0, false);
    let mut ends = 0;
    for letter in line.chars() {
        if is_end(letter) {
            ends += 1;
            in_column = false;
        } else if STROKES.contains(&letter) || letter == ':' {
            has_stroke |= letter != ':';
            columns += usize::from(!in_column);
            in_column = true;
        } else if letter != ' ' {
            return None;
        }
    }
    (has_stroke && ends > 0 && columns <= MOST_COLUMNS).then_some(columns)
}

/// The cells of a line with bars; those at its ends are not between cells, unless the table has none there.
pub(super) fn cells(line: &str, is_open: bool) -> Option<Vec<&str>> {
    let line = line.trim();
    let bars = line.chars().filter(|letter| BARS.contains(letter)).take(MOST_COLUMNS + 2).count();
    if !(1..=MOST_COLUMNS + 1).contains(&bars) {
        return None;
    }
    let inner = if is_open { line } else { line.strip_prefix(BARS).unwrap_or(line) };
    let inner = if is_open || inner.ends_with("\\|") { inner } else { inner.strip_suffix(BARS).unwrap_or(inner) };
    let mut cells = Vec::with_capacity(bars + 1);
    let mut start = 0;
    for (place, bar) in inner.char_indices().filter(|(_, letter)| BARS.contains(letter)) {
        if !inner[..place].ends_with('\\') {
            cells.push(inner[start..place].trim());
            start = place + bar.len_utf8();
        }
    }
    cells.push(inner[start..].trim());
    Some(cells)
}
