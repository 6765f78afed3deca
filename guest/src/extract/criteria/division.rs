//! Where a text of several conditions is divided: at a connector that a condition follows.

use super::condition::Operator;
use super::typed::SIGN_CHARS;
use super::words::{self, Word};
use super::{MOST_CONDITIONS, lines, negation, typed};

/// What joins two conditions. A word has a blank on either side.
pub(super) const ORS: [&str; 2] = ["or", "||"];
pub(super) const ANDS: [&str; 2] = ["and", "&&"];

/// A name of more words is a sentence.
const MOST_WORDS: usize = 6;

/// True if a connector is here, and a condition after it.
pub(super) fn joins(text: &str, at: usize, are_lines: bool) -> bool {
    joins_up_to(MOST_CONDITIONS, text, at, are_lines)
}

/// The same, looking at so many connectors: where there are more, the reader refuses them.
fn joins_up_to(most: usize, text: &str, at: usize, are_lines: bool) -> bool {
    let length = ORS.iter().chain(&ANDS).find_map(|word| length_of_connector(&text[at..], word));
    let Some(length) = length else { return false };
    let (before, text) = (&text[..at], &text[at + length..]);
    match are_lines {
        true => begins_with_condition_on_a_line(text),
        false => most == 0 || Candidate::new(text, before, most).is_condition(),
    }
}

/// The length of a connector with the blanks around it, if the text begins with it.
pub(super) fn length_of_connector(text: &str, word: &str) -> Option<usize> {
    let start = text.trim_start();
    let blanks = text.len() - start.len();
    let rest = start.get(word.len()..).filter(|_| start[..word.len()].eq_ignore_ascii_case(word))?;
    let is_word = word.starts_with(char::is_alphabetic);
    let is_apart = blanks > 0 && rest.starts_with(char::is_whitespace);
    (is_apart || !is_word && !rest.is_empty()).then(|| blanks + word.len())
}

/// True for a text that begins with a condition on the line of a text.
fn begins_with_condition_on_a_line(text: &str) -> bool {
    let (_, text) = opened(text);
    let text = text.strip_prefix("not ").map_or(text, str::trim_start);
    let name = text.split(|c: char| c.is_whitespace() || SIGN_CHARS.contains(&c)).next().unwrap_or_default();
    let rest = text[name.len()..].trim_start();
    lines::is_line(name) && (has_sign(rest) || !name.is_empty() && is_plain_operator(rest))
}

/// What stands behind a connector, and may be a condition or go on with the value before.
struct Candidate<'a> {
    /// Without parentheses that open, and without what negates.
    text: &'a str,
    /// There is a `!` among these.
    is_after_sign: bool,
    /// The name that the text begins with, if it is one word or in quotes.
    name: &'a str,
    is_quoted: bool,
    /// What follows the name.
    rest: &'a str,
    /// The condition in front of the connector, by which a name of several words is judged.
    before: &'a str,
    /// How many connectors are looked at.
    most: usize,
}

impl<'a> Candidate<'a> {
    fn new(text: &'a str, before: &'a str, most: usize) -> Self {
        let (is_after_sign, text) = opened(text);
        let (_, before) = opened(before);
        let quoted = typed::quoted_name(text);
        let length = if quoted > 0 { quoted } else { text.find(|c| !is_of_name(c)).unwrap_or(text.len()) };
        let (name, rest) = text.split_at(length);
        Self { text, is_after_sign, name, is_quoted: quoted > 0, rest, before, most }
    }

    fn is_condition(&self) -> bool {
        self.repeats_the_field()
            || self.begins_with_name()
                && (has_sign(self.rest.trim_start())
                    || self.is_field_alone()
                    || self.is_missing()
                    || self.has_list_or_range()
                    || self.has_operator_like_the_one_before()
                    || self.has_is_like_the_one_before()
                    || self.has_name_of_words_and_sign()
                    || self.has_name_of_words_and_list())
    }

    /// The field of the condition before comes once more, which may have blanks in its name.
    fn repeats_the_field(&self) -> bool {
        let known = self.before.find(SIGN_CHARS).map_or("", |at| self.before[..at].trim_end());
        let rest = self.text.strip_prefix(known).filter(|_| !known.is_empty());
        rest.is_some_and(|rest| has_sign(rest.trim_start()))
    }

    fn begins_with_name(&self) -> bool {
        self.is_quoted || self.name.starts_with(|c: char| c.is_alphanumeric() || "_.@$".contains(c))
    }

    /// A field alone, where it cannot be a word of a value: behind a `!`, and behind another field alone.
    fn is_field_alone(&self) -> bool {
        let is_plain = self.is_after_sign || self.is_after_field_alone();
        is_plain && (self.ends(self.rest) || self.rest.trim_start().starts_with(SIGN_CHARS))
    }

    /// `is null` with nothing behind it, or with the next condition.
    fn is_missing(&self) -> bool {
        words::missing(self.rest).is_some_and(|(_, rest)| self.ends(rest))
    }

