//! Lines of a search: hits, lines around them, gaps, and what `grep` says of a file.

use memchr::memchr_iter;

/// The longest path that a system has; a place and a colon further right are text.
const MOST_PATH_BYTES: usize = 4096;

/// No file has more lines than numbers of so many digits count.
const MOST_DIGITS: usize = 9;

/// What separates groups of lines.
const GAP: &str = "--";

/// A part of a search's result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A line of a file.
    Hit(Hit<'a>),
    /// What is said of a file, as that it is binary: its path and all of the line.
    Note(&'a str, &'a str),
    /// A separator, or nothing.
    Gap,
    /// Anything else, and the number of the line.
    Other(usize, &'a str),
}

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    /// Its path; empty where one file was searched, and no line has a path.
    pub(super) path: &'a str,
    /// Its number.
    pub(super) line: usize,
    /// It was found; otherwise it stands around a line that was.
    pub(super) is_match: bool,
    /// What follows the number: the column, or the text.
    pub(super) rest: &'a str,
}

/// The lines of a result, in order.
pub(super) struct Parts<'a> {
    lines: std::iter::Peekable<std::iter::Enumerate<std::str::Lines<'a>>>,
    /// Lines have paths.
    has_paths: bool,
    /// Groups of lines are separated, so there are lines around hits.
    has_gaps: bool,
    before: Option<Hit<'a>>,
}

impl<'a> Parts<'a> {
    pub(super) fn of(text: &'a str, has_paths: bool) -> Self {
        let has_gaps = memchr::memmem::find(text.as_bytes(), b"\n--\n").is_some();
        Self { lines: text.lines().enumerate().peekable(), has_paths, has_gaps, before: None }
    }

