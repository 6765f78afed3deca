//! What a pattern would be in the notation of what is searched: JSON, paths that a glob means, text with the escapes of a
//! terminal.

use crate::file::kind::Kind;
use crate::settings::request::Search;

/// Escapes that color a text in a terminal, in the syntax of patterns.
const COLORS: &str = r"(\x1b\[[\d;]*m)*";

/// A pattern that finds what another one was meant to find, and why.
pub(super) type Written = (String, &'static str);

/// The pattern as the records of a file would have it.
pub(super) fn in_json(request: &Search) -> Vec<Written> {
    let pattern = request.pattern.as_str();
    let escape = if request.literal == Some(true) { r"\" } else { r"\\" };
    let quotes = |text: &str| text.replace('"', &format!("{escape}\""));
    let slashes = |text: &str| text.replace('/', &format!("{escape}/"));
    let spaces = |text: &str| [("\": ", "\":"), ("\", \"", "\",\"")].iter().fold(text.to_owned(), replaced);
    let apart = |text: &str| text.replace("\":", "\": ").replace("\":  ", "\": ");
    let breaks = |text: &str| {
        let breaks = [("\n", "n"), ("\t", "t")].map(|(sign, letter)| (sign, format!("{escape}{letter}")));
        let written = [(r"\n", format!("{escape}n")), (r"\t", format!("{escape}t"))];
        let written = written.into_iter().filter(|_| request.literal != Some(true) && !text.contains(r"\\"));
        written.into_iter().chain(breaks).fold(text.to_owned(), |text, (sign, escaped)| text.replace(sign, &escaped))
    };
    let letters = |text: &str| {
        let mut written = String::new();
        for letter in text.chars() {
            match letter.is_ascii() {
                true => written.push(letter),
                false => letter
                    .encode_utf16(&mut [0; 2])
                    .iter()
                    .for_each(|unit| written.push_str(&format!("{escape}u{unit:04x}"))),
            }
        }
        written
    };
    let all = letters(&slashes(&breaks(&spaces(pattern))));
    let candidates = [
        (quotes(pattern), r#": in records, a text has \" for each quote"#),
        (spaces(pattern), ": the records have no blanks between keys and values"),
        (apart(pattern), ": the records have blanks between keys and values"),
        (letters(pattern), ": the records have characters beyond ASCII as escapes"),
        (breaks(pattern), ": in records, a text has escapes for line breaks and tabs"),
        (slashes(pattern), r": the records have \/ for each slash"),
        (all.clone(), ": the records have it in this notation"),
        (quotes(&all), ": the records have it in this notation"),
    ];
    let mut found: Vec<Written> = Vec::new();
    for (other, why) in candidates {
        if other != pattern && found.iter().all(|(known, _)| *known != other) {
            found.push((other, why));
        }
    }
    found
}

fn replaced(text: String, (from, to): &(&str, &str)) -> String {
    text.replace(from, to)
}

/// The pattern for lines that a terminal would show in colors, whose escapes stand before or behind a part of a line.
pub(super) fn in_colors(pattern: &str) -> Vec<Written> {
    const WHY: &str = ": the lines have escapes of a terminal";
    let start = pattern.strip_prefix('^');
    let end = start.unwrap_or(pattern);
    let inner = end.strip_suffix('$').filter(|inner| !inner.ends_with('\\')).unwrap_or(end);
    let before = start.map_or(String::new(), |_| format!("^{COLORS}"));
    let behind = if inner.len() < end.len() { format!("{COLORS}$") } else { String::new() };
    let whole = |inner: &str| format!("{before}{inner}{behind}");
    let mut found = vec![whole(inner)];
    if !super::pattern::has_special(inner) {
        // One place within a plain text: a word is colored as a whole.
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let letters: Vec<(usize, char)> = inner.char_indices().collect();
        let places = letters.windows(2).filter(|pair| is_word(pair[0].1) != is_word(pair[1].1)).map(|pair| pair[1].0);
        found.extend(places.map(|place| whole(&format!("{}{COLORS}{}", &inner[..place], &inner[place..]))));
    }
    found.retain(|other| other != pattern);
    found.into_iter().map(|other| (other, WHY)).collect()
}

/// The expression of the paths that a glob means, `\.rs$` for `*.rs`; `None` if the pattern is not a glob.
pub(super) fn of_glob(pattern: &str, kind: Kind) -> Option<String> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let has_stars = pattern.starts_with('*') || parts.iter().skip(1).any(|part| part.starts_with('*'));
    let is_named = pattern.rsplit_once("*.").is_some_and(|(_, end)| end.chars().all(char::is_alphanumeric));
    let is_path =
        pattern.contains(['.', '/']) && !pattern.contains(|c: char| c.is_whitespace() || r"\()[]{}^$|+".contains(c));
    if !(has_stars || is_named)
        || !is_path
        || pattern.contains(".*")
        || !pattern.contains(|c: char| c.is_alphanumeric())
    {
        return None;
    }
    // A text of a record ends with a quote.
    let (begin, end, other) = match kind {
        Kind::Text => ("(^|/)", "$", "[^/]*"),
        _ => ("[\"/]", "\"", "[^/\"]*"),
    };
    let mut written = String::new();
    for (place, part) in parts.iter().enumerate() {
        let is_last = place + 1 == parts.len();
        match (*part, place, is_last) {
            ("**", 0, false) => written.push_str(begin),
            ("**", _, true) => return Some(written),
            ("**", _, false) => written.push_str("(.*/)?"),
            _ => {
                let part = if place == 0 { part.trim_start_matches('*') } else { part };
                let escaped = regex_syntax::escape(part).replace(r"\*", "*").replace(r"\?", ".");
                written.push_str(&escaped.replace("**", "*").replace('*', other));
                written.push_str(if is_last { end } else { "/" });
            }
        }
    }
    Some(written)
}

/// A word in brackets, which a pattern has for one of its letters: `[ERROR]`.
pub(super) fn bracketed_word(pattern: &str) -> Option<&str> {
    let bytes = pattern.as_bytes();
    let mut begins = memchr::memchr_iter(b'[', bytes).filter(|at| *at == 0 || bytes[at - 1] != b'\\');
    begins.find_map(|at| {
        let length = bytes[at + 1..].iter().position(|byte| !byte.is_ascii_alphabetic())?;
        let end = at + 1 + length;
        let is_class = matches!(bytes.get(end + 1), Some(b'*' | b'+' | b'?' | b'{'));
        (bytes[end] == b']' && length >= 3 && !is_class).then(|| &pattern[at..=end])
    })
}

/// True for a word in brackets that nobody writes as a class: a letter occurs twice, or all are capitals.
pub(super) fn is_surely_a_word(bracketed: &str) -> bool {
    let word = bracketed.trim_matches(['[', ']']);
    let repeats = word.char_indices().any(|(at, letter)| word[..at].contains(letter));
    repeats || word.chars().all(|letter| letter.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_means_paths() {
        let rows = [
            ("*.rs", r"\.rs$", r#"\.rs""#),
            ("src/**", "src/", "src/"),
            ("src/*", "src/[^/]*$", r#"src/[^/"]*""#),
            ("src/**/*.rs", r"src/(.*/)?[^/]*\.rs$", r#"src/(.*/)?[^/"]*\.rs""#),
            ("**/mod.rs", r"(^|/)mod\.rs$", r#"["/]mod\.rs""#),
            ("a-*.txt", r"a\-[^/]*\.txt$", r#"a\-[^/"]*\.txt""#),
        ];
        for (glob, text, records) in rows {
            assert_eq!(of_glob(glob, Kind::Text).as_deref(), Some(text));
            assert_eq!(of_glob(glob, Kind::Records).as_deref(), Some(records));
            assert!(regex::Regex::new(text).is_ok() && regex::Regex::new(records).is_ok());
        }
        for other in [".*error", "a*", "error .*", "*", "*a", "(a*)/*b", "a/b", "[a]*.rs"] {
            assert_eq!(of_glob(other, Kind::Text), None, "{other}");
        }
    }

    #[test]
    fn a_word_in_brackets_is_told_from_a_class() {
        let rows = [
            ("[ERROR]", Some(("[ERROR]", true))),
            ("x [error] y", Some(("[error]", true))),
            ("[main]", Some(("[main]", false))),
            ("[abc]+", None),
            (r"\[ERROR\]", None),
            ("[a-z]", None),
            ("[^abc]", None),
            ("[ab]", None),
            ("[abc", None),
            ("[", None),
        ];
        for (pattern, expected) in rows {
            assert_eq!(bracketed_word(pattern).map(|word| (word, is_surely_a_word(word))), expected, "{pattern}");
        }
    }
}
