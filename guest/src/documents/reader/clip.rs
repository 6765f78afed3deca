//! A line as a hit shows it: all of it, or the part around the match.

use std::ops::Range;

use super::characters;

/// A hit shows no more characters of a line.
pub(super) const MOST_CHARACTERS: usize = 400;

/// Stands where a line is cut.
const CUT: char = '…';

/// The part of a line that is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Clip {
    /// Which bytes of the line.
    pub(super) bytes: Range<usize>,
    is_cut_before: bool,
    is_cut_after: bool,
}

impl Clip {
    /// So many characters around a match, which is in the middle as far as the line goes.
    pub(super) fn around(line: &[u8], found: &Range<usize>, most: usize) -> Self {
        if line.len() <= most || characters::end_of(line, most) == line.len() {
            return Self { bytes: 0..line.len(), is_cut_before: false, is_cut_after: false };
        }
        let longest = found.start + characters::end_of(&line[found.start..], most);
        let length = characters::count(&line[found.start..found.end.min(longest)]);
        let mut start = back(line, found.start, (most - length) / 2);
        let end = start + characters::end_of(&line[start..], most);
        if end == line.len() {
            start = back(line, end, most);
        }
        Self { is_cut_before: start > 0, is_cut_after: end < line.len(), bytes: start..end }
    }

    /// The text with its marks.
    pub(super) fn text(&self, line: &[u8]) -> String {
        let mut text = String::new();
        text.extend(self.is_cut_before.then_some(CUT));
        text.push_str(&String::from_utf8_lossy(&line[self.bytes.clone()]));
        text.extend(self.is_cut_after.then_some(CUT));
        text
    }
}

/// The front of a line.
pub(super) fn front(line: &[u8], most: usize) -> String {
    Clip::around(line, &(0..0), most).text(line)
}

/// So many characters before a place, or the start of the line.
fn back(line: &[u8], place: usize, number: usize) -> usize {
    let mut start = place;
    for _ in 0..number {
        if start == 0 {
            break;
        }
        start -= 1;
        while start > 0 && characters::begin_inside(&line[start..]) {
            start -= 1;
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(line: &str, found: Range<usize>, most: usize) -> String {
        Clip::around(line.as_bytes(), &found, most).text(line.as_bytes())
    }

    #[test]
    fn a_line_is_cut_around_the_match() {
        let rows = [
            ("0123456789", 4..5, 10, "0123456789"),
            ("0123456789", 4..5, 5, "…23456…"),
            ("0123456789", 0..1, 5, "01234…"),
            ("0123456789", 9..10, 5, "…56789"),
            ("0123456789", 10..10, 5, "…56789"),
            ("0123456789", 2..9, 5, "…23456…"),
            ("éééééééééé", 8..10, 3, "…ééé…"),
            ("éé", 0..4, 2, "éé"),
            ("", 0..0, 2, ""),
        ];
        for (line, found, most, expected) in rows {
            assert_eq!(clip(line, found.clone(), most), expected, "{line} {found:?}");
        }
        assert_eq!(front(b"0123456789", 4), "0123…");
        assert_eq!(front(&[0xFF, 0x80, 0x80], 4), "\u{FFFD}\u{FFFD}\u{FFFD}");
        // A line may begin inside of a character.
        assert_eq!(Clip::around(b"\x80bcdef", &(1..2), 3).text(b"\x80bcdef"), "\u{FFFD}bcd…");
    }
}
