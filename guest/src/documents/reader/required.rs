//! Texts that a line must have to match a regular expression: looking for them is many times faster than matching.

use lro_query::Needles;
use lro_query::json::is_ascii;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Shorter texts are in most lines.
const LEAST_BYTES: usize = 2;

/// Letters beyond ASCII that are another case of an ASCII letter: ſ of s, and K (Kelvin) of k.
const CASES_BEYOND_ASCII: [&str; 2] = ["\u{17f}", "\u{212a}"];

/// Texts of which each line that matches has one.
#[derive(Debug)]
pub(super) struct Required {
    pub(super) needles: Needles,
    /// A line that has one of them matches.
    pub(super) is_all: bool,
    has_cases_beyond_ascii: bool,
}

impl Required {
    /// The texts that an expression requires, if they are few and long enough.
    pub(super) fn of(expression: &Hir) -> Option<Self> {
        let Texts { texts, ignores_case, has_cases_beyond_ascii } = required(expression)?;
        let texts = match ignores_case {
            true => texts.iter().map(|text| text.to_ascii_lowercase()).collect(),
            false => texts,
        };
        Some(Self { needles: Needles::new(texts, ignores_case)?, is_all: is_all(expression), has_cases_beyond_ascii })
    }

    /// False for lines that may match without the texts, because a letter has a case beyond ASCII.
    pub(super) fn holds_for(&self, lines: &[u8]) -> bool {
        let has = |letter: &&str| memchr::memmem::find(lines, letter.as_bytes()).is_some();
        !self.has_cases_beyond_ascii || is_ascii(lines) || !CASES_BEYOND_ASCII.iter().any(has)
    }
}

/// Texts of which one is required.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Texts {
    texts: Vec<Vec<u8>>,
    /// Some letter matches in either case.
    ignores_case: bool,
    has_cases_beyond_ascii: bool,
}

impl Texts {
    fn shortest(&self) -> usize {
        self.texts.iter().map(Vec::len).min().unwrap_or_default()
    }

    fn and(mut self, other: Self) -> Self {
        self.texts.extend(other.texts);
        self.ignores_case |= other.ignores_case;
        self.has_cases_beyond_ascii |= other.has_cases_beyond_ascii;
        self
    }
}

