//! The pieces of a text that are encoded each on its own, as the regular expression of a vocabulary finds them.
//!
//! Each function here stands for one alternative, returns where its match ends, and says which alternative it is. The
//! alternatives are tried in the order of the expression.

use crate::classes::Class;

/// Returns the end of the piece of `cl100k_base` that begins at `start`, before the end of the text.
pub(crate) fn cl100k_base(text: &str, start: usize) -> usize {
    let (class, next) = Class::at(text, start).expect("a piece begins before the end");
    let is_quote = text.as_bytes()[start] == b'\'';
    let first = if is_quote { contraction(text, start) } else { start };
    if first > start {
        return first;
    }
    // [^\r\n\p{L}\p{N}]?+\p{L}++
    let word = if may_begin_word(text, start, class) { next } else { start };
    let end = run(text, word, Class::is_letter);
    if end > word {
        return end;
    }
    match class {
        Class::Number => numbers(text, start),
        Class::Space => symbols(text, start, b"\r\n").unwrap_or_else(|| {
            // \s++$|\s*[\r\n]|\s+(?!\S)|\s
            let end = run(text, start, |class| class == Class::Space);
            if end == text.len() { end } else { space(text, start, end) }
        }),
        _ => symbols(text, start, b"\r\n").unwrap_or(next),
    }
}

/// Returns the end of the piece of `o200k_base` that begins at `start`, before the end of the text.
pub(crate) fn o200k_base(text: &str, start: usize) -> usize {
    let (class, next) = Class::at(text, start).expect("a piece begins before the end");
    if let Some(end) = cased_word(text, start, class, next) {
        return if text.as_bytes().get(end) == Some(&b'\'') { contraction(text, end) } else { end };
    }
    match class {
        Class::Number => numbers(text, start),
        Class::Space => symbols(text, start, b"\r\n/").unwrap_or_else(|| {
            // \s*[\r\n]+|\s+(?!\S)|\s+
            let end = run(text, start, |class| class == Class::Space);
            space(text, start, end)
        }),
        _ => symbols(text, start, b"\r\n/").unwrap_or(next),
    }
}

/// `[^\r\n\p{L}\p{N}]`, which may stand before the letters of a word.
fn may_begin_word(text: &str, at: usize, class: Class) -> bool {
    !class.is_letter() && class != Class::Number && !matches!(text.as_bytes()[at], b'\r' | b'\n')
}

/// Where the characters of a class end that begin at `at`.
fn run(text: &str, mut at: usize, belongs: impl Fn(Class) -> bool) -> usize {
    while let Some((class, next)) = Class::at(text, at)
        && belongs(class)
    {
        at = next;
    }
    at
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?` from the quote at `at`: the end of it, or `at`.
///
/// Without regard to case, `s` is the long s too.
fn contraction(text: &str, at: usize) -> usize {
    let lower = |place: usize| text.as_bytes().get(at + place).map_or(0, u8::to_ascii_lowercase);
    match (lower(1), lower(2)) {
        (b's' | b't' | b'm' | b'd', _) => at + 2,
        (b'r' | b'v', b'e') | (b'l', b'l') => at + 3,
        _ if text[at + 1..].starts_with('ſ') => at + 1 + 'ſ'.len_utf8(),
        _ => at,
    }
}

/// The first two alternatives of `o200k_base`: capital letters, then small ones; or capital letters alone.
///
/// Letters without case and marks are both. `[A]*[B]+` is greedy, so where no small letter follows the `A`s, the last of
/// them that is a `B` ends the piece. The optional character in front is given back only if nothing matches with it.
fn cased_word(text: &str, start: usize, class: Class, next: usize) -> Option<usize> {
    let letters = if may_begin_word(text, start, class) { next } else { start };
    match both_cases(text, letters) {
        Ok(end) => Some(end),
        // Without a character in front of it, the mark is the whole word.
        Err(_) if class == Class::Mark => Some(next),
        Err(end) => (end > letters).then_some(end),
    }
}

/// `[A]*[B]+`: where it ends, or where the capital letters end that nothing follows.
fn both_cases(text: &str, start: usize) -> Result<usize, usize> {
    let (mut at, mut last) = (start, None);
    while let Some((class, next)) = Class::at(text, at) {
        match class {
            Class::Lower => {
                let is_b = |class| matches!(class, Class::Lower | Class::Letter | Class::Mark);
                return Ok(run(text, next, is_b));
            }
            Class::Upper => at = next,
            Class::Letter | Class::Mark => (at, last) = (next, Some(next)),
            _ => break,
        }
    }
    last.ok_or(at)
}

/// `\p{N}{1,3}`
fn numbers(text: &str, start: usize) -> usize {
    let mut at = start;
    for _ in 0..3 {
        match Class::at(text, at) {
            Some((Class::Number, next)) => at = next,
            _ => break,
        }
    }
    at
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n]*`, where more than line ends may follow.
fn symbols(text: &str, start: usize, after: &[u8]) -> Option<usize> {
    let begin = start + usize::from(text.as_bytes()[start] == b' ');
    let end = run(text, begin, |class| matches!(class, Class::Other | Class::Mark));
    let more = || text.as_bytes()[end..].iter().take_while(|byte| after.contains(byte)).count();
    (end > begin).then(|| end + more())
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+` in a run of white space: up to its last line end, else all but the last character if
/// something follows.
fn space(text: &str, start: usize, end: usize) -> usize {
    let run = &text[start..end];
    if let Some(last) = run.rfind(['\r', '\n']) {
        return start + last + 1;
    }
    let last = run.chars().next_back().map_or(0, char::len_utf8);
    if end == text.len() || run.len() == last { end } else { end - last }
}
