//! Values in a text: JSON or Python's literals on lines, with a broken one among them, cut off, or with headings
//! between.

use lro_query::json::push_quoted;
use memchr::memchr;

use super::literal::{Parser, Whole};
use super::output::{few, most_bytes, text_record};
use super::{Reading, SAMPLE_BYTES};

/// A single value is the content of a text if it has this many tenths of it. Otherwise it is an example in prose.
const ALONE_PARTS: usize = 8;

/// Several values with headings must have this many tenths of the text.
const SEVERAL_PARTS: usize = 5;

/// This many values among other lines are a log, even if half of its lines are something else.
const LOG_VALUES: usize = 10;

/// Lines of headings for each value. A script with JSON in it has more.
const HEADING_LINES: usize = 5;

/// A line of text before a value on the same line is not longer.
const MOST_LABEL_BYTES: usize = 200;

/// A truncated value may have this many tenths of the text.
const CUT_PARTS: usize = 1;

/// Reads a text that consists of values.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let begins = |line: &str| line.trim_start().starts_with(['[', '{', '(']) || label(line).is_some();
    if !super::sample(text).lines().any(begins) {
        return None;
    }
    let mut scan = LineScan::of(text, false);
    scan.run()?;
    if scan.values == 0 {
        return None;
    }
    if scan.has_commas && scan.texts > 1 {
        return None;
    }
    let share = scan.value_bytes * 10 / scan.bytes.max(1);
    let has_headings = scan.values == 1 && scan.texts > 0 || scan.headed * 2 >= scan.values && scan.headed > 1;
    let least = if scan.values == 1 { ALONE_PARTS } else { SEVERAL_PARTS };
    if has_headings && share >= least && scan.texts <= HEADING_LINES * (scan.values + 1) {
        scan = LineScan::of(text, true);
        scan.run()?;
    } else {
        let is_log = scan.values >= LOG_VALUES
            && scan.values == scan.objects
            && scan.texts <= scan.values
            && share >= SEVERAL_PARTS;
        if !is_log && !few(scan.texts, scan.values) || scan.values == 1 && scan.texts > 0 {
            return None;
        }
    }
    let name = match (scan.parser.is_python, scan.texts, scan.values) {
        (true, ..) => "python",
        (false, 0, 1) => "json",
        _ if has_headings => "json-blocks",
        _ => "json-lines",
    };
    let Parser { json, has_no_number, .. } = scan.parser;
    Some(Reading::Document { name, text: json, has_no_number, breaks_off: scan.breaks_off })
}

/// Where a value begins after a few words and a colon.
fn label(line: &str) -> Option<usize> {
    let place = line.find([':', '[', '{', '('])?;
    let is_label = place < MOST_LABEL_BYTES && line[place..].starts_with(": ");
    (is_label && line[place + 2..].starts_with(['[', '{', '('])).then_some(place + 2)
}

/// A walk over the lines of a text.
struct LineScan<'a> {
    text: &'a str,
    parser: Parser<'a>,
    /// Text before a value goes into a record with it.
    with_headings: bool,
    /// Values so far, and those with text before them.
    values: usize,
    headed: usize,
    /// Values that are objects from the first to the last character of a line, as in a log.
    objects: usize,
    /// A comma follows some value, as in a table in a program.
    has_commas: bool,
    /// Lines of text so far.
    texts: usize,
    value_bytes: usize,
    /// Bytes of lines that are not blank.
    bytes: usize,
    /// Text that waits for its value: its first line and where it begins.
    heading: Option<(usize, usize)>,
    /// What was looked at in vain.
    wasted: usize,
    /// The last value does not end.
    breaks_off: bool,
}

impl<'a> LineScan<'a> {
    fn of(text: &'a str, with_headings: bool) -> Self {
        Self {
            text,
            parser: Parser::of(text, most_bytes(text)),
            with_headings,
            values: 0,
            headed: 0,
            objects: 0,
            has_commas: false,
            texts: 0,
            value_bytes: 0,
            bytes: 0,
            heading: None,
            wasted: 0,
            breaks_off: false,
        }
    }

