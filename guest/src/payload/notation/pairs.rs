//! Lines of pairs, as logfmt writes them: `level=info msg="two words"`; or as LTSV does, `level:info` with tabs between them.

use super::Reading;
use super::fields::{Found, Sink, TextField, Value, read as read_fields};
use super::names::MOST_COLUMNS;

/// One pair in a line may be an assignment in a program.
const LEAST_PAIRS: usize = 2;

/// A longer key is not one.
const MOST_KEY_BYTES: usize = 64;

/// Records that make a log.
const LEAST_RECORDS: usize = 3;

/// Reads lines of pairs.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    read_fields("key-values", LEAST_RECORDS, text, walk)
}

fn walk<'a>(text: &'a str, sink: &mut Sink<'_, 'a>) -> Option<()> {
    text.lines().enumerate().try_for_each(|(i, line)| match pairs(line).or_else(|| labelled(line)) {
        Some(fields) => sink(Found::Row { lines: 1, fields }),
        None => sink(Found::Line { number: i + 1, line }),
    })
}

/// The pairs of a line that has nothing else.
fn pairs(line: &str) -> Option<Vec<TextField<'_>>> {
    let mut pairs = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        if !is_key(key) || pairs.len() >= MOST_COLUMNS {
            return None;
        }
        let is_quoted = after.starts_with('"');
        let end = if is_quoted { quoted_end(after)? } else { after.find(char::is_whitespace).unwrap_or(after.len()) };
        let value = if is_quoted {
            Value::Text(unescaped(&after[1..end - 1]).into())
        } else {
            Value::Bare(after[..end].into())
        };
        if !is_quoted && after[..end].contains(['"', '{', '[', '(', ';', '<']) {
            return None;
        }
        pairs.push(TextField { key: key.into(), value });
        rest = &after[end..];
        if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            return None;
        }
        rest = rest.trim_start();
    }
    (pairs.len() >= LEAST_PAIRS).then_some(pairs)
}

/// The labelled values of a line of LTSV.
fn labelled(line: &str) -> Option<Vec<TextField<'_>>> {
    let count = memchr::memchr_iter(b'\t', line.as_bytes()).take(MOST_COLUMNS).count() + 1;
    if !(LEAST_PAIRS..=MOST_COLUMNS).contains(&count) {
        return None;
    }
    let field = |part| {
        let (key, value) = str::split_once(part, ':').filter(|(key, _)| is_key(key))?;
        // Values have no escapes; LTSV writes a hyphen where there is none, which stays as it is.
        Some(TextField { key: key.into(), value: Value::Bare(value.into()) })
    };
    line.split('\t').map(field).collect()
}

fn is_key(key: &str) -> bool {
    key.len() <= MOST_KEY_BYTES
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_' || first == '@')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-@/".contains(&byte))
}

/// Where a quoted string ends, after its closing quote.
fn quoted_end(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })?;
    Some(end + 2)
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (letter, letter == '\\') {
            (_, true) => match letters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some(quoted @ ('"' | '\\')) => plain.push(quoted),
                other => plain.extend(['\\'].into_iter().chain(other)),
            },
            (letter, false) => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn pairs_become_members() {
        let rows = [
            (
                "t=1 ok=true msg=\"a \\\"b\\\" \\d\"\nt=2 ok=false msg=x\nt=3 ok=true msg=\n",
                "key-values {\"t\":1,\"ok\":true,\"msg\":\"a \\\"b\\\" \\\\d\"}\n{\"t\":2,\"ok\":false,\"msg\":\"x\"}\n{\"t\":3,\"ok\":true,\"msg\":\"\"}",
            ),
            (
                "a=1 b=2\na=3 b=x\na=\"4\" b=5\n",
                "key-values {\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"3\",\"b\":\"x\"}\n{\"a\":\"4\",\"b\":\"5\"}",
            ),
            (
                "a=1 b=2\na=1 b=2\na=1 b=2\ngoroutine 1\n",
                "key-values {\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n{\"a\":1,\"b\":2}\n{\"line\":4,\"text\":\"goroutine 1\"}",
            ),
            (
                "host:a\tstatus:200\thost_time:1:2\nhost:b\tstatus:404\thost_time:1:3\nhost:\tstatus:500\n",
                "key-values {\"host\":\"a\",\"status\":200,\"host_time\":\"1:2\"}\n{\"host\":\"b\",\"status\":404,\"host_time\":\"1:3\"}\n{\"host\":\"\",\"status\":500}",
            ),
            ("a:1\tb\na:1\tb\na:1\tb\n", ""),
            ("PATH=/bin\nHOME=/root\nA=b\n", ""),
            ("a = 1\nb = 2\nc = 3\n", ""),
            ("x=1 y=f(a)\nx=1 y=f(a)\nx=1 y=f(a)\n", ""),
            (
                "a=1 a=2\na=1 a=2\na=1\nb=1 a=x\n",
                "key-values {\"a\":[\"1\",\"2\"]}\n{\"a\":[\"1\",\"2\"]}\n{\"line\":3,\"text\":\"a=1\"}\n{\"b\":1,\"a\":[\"x\"]}",
            ),
            ("INFO a=1 b=2\nINFO a=1 b=2\nINFO a=1 b=2\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
