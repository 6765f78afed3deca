//! Escapes of a terminal in lines of text.

use std::borrow::Cow;

/// What an escape begins with.
pub(super) const COLOR: &str = "\u{1b}[";

/// A line without the escapes that color it in a terminal, `ESC[31m`: what stands behind one is a word of its own.
pub(super) fn without_colors(line: &str) -> Cow<'_, str> {
    // One byte is found faster than a text, and most lines have none.
    if memchr::memchr(COLOR.as_bytes()[0], line.as_bytes()).is_none() {
        return line.into();
    }
    let mut parts = line.split(COLOR);
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !(c.is_ascii_digit() || c == ';')).unwrap_or(part.len());
        plain.push_str(part[end..].strip_prefix('m').unwrap_or(part));
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_colors_left() {
        let rows = [
            ("a \u{1b}[1;31mERROR\u{1b}[0m b", "a ERROR b"),
            ("\u{1b}[mx\u{1b}[2K", "x2K"),
            ("plain [31m", "plain [31m"),
        ];
        for (line, expected) in rows {
            assert_eq!(without_colors(line), expected);
        }
    }
}
