//! Text that is not JSON: logs, Markdown, CSV (GATE-19, READ-23).

use lro_query::json::cut;
use memchr::memchr_iter;

use crate::payload::frame::Frame;

/// A text, and what is known of it.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// All of it.
    pub text: &'a str,
    /// What surrounded it, if anything did.
    pub frame: Option<Frame>,
    /// Members of the object that it was in, as the text of an object.
    pub inline: Option<String>,
    /// Its lines; the last one may lack its end.
    pub lines: u32,
    /// Characters of the longest line.
    pub longest: u32,
}

impl<'a> Text<'a> {
    /// Looks at a text.
    pub fn of(text: &'a str) -> Self {
        let (mut lines, mut longest) = (0, 0);
        for line in lines_of(text) {
            lines += 1;
            // Characters are counted only where there could be more of them.
            if line.len() > longest {
                longest = longest.max(line.chars().count());
            }
        }
        let longest = u32::try_from(longest).unwrap_or(u32::MAX);
        Self { text, frame: None, inline: None, lines, longest }
    }

    /// Returns the first lines, each cut to `characters` characters.
    pub fn preview(&self, lines: usize, characters: usize) -> Vec<String> {
        self.text.lines().take(lines).map(|line| cut(line, characters)).collect()
    }
}

/// How many lines a text has; the last one may lack its end.
pub fn line_count(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let count = memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|byte| *byte != b'\n'));
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The lines of a text, as [`str::lines`] has them, but their ends are found sixteen bytes at a time.
fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let last = Some(text.len()).filter(|_| !text.is_empty() && !text.ends_with('\n'));
    memchr_iter(b'\n', text.as_bytes()).chain(last).map(move |end| {
        let line = &text[start..end];
        start = end + 1;
        if end < text.len() { line.strip_suffix('\r').unwrap_or(line) } else { line }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_standard_library() {
        for text in ["", "\n", "a", "a\n", "a\r\nb\r", "\r\n\r\r\n", "é\n\n日本\n"] {
            assert!(lines_of(text).eq(text.lines()), "{text:?}");
            assert_eq!(line_count(text) as usize, text.lines().count(), "{text:?}");
        }
    }

    #[test]
    fn lines_are_counted_and_measured() {
        for (text, lines, longest) in
            [("", 0, 0), ("a", 1, 1), ("a\n\nbcd\n", 3, 3), ("日本\nabc", 2, 3), ("é\r\n", 1, 1)]
        {
            let found = Text::of(text);
            assert_eq!((found.lines, found.longest), (lines, longest), "{text}");
        }
        assert_eq!(Text::of("abc\nd\ne").preview(2, 2), ["ab…", "d"]);
    }
}
