//! Where a text of several conditions is divided: at a connector that a condition follows.

use super::condition::Operator;
use super::typed::SIGN_CHARS;
use super::{lines, negation, typed};

/// What joins two conditions. A word has a blank on either side.
pub(super) const ORS: [&str; 2] = ["or", "||"];
pub(super) const ANDS: [&str; 2] = ["and", "&&"];

/// A name of more words is a sentence.
const MOST_WORDS: usize = 6;

/// True if a connector is here, and a condition after it.
pub(super) fn joins(text: &str, at: usize, are_lines: bool) -> bool {
    let length = ORS.iter().chain(&ANDS).find_map(|word| length_of_connector(&text[at..], word));
    length.is_some_and(|length| begins_with_condition(&text[at + length..], &text[..at], are_lines))
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

/// True for a text that begins with a condition, judging by how the one before is written.
fn begins_with_condition(text: &str, before: &str, are_lines: bool) -> bool {
    let (is_after_sign, text) = opened(text);
    if are_lines {
        let text = text.strip_prefix("not ").map_or(text, str::trim_start);
        let name = text.split(|c: char| c.is_whitespace() || SIGN_CHARS.contains(&c)).next().unwrap_or_default();
        let rest = text[name.len()..].trim_start();
        return lines::is_line(name) && (has_sign(rest) || !name.is_empty() && is_plain_operator(rest));
    }
    let (_, before) = opened(before);
    // The same field once more, which may have blanks in its name.
    let known = before.find(SIGN_CHARS).map_or("", |at| before[..at].trim_end());
    if !known.is_empty() && text.strip_prefix(known).is_some_and(|rest| has_sign(rest.trim_start())) {
        return true;
    }
    let is_name = |c: char| !c.is_whitespace() && !SIGN_CHARS.contains(&c) && !"\"(),".contains(c);
    let quoted = typed::quoted_name(text);
    let length = if quoted > 0 { quoted } else { text.find(|c| !is_name(c)).unwrap_or(text.len()) };
    let (name, rest) = text.split_at(length);
    if quoted == 0 && !name.starts_with(|c: char| c.is_alphanumeric() || "_.@$".contains(c)) {
        return false;
    }
    let ends = |rest: &str| rest.trim().is_empty() || rest.trim_start().starts_with(')') || joins(rest, 0, false);
    // A field alone is a condition only where it cannot be a word of a value.
    if is_after_sign || !before.contains(SIGN_CHARS) && before.split_whitespace().count() == 1 {
        let is_one = ends(rest) || rest.trim_start().starts_with(SIGN_CHARS);
        if is_one || !is_after_sign {
            return is_one || word_of(rest).is_some();
        }
    }
    if has_sign(rest.trim_start()) || typed::missing(rest.trim_start()).is_some_and(|(_, rest)| ends(rest)) {
        return true;
    }
    if has_name_of_words(text, before) {
        return true;
    }
    match word_of(rest) {
        // `paper in hand` is no list.
        Some((Operator::In, value)) => value.starts_with(['(', '[']) || value.contains(','),
        Some((Operator::Between, value)) => value.contains(" and ") || value.contains(','),
        Some(_) => word_of(before.trim_start_matches(is_name)).is_some(),
        // A name of several words, and a list.
        None => typed::by_name(text)
            .is_some_and(|named| named.operator == Operator::In && named.value.starts_with(['(', '['])),
    }
}

/// True for a name of several words and a sign that no value goes on with: the condition before has such a name, too, or
/// the order of a number is asked for.
fn has_name_of_words(text: &str, before: &str) -> bool {
    let Some(at) = text.find(SIGN_CHARS) else { return false };
    let name = text[..at].trim_end();
    let is_connector = |word: &str| ORS.iter().chain(&ANDS).any(|one| one.eq_ignore_ascii_case(word));
    let words = name.split_whitespace().count();
    let is_name = (2..=MOST_WORDS).contains(&words)
        && !name.contains(['"', '(', ')', '[', ']', ',', ';', ':', '?'])
        && !name.split_whitespace().any(is_connector);
    let Some((operator, _, value)) = typed::after_sign(&text[at..]).filter(|_| is_name) else { return false };
    let value = value.trim_start();
    let is_number = value.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
    let known = match before.find(SIGN_CHARS) {
        Some(at) => &before[..at],
        None => typed::by_name(before).map_or("", |named| named.field),
    };
    !value.is_empty() && (known.trim().contains(char::is_whitespace) || operator.is_order() && is_number)
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
    let (operator, _, value) = typed::operator_by_name(text.strip_prefix(char::is_whitespace)?.trim_start())?;
    (!value.is_empty()).then_some((operator, value))
}

/// True for the name of an operator that is hardly a word of a value: `not contains`, or `in` with a list.
fn is_plain_operator(text: &str) -> bool {
    let named = typed::operator_by_name(text);
    named.is_some_and(|(operator, is_negated, value)| {
        is_negated && !value.is_empty() || operator == Operator::In && value.starts_with(['(', '['])
    })
}
