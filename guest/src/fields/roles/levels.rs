//! Levels of severity in lines of text: a level is a whole word, and no part of an identifier, a path or a name.

use std::ops::RangeInclusive;

use super::colors::{COLOR, without_colors};

/// Levels and the words that stand for them, the gravest first. Recipe 6 of a text counts by them.
pub const LEVELS: [(&str, &[&str]); 4] = [
    ("error", &["error", "fatal", "critical"]),
    ("warning", &["warn", "warning"]),
    ("info", &["info", "notice"]),
    ("debug", &["debug", "trace"]),
];

/// How many letters such a word has.
const LEVEL_LETTERS: RangeInclusive<usize> = 4..=8;

/// Which bytes are letters and digits: a look into a table is a few instructions, and there are many bytes.
const IS_IN_WORDS: [bool; 256] = {
    let mut is_in_words = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_in_words[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    is_in_words
};

/// What stands before and after such a word, in any case. A colon may be there, but not two of them.
const BEFORE: &str = "(^|[^:]:|[^a-z0-9_./:<-])";
const AFTER: &str = "($|:$|:[^:]|[^a-z0-9_./:-])";

/// Levels are looked for in this much of the beginning of a text, and of its end: a long output ends with its errors.
const WINDOW_BYTES: usize = 32 << 10;

/// The regular expression of one of these words, for a line in any case. It needs no escapes in a filter.
pub fn pattern(words: &[&str]) -> String {
    format!("{BEFORE}({}){AFTER}", words.join("|"))
}

/// The regular expression of one of these words in capitals.
pub fn capitals_pattern(words: &[&str]) -> String {
    let [before, after] = [BEFORE, AFTER].map(|class| class.replace("a-z", "A-Za-z"));
    format!("{before}({}){after}", words.join("|").to_ascii_uppercase())
}

/// How the lines of a text say their levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Levels {
    /// They have none.
    None,
    /// In capitals. A word in small letters is a part of what the line says: `INFO 0 errors, last error at 7`.
    Capitals,
    /// In any case.
    Any,
}

impl Levels {
    /// Looks at lines for levels where logs have them: in capitals, in brackets, before a colon, or first.
    pub(super) fn of(text: &str, sample: &[&str]) -> Self {
        let [first, last] = ends(text);
        let lines = sample.iter().copied().chain(first.lines()).chain(last.lines()).map(without_colors);
        let (mut levels, mut in_small_letters) = (0, 0);
        for line in lines.filter(|line| begins_with_level(line)) {
            levels += 1;
            in_small_letters += usize::from(!has_capitals(&line));
        }
        match levels {
            0 => Self::None,
            // One line in ten may be of another program.
            _ if 10 * in_small_letters <= levels => Self::Capitals,
            _ => Self::Any,
        }
    }

    /// True if these lines have colors.
    pub(super) fn are_in_colors(text: &str, sample: &[&str]) -> bool {
        ends(text).iter().chain(sample).any(|part| memchr::memmem::find(part.as_bytes(), COLOR.as_bytes()).is_some())
    }
}

/// The beginning of a text and its end.
fn ends(text: &str) -> [&str; 2] {
    let first = &text[..text.floor_char_boundary(WINDOW_BYTES)];
    [first, &text[text.ceil_char_boundary(text.len().saturating_sub(WINDOW_BYTES)).max(first.len())..]]
}

/// True if a level stands in a line in capitals.
fn has_capitals(line: &str) -> bool {
    words(line).any(|(start, end)| {
        let word = &line[start..end];
        word.bytes().all(|byte| byte.is_ascii_uppercase()) && is_level(word) && is_alone(line, start, end)
    })
}

/// True if a word stands in a line as a level does.
pub(super) fn stands(line: &str, word: &str) -> bool {
    words(line).any(|(start, end)| line[start..end].eq_ignore_ascii_case(word) && is_alone(line, start, end))
}

fn begins_with_level(line: &str) -> bool {
    let mut is_first = true;
    words(line).any(|(start, end)| {
        let word = &line[start..end];
        let was_first = is_first;
        // Before a level there may be times and numbers.
        is_first = is_first && word.bytes().any(|byte| byte.is_ascii_digit());
        let bytes = line.as_bytes();
        let is_marked = || {
            let before = start.checked_sub(1).and_then(|place| bytes.get(place));
            was_first
                || word.bytes().all(|byte| byte.is_ascii_uppercase())
                || matches!(before, Some(b'[' | b'=' | b'|'))
                || matches!(bytes.get(end), Some(b':' | b']' | b'|'))
        };
        is_level(word) && is_alone(line, start, end) && is_marked()
    })
}