    fn run(&mut self) -> Option<()> {
        let text = self.text;
        if text.trim_start().starts_with(['[', '{']) {
            // The JSON of a list is about as long as the list. Growing step by step would take twice the memory.
            self.parser.json.reserve_exact(text.len());
        }
        let (mut place, mut number) = (0, 1);
        while place < text.len() {
            let line_end = memchr(b'\n', &text.as_bytes()[place..]).map_or(text.len(), |length| place + length + 1);
            let line = &text[place..line_end];
            let start = place + line.len() - line.trim_start().len();
            let end = match line.trim_start().as_bytes().first() {
                Some(b'[' | b'{' | b'(') => self.value(start, number)?,
                _ if self.values + self.texts == 0 => self.labelled(place, line, number)?,
                _ => None,
            };
            if let Some(end) = end {
                self.value_bytes += end - place;
                self.bytes += end - place;
                number += text[place..end].matches('\n').count();
                place = end;
            } else {
                self.line(place, line, number)?;
                number += 1;
                place = line_end;
            }
            if self.parser.is_full() || place > SAMPLE_BYTES && self.value_bytes * 2 < self.bytes {
                return None;
            }
        }
        self.trailing_text()
    }

    /// The same for a value after a few words: `Results: [...]`.
    fn labelled(&mut self, place: usize, line: &str, number: usize) -> Option<Option<usize>> {
        let Some(start) = label(line) else { return Some(None) };
        self.heading = Some((number, place));
        let end = self.value(place + start, number)?;
        match end {
            Some(_) => self.texts += 1,
            None => self.heading = None,
        }
        Some(end)
    }

    /// Takes the value at a place, and returns where the next line begins; nothing if there is none. `None` means that
    /// the text is something else.
    fn value(&mut self, start: usize, number: usize) -> Option<Option<usize>> {
        let before = self.parser.json.len();
        let was_python = self.parser.is_python;
        if self.with_headings {
            self.begin_headed(start, number);
        }
        match self.parser.read(start) {
            Ok(end) if let Some(line_end) = self.line_end(end) => {
                self.headed += usize::from(self.heading.is_some());
                self.heading = None;
                self.values += 1;
                let is_line = self.text[..start].ends_with('\n') || start == 0;
                let has_comma = self.text[end..line_end].contains(',');
                self.has_commas |= has_comma;
                let is_object = self.text[start..].starts_with('{') && !has_comma;
                self.objects += usize::from(is_line && is_object);
                self.parser.json.push_str(if self.with_headings { "}\n" } else { "\n" });
                Some(Some(line_end))
            }
            Err((_, Some(whole))) if self.values == 0 && self.is_nearly_all(start, &whole) => {
                self.cut(&whole, number);
                self.values += 1;
                Some(Some(self.text.len()))
            }
            result => {
                let end = result.unwrap_or_else(|(end, _)| end);
                self.parser.json.truncate(before);
                self.parser.is_python = was_python;
                self.wasted += end - start;
                // A value that never ends is looked at once, and so are those inside it, but no more.
                (self.wasted <= 2 * self.text.len() + SAMPLE_BYTES).then_some(None)
            }
        }
    }