    /// `in` with a list, `between` with two ends, or `like` and `starts with` with a text in quotes: `paper in hand` is none
    /// of them.
    fn has_list_or_range(&self) -> bool {
        match word_of(self.rest) {
            Some((Operator::In, value)) => value.starts_with(['(', '[']) || value.contains(','),
            Some((Operator::Between, value)) => value.contains(" and ") || value.contains(','),
            // A text in single quotes, as SQL has it: `like 'a%'`.
            Some((Operator::Matches | Operator::Prefix | Operator::Contains | Operator::Eq, value)) => {
                value.starts_with('\'')
            }
            Some((operator, value)) if operator.is_order() => {
                value.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit() || c == '\'')
            }
            _ => false,
        }
    }

    /// The name of an operator, where the condition before has one too, or is a field alone.
    fn has_operator_like_the_one_before(&self) -> bool {
        let is_known = || word_of(self.before.trim_start_matches(is_of_name)).is_some();
        match word_of(self.rest) {
            Some((Operator::In | Operator::Between, _)) => self.is_after_field_alone(),
            Some(_) => self.is_after_field_alone() || is_known(),
            None => false,
        }
    }

    /// `is open` with nothing behind it, or with the next condition, where the condition before is such a one.
    fn has_is_like_the_one_before(&self) -> bool {
        let before = words::after_equation(self.before.trim_start_matches(is_of_name));
        before.is_some_and(|rest| rest.trim().is_empty())
            && words::after_equation(self.rest).is_some_and(|rest| self.ends(rest))
    }

    /// A name of several words and a sign that no value goes on with: the condition before has such a name, too, or the
    /// order of a number is asked for.
    fn has_name_of_words_and_sign(&self) -> bool {
        let Some(at) = first_words(self.text).find(SIGN_CHARS) else { return false };
        let name = self.text[..at].trim_end();
        let is_connector = |word: &str| ORS.iter().chain(&ANDS).any(|one| one.eq_ignore_ascii_case(word));
        let is_name = (2..=MOST_WORDS).contains(&name.split_whitespace().count())
            && !name.contains(['"', '(', ')', '[', ']', ',', ';', ':', '?'])
            && !name.split_whitespace().any(is_connector);
        let Some((operator, _, value)) = typed::after_sign(&self.text[at..]).filter(|_| is_name) else { return false };
        let value = value.trim_start();
        let is_number = value.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        let known = match self.before.find(SIGN_CHARS) {
            Some(at) => &self.before[..at],
            None => typed::by_name(self.before).map_or("", |named| named.field),
        };
        !value.is_empty() && (known.trim().contains(char::is_whitespace) || operator.is_order() && is_number)
    }

    /// A name of several words and `in` with a list in brackets.
    fn has_name_of_words_and_list(&self) -> bool {
        let words = first_words(self.rest);
        let starts = words.char_indices().filter(|(_, char)| char.is_whitespace()).map(|(at, _)| at);
        let mut named = starts.filter_map(|at| Some((at, word_of(&self.rest[at..])?)));
        named.next().is_some_and(|(at, (operator, value))| {
            operator == Operator::In && value.starts_with(['(', '[']) && !words[..at].contains(SIGN_CHARS)
        })
    }

    fn is_after_field_alone(&self) -> bool {
        !self.before.contains(SIGN_CHARS) && self.before.split_whitespace().take(2).count() == 1
    }

    /// True if nothing follows, or what ends a condition.
    fn ends(&self, rest: &str) -> bool {
        let next = rest.trim_start();
        next.is_empty() || next.starts_with(')') || joins_up_to(self.most - 1, rest, 0, false)
    }
}

/// True for a character of a name that is one word.
fn is_of_name(c: char) -> bool {
    !c.is_whitespace() && !SIGN_CHARS.contains(&c) && !"\"(),".contains(c)
}

/// As much of a text as may be a name of several words, and the sign or the word after it.
fn first_words(text: &str) -> &str {
    let text_of_words = text.trim_start();
    let mut ends = text_of_words.match_indices(char::is_whitespace).filter(|(at, blank)| {
        // Of several blanks in a row, the last one counts.
        !text_of_words[at + blank.len()..].starts_with(char::is_whitespace)
    });
    let end = ends.nth(MOST_WORDS).map_or(text_of_words.len(), |(at, _)| at);
    &text[..text.len() - text_of_words.len() + end]
}

/// What follows parentheses that open and what negates, and whether a `!` is among these.
fn opened(text: &str) -> (bool, &str) {
    let (mut has_sign, mut rest) = (false, text);
    loop {
        let inner = rest.trim_start_matches(|c: char| c == '(' || c.is_whitespace());
        let (_, next) = negation::passed(inner);
        has_sign |= inner.len() > next.len() && inner.starts_with('!');
        if next.len() == rest.len() {
            return (has_sign, rest);
        }
        rest = next;
    }
}

/// True for a sign with a value after it.
fn has_sign(text: &str) -> bool {
    typed::after_sign(text).is_some_and(|(_, _, value)| !value.trim().is_empty())
}

/// The operator whose name stands after a blank, and its value.
fn word_of(text: &str) -> Option<(Operator, &str)> {
    let word = Word::read(text.strip_prefix(char::is_whitespace)?.trim_start())?;
    let may_be_text = word.is_loose && !word.value.starts_with('\'');
    (!word.value.is_empty() && !may_be_text).then_some((word.operator, word.value))
}

/// True for the name of an operator that is hardly a word of a value: `not contains`, `in` with a list, `like 'a%'`.
fn is_plain_operator(text: &str) -> bool {
    Word::read(text).is_some_and(|Word { operator, is_negated, value, .. }| {
        let is_list = operator == Operator::In && value.starts_with(['(', '[']);
        let is_of_texts = matches!(operator, Operator::Matches | Operator::Prefix);
        is_negated && !value.is_empty() || is_list || is_of_texts && value.starts_with('\'')
    })
}