/// The longest texts that are required, if they are long enough.
fn required(expression: &Hir) -> Option<Texts> {
    let found = match expression.kind() {
        HirKind::Capture(capture) => required(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required(&repetition.sub),
        HirKind::Alternation(parts) => {
            let mut all = Texts::default();
            for part in parts {
                all = all.and(required(part)?);
            }
            Some(all)
        }
        HirKind::Concat(parts) => of_sequence(parts),
        HirKind::Literal(_) | HirKind::Class(_) => of_sequence(std::slice::from_ref(expression)),
        HirKind::Empty | HirKind::Look(_) | HirKind::Repetition(_) => None,
    };
    found.filter(|found| found.shortest() >= LEAST_BYTES && found.texts.len() <= Needles::MOST)
}

/// True for an expression that is nothing but texts.
fn is_all(expression: &Hir) -> bool {
    let is_text = |part: &Hir| match part.kind() {
        HirKind::Literal(_) => true,
        HirKind::Class(class) => letter_of(class).is_some(),
        _ => false,
    };
    let is_run = |part: &Hir| match part.kind() {
        HirKind::Concat(parts) => parts.iter().all(is_text),
        _ => is_text(part),
    };
    match expression.kind() {
        HirKind::Alternation(parts) => parts.iter().all(is_run),
        _ => is_run(expression),
    }
}

/// Of parts that follow each other: a run of letters, or what one of the parts requires.
fn of_sequence(parts: &[Hir]) -> Option<Texts> {
    let (mut best, mut run) = (Texts::default(), Texts::default());
    for part in parts {
        if let Some(letters) = letters(part) {
            let text = run.texts.pop().unwrap_or_default();
            run = run.and(Texts { texts: Vec::new(), ..letters });
            run.texts.push([text, letters.texts.concat()].concat());
            continue;
        }
        let inner = match part.kind() {
            HirKind::Class(_) | HirKind::Empty => None,
            _ => required(part),
        };
        for found in [std::mem::take(&mut run)].into_iter().chain(inner) {
            best = better(best, found);
        }
    }
    Some(better(best, run)).filter(|best| !best.texts.is_empty())
}

fn better(one: Texts, other: Texts) -> Texts {
    if other.shortest() > one.shortest() { other } else { one }
}

/// What a part of a run says: a text, a letter in either case, or, for an assertion such as `\b`, nothing.
fn letters(part: &Hir) -> Option<Texts> {
    let text = |text: Vec<u8>| Texts { texts: vec![text], ..Texts::default() };
    match part.kind() {
        HirKind::Look(_) => Some(text(Vec::new())),
        HirKind::Literal(literal) => Some(text(literal.0.to_vec())),
        HirKind::Capture(capture) => letters(&capture.sub),
        HirKind::Class(class) => {
            let letter = letter_of(class)?;
            let has_cases_beyond_ascii = matches!(letter, b's' | b'k') && !is_of_bytes(class);
            Some(Texts { ignores_case: true, has_cases_beyond_ascii, ..text(vec![letter]) })
        }
        _ => None,
    }
}

fn is_of_bytes(class: &Class) -> bool {
    matches!(class, Class::Bytes(_))
}

/// The small letter of a class that has both of its cases and nothing else but cases beyond ASCII.
fn letter_of(class: &Class) -> Option<u8> {
    let characters: Vec<char> = match class {
        Class::Unicode(class) => {
            let single =
                |range: &regex_syntax::hir::ClassUnicodeRange| (range.start() == range.end()).then(|| range.start());
            class.ranges().iter().map(single).collect::<Option<_>>()?
        }
        Class::Bytes(class) => {
            let single = |range: &regex_syntax::hir::ClassBytesRange| {
                (range.start() == range.end() && range.start().is_ascii()).then(|| char::from(range.start()))
            };
            class.ranges().iter().map(single).collect::<Option<_>>()?
        }
    };
    let (ascii, beyond): (Vec<char>, Vec<char>) = characters.into_iter().partition(char::is_ascii);
    let is_case = |character: &char| CASES_BEYOND_ASCII.iter().any(|case| case.chars().eq([*character]));
    match ascii[..] {
        [large, small] if large.is_ascii_uppercase() && large.to_ascii_lowercase() == small => {
            beyond.iter().all(is_case).then_some(small as u8)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(pattern: &str) -> Option<(String, bool)> {
        let parsed = regex_syntax::ParserBuilder::new().multi_line(true).crlf(true).build().parse(pattern).unwrap();
        let Texts { texts, ignores_case, .. } = required(&parsed)?;
        let texts: Vec<&str> = texts.iter().map(|text| std::str::from_utf8(text).unwrap()).collect();
        Some((texts.join(" "), ignores_case))
    }

    #[test]
    fn an_expression_may_be_nothing_but_texts() {
        for (pattern, expected) in
            [("ab", true), ("(?i)ab|cd", true), ("ab|c.", false), ("^ab", false), (r"ab\b", false), ("ab+", false)]
        {
            let parsed = regex_syntax::parse(pattern).unwrap();
            assert_eq!(Required::of(&parsed).is_some_and(|required| required.is_all), expected, "{pattern}");
        }
    }

    #[test]
    fn the_longest_text_that_must_be_there_is_found() {
        let rows = [
            ("error", Some(("error", false))),
            ("ERROR|FATAL", Some(("ERROR FATAL", false))),
            ("(?i)Error", Some(("error", true))),
            ("(?i)error|disk", Some(("error disk", true))),
            (r"\bfoo\b", Some(("foo", false))),
            (r"^foo$", Some(("foo", false))),
            (r"\d+ ms took", Some((" ms took", false))),
            (r"a\d+bcd.*(efgh)+", Some(("efgh", false))),
            (r"ab(cd)ef", Some(("abcdef", false))),
            (r"(abc|\d+ def) x", Some(("abc  def", false))),
            (r"x*(?:ab)?", None),
            (r"\w+", None),
            ("a", None),
            ("a|bcd", None),
            ("[ab]", None),
            // Two letters are two cases of one, or not.
            ("[Ee]rror", Some(("error", true))),
            ("(?i-u)error", Some(("error", true))),
            ("[ae]xyz", Some(("xyz", false))),
            ("[Ae]xyz", Some(("xyz", false))),
            ("[AE]xyz", Some(("xyz", false))),
            ("ab|cd|ef|gh|ij|kl|mn|op|qr", None),
            ("é", Some(("é", false))),
        ];
        for (pattern, expected) in rows {
            assert_eq!(texts(pattern), expected.map(|(texts, flag)| (texts.to_owned(), flag)), "{pattern}");
        }
    }
}