    /// The end of the line that a value ends on, if nothing but a comma follows.
    fn line_end(&self, end: usize) -> Option<usize> {
        let rest = &self.text[end..];
        let length = memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |length| length + 1);
        let after = rest[..length].trim();
        (after.is_empty() || after == ",").then_some(end + length)
    }

    fn line(&mut self, place: usize, line: &str, number: usize) -> Option<()> {
        if line.trim().is_empty() {
            return Some(());
        }
        self.texts += 1;
        self.bytes += line.len();
        let is_last = place + line.len() == self.text.len();
        self.breaks_off |= is_last && self.values > 0 && line.starts_with('{') && !line.trim_end().ends_with('}');
        self.heading.get_or_insert((number, place));
        if !self.with_headings {
            self.parser.json.push_str(&text_record(number, line));
            self.parser.json.push('\n');
        }
        Some(())
    }

    fn begin_headed(&mut self, start: usize, number: usize) {
        let (number, heading) = match self.heading {
            Some((number, place)) => (number, self.text[place..start].trim()),
            None => (number, ""),
        };
        self.parser.json.push_str(&format!("{{\"line\":{number},\"text\":"));
        push_quoted(&mut self.parser.json, heading);
        self.parser.json.push_str(",\"value\":");
    }

    /// Adds text after the last value: to the record of the only value, or else as a record of its own.
    fn trailing_text(&mut self) -> Option<()> {
        let Some((number, place)) = self.heading.filter(|_| self.with_headings) else { return Some(()) };
        let rest = self.text[place..].trim();
        let json = &mut self.parser.json;
        if self.values == 1 {
            json.truncate(json.trim_end().len() - 1);
            json.push_str(",\"text_after\":");
            push_quoted(json, rest);
            json.push_str("}\n");
        } else {
            json.push_str(&text_record(number, rest));
            json.push('\n');
        }
        Some(())
    }

    /// True if little of the text follows what is whole.
    fn is_nearly_all(&self, start: usize, whole: &Whole) -> bool {
        let rest = self.text.len() - whole.end;
        rest * 10 <= (self.text.len() - start) * CUT_PARTS
    }

    /// Closes a value that breaks off; what follows goes into it as text.
    fn cut(&mut self, whole: &Whole, number: usize) {
        let rest = self.text[whole.end..].trim_start_matches([',', ' ', '\n', '\r']);
        let line = number + self.text[..self.text.len() - rest.len()].matches('\n').count();
        self.parser.is_python = whole.is_python;
        self.breaks_off = true;
        let json = &mut self.parser.json;
        json.truncate(whole.json);
        if let Some(close) = whole.close.strip_suffix('}') {
            json.push_str(close);
            json.push_str(",\"text_cut_off\":");
            push_quoted(json, rest);
            json.push('}');
        } else {
            json.push(',');
            json.push_str(&text_record(line, rest));
            json.push_str(&whole.close);
        }
        json.push_str(if self.with_headings { "}\n" } else { "\n" });
        self.heading = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn values_become_a_document() {
        let long = format!("[{}", "{\"a\":1},".repeat(30));
        let rows = [
            ("[{'a': 1}, {'a': None}]".to_owned(), "python [{\"a\":1},{\"a\":null}]".to_owned()),
            ("[{\"a\":1},{\"a\":NaN},]\n".to_owned(), "json [{\"a\":1},{\"a\":null}]".to_owned()),
            ("(1, 'x')\n(2, 'y')\n".to_owned(), "python [1,\"x\"]\n[2,\"y\"]".to_owned()),
            (
                "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4,\"b".to_owned(),
                "json-lines {\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"line\":4,\"text\":\"{\\\"a\\\":4,\\\"b\"}".to_owned(),
            ),
            (
                "=== a ===\n{\"a\":\n1}\n\n=== b ===\n{\"a\":2222222}\n".to_owned(),
                "json-blocks {\"line\":1,\"text\":\"=== a ===\",\"value\":{\"a\":1}}\n{\"line\":5,\"text\":\"=== b ===\",\"value\":{\"a\":2222222}}".to_owned(),
            ),
            (
                format!("Contents:\n{{\"l\":[{}1]}}\nEnd\n", "1,".repeat(60)),
                format!("json-blocks {{\"line\":1,\"text\":\"Contents:\",\"value\":{{\"l\":[{}1]}},\"text_after\":\"End\"}}", "1,".repeat(60)),
            ),
            (
                format!("Results: {long}2]\n"),
                format!("json-blocks {{\"line\":1,\"text\":\"Results:\",\"value\":{long}2]}}"),
            ),
            (format!("{long}{{\"a\":"), format!("json {},{{\"line\":1,\"text\":\"{{\\\"a\\\":\"}}]", long.trim_end_matches(','))),
            (
                format!("{{\"l\":{long}{{\"a\":"),
                format!("json {{\"l\":{}],\"text_cut_off\":\"{{\\\"a\\\":\"}}", long.trim_end_matches(',')),
            ),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(&text)), expected, "{text}");
        }
    }

    #[test]
    fn text_with_a_value_in_it_stays_text() {
        let texts = [
            "Use it like this, and nothing will go wrong with it:\n{\"a\":1}\nThen go on as before.\n",
            "[section]\nkey = 1\n[other]\nkey = 2\n",
            "[12] started\n[13] stopped\n",
            "function f() {\n  return 1;\n}\n",
            "[link](a)\n[other](b)\n",
            "let table = &[\n  (1, 2),\n  (1, 2),\n  (1, 2),\n  (1, 2),\n];\n",
        ];
        for text in texts {
            assert_eq!(lines_of(read(text)), "", "{text}");
        }
    }
}