    /// The hit that a line begins, if the hit before it does not say which.
    fn first(&mut self, line: &'a str) -> Option<Hit<'a>> {
        if !self.has_paths {
            return hit(line, "", 0);
        }
        // What stands before a hit has dashes for colons, and both can be in a name.
        let dashed = if self.has_gaps { self.dashed(line) } else { None };
        dashed.or_else(|| coloned(line)).or_else(|| self.dashed(line))
    }

    /// A line before a hit: the next line has the same path and the next number.
    fn dashed(&mut self, line: &'a str) -> Option<Hit<'a>> {
        let next = self.lines.peek()?.1;
        let start = &line.as_bytes()[..line.len().min(MOST_PATH_BYTES)];
        // The path is a beginning of both lines, and what follows it differs at once or in the number.
        let same = start.iter().zip(next.as_bytes()).take_while(|(one, other)| one == other).count();
        let nearest = same.saturating_sub(MOST_DIGITS + 1);
        let mut places = memchr_iter(b'-', &start[nearest..start.len().min(same + 1)]).map(|place| nearest + place);
        places.find_map(|place| {
            let path = &line[..place];
            let found = hit(line, path, place).filter(|found| !found.is_match)?;
            let following = hit(next, path, place)?;
            (following.line == found.line + 1 && is_path(path)).then_some(found)
        })
    }

    /// The next line of the file that the hit before is in.
    fn following(&self, line: &'a str) -> Option<Hit<'a>> {
        let before = self.before?;
        let found = line.starts_with(before.path).then(|| hit(line, before.path, before.path.len()))??;
        let is_next = found.line == before.line + 1;
        (if found.is_match { found.line >= before.line } else { is_next }).then_some(found)
    }
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let (i, line) = self.lines.next()?;
        if line.is_empty() || line == GAP {
            return Some(Part::Gap);
        }
        let found = self.following(line).or_else(|| self.first(line));
        self.before = found.or(self.before);
        Some(match found {
            Some(found) => Part::Hit(found),
            None => note(line).map_or(Part::Other(i + 1, line), |path| Part::Note(path, line)),
        })
    }
}

/// The hit in a line whose path ends at this place: a colon or a dash, a number, and the same once more.
fn hit<'a>(line: &'a str, path: &'a str, place: usize) -> Option<Hit<'a>> {
    let mut rest = line.as_bytes().get(place..)?;
    let mut separator = None;
    if !path.is_empty() {
        separator = rest.first().copied();
        rest = &rest[1..];
    }
    let digits = rest.iter().take(MOST_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
    let after = rest.get(digits).copied()?;
    let is_same = separator.is_none_or(|separator| separator == after) && matches!(after, b':' | b'-');
    // Times and dates have zeros before their digits, and lines are counted from 1.
    if !is_same || !(1..=MOST_DIGITS).contains(&digits) || rest[0] == b'0' {
        return None;
    }
    let start = line.len() - rest.len();
    let number = line[start..start + digits].parse().ok()?;
    Some(Hit { path, line: number, is_match: after == b':', rest: &line[start + digits + 1..] })
}

/// The hit in a line of which nothing is known.
fn coloned(line: &str) -> Option<Hit<'_>> {
    let start = &line.as_bytes()[..line.len().min(MOST_PATH_BYTES)];
    let found = memchr_iter(b':', start).find_map(|place| hit(line, &line[..place], place).filter(|_| place > 0))?;
    is_path(found.path).then_some(found)
}

/// True for what may be a path. Times, addresses, labels and places of stack traces are not.
fn is_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_quoted = path.len() > 2 && path.starts_with('"') && path.ends_with('"');
    let is_edge = |byte: Option<&u8>| byte.is_none_or(|byte| b" \t\"'`{<".contains(byte));
    let has_letter = bytes.iter().any(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let count = |letter: u8| memchr_iter(letter, bytes).count();
    let is_balanced = count(b'(') == count(b')') && count(b'[') == count(b']');
    // An hour, with a date before it.
    let is_hour = matches!(bytes, [.., b' ' | b'T', tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit());
    let is_label = |place: usize| [&b" "[..], b"//"].iter().any(|after| bytes[place + 1..].starts_with(after));
    has_letter
        && is_balanced
        && !is_hour
        && !path.contains(" /")
        && (is_quoted || !is_edge(bytes.first()) && !is_edge(bytes.last()))
        && !memchr_iter(b':', bytes).any(is_label)
}

/// The file that a line says something of.
fn note(line: &str) -> Option<&str> {
    if let Some(path) = line.strip_prefix("Binary file ").and_then(|rest| rest.strip_suffix(" matches")) {
        return Some(path);
    }
    let said = line.strip_prefix("grep: ").or_else(|| line.strip_prefix("rg: "));
    match said.unwrap_or(line).split_once(": binary file matches") {
        Some((path, _)) => Some(path),
        None => Some(said?.rsplit_once(": ")?.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<(&str, usize, &str)> {
        coloned(line).map(|hit| (hit.path, hit.line, hit.rest))
    }

    #[test]
    fn a_hit_has_a_path_a_number_and_a_text() {
        let rows = [
            ("a/b.rs:12:x: 1", Some(("a/b.rs", 12, "x: 1"))),
            ("a b/c.rs:12::13:", Some(("a b/c.rs", 12, ":13:"))),
            (r"C:\x.rs:12:y", Some((r"C:\x.rs", 12, "y"))),
            ("HEAD~1:a.rs:3:", Some(("HEAD~1:a.rs", 3, ""))),
            ("pci0000:00:1f/a:7:x", Some(("pci0000:00:1f/a", 7, "x"))),
            ("a-1-b.rs:3:x", Some(("a-1-b.rs", 3, "x"))),
            ("é:1:x", Some(("é", 1, "x"))),
            ("\"a\\303\\274\":1:x", Some(("\"a\\303\\274\"", 1, "x"))),
            ("a:0:x", None),
            ("a:012:x", None),
            ("a:1234567890:x", None),
            ("a:12", None),
            (":12:x", None),
            ("12:30:45 x", None),
            ("2026-01-01 12:30:45 x", None),
            ("    at f (a.js:12:5)", None),
            ("at f (a.js:12:5)", None),
            ("http://a:80:x", None),
            ("error: a:80:x", None),
            ("1.2.3.4 - - [01/Jan/2026:10:30:45 +0000]", None),
            ("[a:10:30]", None),
            (r"C:\Program Files (x86)\a:2:x", Some((r"C:\Program Files (x86)\a", 2, "x"))),
            ("[id]/a.tsx:2:x", Some(("[id]/a.tsx", 2, "x"))),
        ];
        for (line, expected) in rows {
            assert_eq!(found(line), expected, "{line}");
        }
    }

    #[test]
    fn a_note_names_its_file() {
        let rows = [
            ("Binary file a b matches", Some("a b")),
            ("grep: a: b: binary file matches", Some("a: b")),
            ("a: binary file matches (found \"\\0\" byte around offset 4)", Some("a")),
            ("grep: /x: Permission denied", Some("/x")),
            ("grep: : binary file matches", Some("")),
            ("Binary files differ", None),
            ("grep: x", None),
        ];
        for (line, expected) in rows {
            assert_eq!(note(line), expected, "{line}");
        }
    }
}
