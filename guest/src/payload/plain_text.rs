//! Text that is not JSON: logs, Markdown, CSV (GATE-19, READ-23).

use lro_query::json::cut;

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
        for line in text.lines() {
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

#[cfg(test)]
mod tests {
    use super::*;

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