fn is_level(word: &str) -> bool {
    LEVEL_LETTERS.contains(&word.len())
        && LEVELS.iter().any(|(_, words)| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
}

/// Where the words of a line are.
fn words(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let bytes = line.as_bytes();
    let mut place = 0;
    std::iter::from_fn(move || {
        let start = place + bytes[place..].iter().position(|byte| IS_IN_WORDS[usize::from(*byte)])?;
        let length = bytes[start..].iter().position(|byte| !IS_IN_WORDS[usize::from(*byte)]);
        place = length.map_or(bytes.len(), |length| start + length);
        Some((start, place))
    })
}

/// What [`BEFORE`] and [`AFTER`] say.
fn is_alone(line: &str, start: usize, end: usize) -> bool {
    let bytes = line.as_bytes();
    let is_apart = |byte: u8| !b"_./-".contains(&byte);
    let before = match &bytes[..start] {
        [] => true,
        [before @ .., b':'] => before.last().is_some_and(|byte| *byte != b':'),
        [.., byte] => is_apart(*byte) && *byte != b'<',
    };
    let after = match &bytes[end..] {
        [] => true,
        [b':', after @ ..] => after.first() != Some(&b':'),
        [byte, ..] => is_apart(*byte),
    };
    before && after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_a_word_of_its_own() {
        let regex = regex::Regex::new(&format!("(?i){}", pattern(&["error"]))).unwrap();
        let rows = [
            ("error", true),
            ("an error occurred", true),
            ("ERROR:root:x", true),
            ("[core:error] x", true),
            ("x level=Error,", true),
            ("é error é", true),
            ("test parse_error ... ok", false),
            ("test error::tests::a ... ok", false),
            ("liberror-perl error/exception", false),
            ("my.error errors TypeError", false),
            ("<error>x</error>", false),
            ("-1 error-prone", false),
            ("std::error", false),
            (":error", false),
        ];
        for (line, expected) in rows {
            assert_eq!(stands(line, "error"), expected, "{line}");
            assert_eq!(regex.is_match(line), expected, "{line}");
        }
    }

    #[test]
    fn levels_have_as_many_letters_as_is_said() {
        let letters = || LEVELS.iter().flat_map(|(_, words)| *words).map(|word| word.len());
        assert_eq!((letters().min(), letters().max()), (Some(*LEVEL_LETTERS.start()), Some(*LEVEL_LETTERS.end())));
    }

    #[test]
    fn logs_have_levels_and_other_texts_have_names() {
        let rows = [
            ("2026-01-01T00:00:00Z warn slow\n", true),
            ("x: [info] y", true),
            ("npm WARN x", true),
            ("src/a.rs:1: error: x", true),
            ("ii  libcom-err2 1.47 amd64 common error description library", false),
            ("test a::error_is_shown ... ok\ntest info ... ok", false),
            ("<p class=\"error\">", false),
            ("read(3, \"/usr/share/info/dir\", 4)", false),
            ("", false),
        ];
        for (text, expected) in rows {
            assert_eq!(Levels::of(text, &[]) != Levels::None, expected, "{text}");
        }
        let long = format!("{}\nERROR x\n", "é\n".repeat(WINDOW_BYTES));
        assert_eq!(Levels::of(&long, &[]), Levels::Capitals);
    }

    #[test]
    fn levels_in_capitals_are_told_from_words() {
        let rows = [
            ("2026-11-20 [INFO] job 0 done, 0 error\n[WARN] x error: y\n", Levels::Capitals),
            ("error: x\nWARN y\n", Levels::Any),
            ("info: x\n", Levels::Any),
            ("x\n", Levels::None),
            (
                "\u{1b}[2m10:00\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m x\n[\u{1b}[32mINFO\u{1b}[0m] error y\n",
                Levels::Capitals,
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(Levels::of(text, &[]), expected, "{text}");
        }
        let regex = regex::Regex::new(&capitals_pattern(&["error"])).unwrap();
        assert!(regex.is_match("[ERROR] x") && regex.is_match("ERROR"));
        assert!(!regex.is_match("error: x") && !regex.is_match("aERROR") && !regex.is_match("MY_ERROR"));
    }
}
