//! What `wc` prints for several files: a record for each. It is known by the sum at its end.

use lro_query::json::Object;

use super::output::Output;
use super::{Reading, SAMPLE_BYTES};

/// What the counts of a line are, if it has one or three. One may be lines, words or bytes.
const KEYS: [&[&str]; 2] = [&["count"], &["lines", "words", "bytes"]];

/// Errors that may come before the first file.
const MOST_HEADINGS: usize = 3;

/// More bytes than this no file has.
const MOST_DIGITS: usize = 15;

/// A text of at least so many bytes may be the sample of a longer one, whose sum comes later.
const MOST_WITH_SUM: usize = SAMPLE_BYTES - 4096;

/// Reads counts of files.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut first = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    if !first.any(|line| KEYS.iter().any(|keys| counted(line, keys.len()).is_some())) {
        return None;
    }
    KEYS.into_iter().find_map(|keys| read_with(text, keys))
}

/// Reads files that have so many counts each.
fn read_with<'a>(text: &'a str, keys: &[&str]) -> Option<Reading<'a>> {
    let mut output = Output::of(text);
    let mut sums = vec![0_u64; keys.len()];
    let (mut files, mut paths, mut totals) = (0, 0, 0);
    for (number, line) in (1..).zip(text.lines()) {
        let Some((counts, path)) = counted(line, keys.len()) else {
            output.line(number, line)?;
            continue;
        };
        let counts: Vec<&str> = counts.split_ascii_whitespace().collect();
        let values: Vec<u64> = counts.iter().filter_map(|count| count.parse().ok()).collect();
        if path == "total" && files > 0 && values == sums {
            totals += 1;
            sums.fill(0);
            output.plain(number, line.trim_start())?;
            continue;
        }
        sums.iter_mut().zip(&values).for_each(|(sum, value)| *sum = sum.saturating_add(*value));
        files += 1;
        paths += usize::from(path.contains(['/', '.']));
        let mut record = Object::default();
        for (key, count) in keys.iter().zip(counts) {
            record.json(key, count);
        }
        record.text("path", path);
        output.record(1, record.finish())?;
    }
    let is_counted = totals > 0 || paths * 2 > files && (MOST_WITH_SUM..=SAMPLE_BYTES).contains(&text.len());
    (is_counted && files > 1).then(|| output.finish("word-counts")).flatten()
}

/// The counts of a line, if it has so many, and its path.
fn counted(line: &str, many: usize) -> Option<(&str, &str)> {
    let mut rest = line;
    for _ in 0..many {
        let start = rest.trim_start_matches(' ');
        let digits = start.bytes().take_while(u8::is_ascii_digit).count();
        let is_count = (1..=MOST_DIGITS).contains(&digits) && (digits == 1 || !start.starts_with('0'));
        rest = is_count.then(|| start[digits..].strip_prefix(' ').map(|_| &start[digits..]))??;
    }
    let path = &rest[1..];
    (!path.is_empty() && !path.starts_with(' ')).then_some((&line[..line.len() - rest.len()], path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn counts_become_records() {
        let rows = [
            (
                "  53 src/a.rs\n 173 src/b c.rs\nwc: src: Is a directory\n   0 src\n 226 total\n",
                "word-counts {\"count\":53,\"path\":\"src/a.rs\"}\n{\"count\":173,\"path\":\"src/b c.rs\"}\n{\"line\":3,\"text\":\"wc: src: Is a directory\"}\n{\"count\":0,\"path\":\"src\"}\n{\"line\":5,\"text\":\"226 total\"}",
            ),
            (
                " 1  2   3 a\n 4  5 106 b\n 5  7 109 total\n",
                "word-counts {\"lines\":1,\"words\":2,\"bytes\":3,\"path\":\"a\"}\n{\"lines\":4,\"words\":5,\"bytes\":106,\"path\":\"b\"}\n{\"line\":3,\"text\":\"5  7 109 total\"}",
            ),
            ("  53 src/a.rs\n 173 src/b.rs\n   3 src/c.rs\n", ""),
            ("  53 a\n 173 b\n 225 total\n", ""),
            ("1 two\n3 four\n5 six\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_known_by_its_sum_too() {
        let lines = "  3 src/a.rs\n".repeat(9_000);
        assert_eq!(lines_of(read(&lines)), "");
        let text = lines + "  27000 total\n";
        assert!(lines_of(read(&text)).starts_with("word-counts"));
        assert!(read(crate::payload::notation::sample(&text)).is_some());
    }
}
