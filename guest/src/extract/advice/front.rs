//! The front of the records of a file, which remarks look at.

use std::io::{self, Read};

/// A first record is read whole up to this size: a package of a registry as one document has a few MB. The extraction held
/// it as well.
const MOST_RECORD_BYTES: usize = 8 << 20;

/// Reads so many bytes, or the whole first line if that is longer; and whether that is all of the input.
pub(super) fn front(mut input: impl Read, bytes: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut front = Vec::new();
    let mut wanted = bytes;
    loop {
        let read = input.by_ref().take(wanted).read_to_end(&mut front)?;
        let is_line = memchr::memchr(b'\n', &front[front.len() - read..]).is_some();
        let is_all = (read as u64) < wanted;
        if is_all || is_line || front.len() >= MOST_RECORD_BYTES {
            return Ok((front, is_all));
        }
        wanted = front.len() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_first_line_is_read_whole() {
        let long = "x".repeat(100);
        let rows = [
            ("a\nb\nc\n".to_owned(), 4, 4, false),
            ("a\nb\n".to_owned(), 9, 4, true),
            (format!("{long}\n"), 8, 101, true),
            (format!("{long}\nb\n{}", "c\n".repeat(99)), 8, 128, false),
            ("x".repeat(20 << 20), 1 << 20, MOST_RECORD_BYTES, false),
        ];
        for (text, bytes, expected, is_all) in rows {
            let (front, all) = front(text.as_bytes(), bytes).unwrap();
            assert_eq!((front.len(), all), (expected, is_all), "{text:.20}");
        }
    }
}
