//! Lines of JSON objects, in bounded memory: a line that is too long, or something else, is skipped and counted.

use std::io::{self, BufRead};

/// What could not be read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Skipped {
    pub(crate) too_long: u64,
    pub(crate) not_json: u64,
}

/// Passes each line that may be JSON to `take`.
///
/// # Errors
/// Those of reading, and of `take`.
pub(crate) fn each<E: From<io::Error>>(
    mut input: impl BufRead,
    most_bytes: usize,
    mut take: impl FnMut(&str) -> Result<(), E>,
) -> Result<Skipped, E> {
    let mut skipped = Skipped::default();
    let mut line = Vec::new();
    while let Some(is_whole) = next(&mut input, most_bytes, &mut line)? {
        match std::str::from_utf8(&line).map(str::trim) {
            _ if !is_whole => skipped.too_long += 1,
            Ok("") => {}
            Ok(text) if text.starts_with('{') && is_json(text) => take(text)?,
            _ => skipped.not_json += 1,
        }
    }
    Ok(skipped)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Reads the next line. False for one that was longer than allowed; `None` at the end.
fn next(input: &mut impl BufRead, most_bytes: usize, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    line.shrink_to(1 << 20);
    let mut is_whole = true;
    let mut has_any = false;
    loop {
        let available = match input.fill_buf() {
            Ok(available) => available,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if available.is_empty() {
            return Ok(has_any.then_some(is_whole));
        }
        has_any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let piece = &available[..end.unwrap_or(available.len())];
        is_whole &= line.len() + piece.len() <= most_bytes;
        if is_whole {
            line.extend_from_slice(piece);
        }
        let used = end.map_or(piece.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(is_whole));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn what_is_not_a_line_of_json_is_counted() {
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(100));
        let text = format!("{{\"a\":1}}\n\n{long}\r\ngarbage\n{{\"a\n[]\n{{\"b\":2}}");
        for size in [1, 7, 4096] {
            let mut taken = Vec::new();
            let take = |line: &str| -> io::Result<()> {
                taken.push(line.to_owned());
                Ok(())
            };
            let skipped = each(BufReader::with_capacity(size, text.as_bytes()), 50, take).unwrap();
            assert_eq!(skipped, Skipped { too_long: 1, not_json: 3 });
            assert_eq!(taken, ["{\"a\":1}", "{\"b\":2}"]);
        }
        let binary = each(&b"\xff\xfe\n"[..], 50, |_| -> io::Result<()> { panic!("it is not text") }).unwrap();
        assert_eq!(binary.not_json, 1);
    }
}
