//! Characters of UTF-8 in bytes. Bytes that are not UTF-8 are counted, and never panic.

use std::borrow::Cow;

use lro_query::written_in;

/// True for a byte that goes on with a character.
fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// True if the bytes begin inside of a character.
pub(super) fn begin_inside(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| continues(*byte))
}

/// How many characters begin in the bytes.
pub(super) fn count(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(!continues(*byte))).sum()
}

/// Where the characters end, so many of which are taken; the length of the bytes if there are fewer.
pub(super) fn end_of(bytes: &[u8], characters: usize) -> usize {
    // Most text is ASCII: a block is counted much faster than it is searched.
    const BLOCK: usize = 256;
    let (mut at, mut left) = (0, characters);
    while let Some(block) = bytes.get(at..at + BLOCK) {
        let found = count(block);
        if found > left {
            break;
        }
        left -= found;
        at += BLOCK;
    }
    for (place, byte) in bytes[at..].iter().enumerate() {
        if !continues(*byte) {
            if left == 0 {
                return at + place;
            }
            left -= 1;
        }
    }
    bytes.len()
}

/// The longest prefix of at most so many bytes that does not end inside of a character.
pub(super) fn prefix(bytes: &[u8], most: usize) -> &[u8] {
    if bytes.len() <= most {
        return bytes;
    }
    // A character has at most three more bytes.
    let end = (0..=3).filter_map(|back| most.checked_sub(back)).find(|end| !continues(bytes[*end]));
    &bytes[..end.unwrap_or(most)]
}

/// The longest prefix that is written as a JSON string in at most so many bytes, and one character at least.
pub(super) fn prefix_written_in(bytes: &[u8], room: usize) -> &[u8] {
    let bytes = prefix(bytes, room.max(4));
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => written_in(text, room).as_bytes(),
        // A byte that is not UTF-8 is written as a character of three bytes.
        Cow::Owned(text) => prefix(bytes, (written_in(&text, room).len() / 3).max(1)),
    }
}

/// How many bytes a text has as a JSON string, without its quotes.
pub(super) fn written_bytes(text: &str) -> usize {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=0x1F => 6,
        _ => 1,
    };
    text.bytes().map(escape).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_and_not_torn() {
        let text = "aé日😀b".repeat(200);
        let bytes = text.as_bytes();
        assert_eq!(count(bytes), 1000);
        for characters in [0, 1, 2, 3, 4, 5, 255, 256, 257, 999, 1000, 2000] {
            let expected: usize = text.chars().take(characters).map(char::len_utf8).sum();
            assert_eq!(end_of(bytes, characters), expected, "{characters}");
        }
        for most in 0..=bytes.len() {
            let prefix = prefix(bytes, most);
            assert!(prefix.len() <= most && prefix.len() + 4 > most.min(bytes.len()));
            assert!(std::str::from_utf8(prefix).is_ok());
        }
        assert!(begin_inside(&bytes[2..]) && !begin_inside(bytes) && !begin_inside(b""));
    }

    #[test]
    fn a_prefix_fits_into_a_string() {
        let text = "\"é\n\u{1}".repeat(50);
        for room in 0..400 {
            let prefix = std::str::from_utf8(prefix_written_in(text.as_bytes(), room)).unwrap();
            let written = serde_json::to_string(prefix).unwrap().len() - 2;
            assert_eq!(written, written_bytes(prefix));
            assert!(written <= room || prefix.chars().count() == 1, "{written} > {room}");
        }
        // Each byte is written as a character of three.
        for (room, bytes) in [(5, 1), (30, 10), (80, 26)] {
            assert_eq!(prefix_written_in(&[0xFF; 90], room).len(), bytes);
        }
    }
}
