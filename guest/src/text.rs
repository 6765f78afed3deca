//! Text that is not JSON: logs, Markdown, CSV (GATE-19, READ-23).

use std::io::{self, BufRead, Read};

use crate::frame::Frame;

/// A text, and what is known of it.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// All of it.
    pub text: &'a str,
    /// What it stood in, where that was not simply nothing.
    pub frame: Option<Frame>,
    /// Members of the object that it stood in, as the text of an object.
    pub inline: Option<String>,
    /// Its lines; the last one may lack its end.
    pub lines: u32,
    /// Characters of the longest line.
    pub longest: u32,
}

impl<'a> Text<'a> {
    /// Looks at a text.
    pub fn of(text: &'a str) -> Self {
        let (mut lines, mut longest) = (0, 0);
        for line in text.lines() {
            lines += 1;
            // Characters are counted only where there could be more of them.
            if line.len() > longest {
                longest = longest.max(line.chars().count());
            }
        }
        let longest = u32::try_from(longest).unwrap_or(u32::MAX);
        Self { text, frame: None, inline: None, lines, longest }
    }

    /// The first lines, each cut to so many characters.
    pub fn preview(&self, lines: usize, characters: usize) -> Vec<String> {
        self.text.lines().take(lines).map(|line| cut(line, characters)).collect()
    }
}

/// The beginning of a text, with a sign where something is missing.
pub fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The lines of a text as JSON strings, one a line: what jq makes of them with `-R`.
#[derive(Debug)]
pub struct JsonLines<R> {
    input: R,
    /// What has been made and not been read.
    ready: Vec<u8>,
    read: usize,
    in_line: bool,
    ended: bool,
}

impl<R: BufRead> JsonLines<R> {
    /// Begins at the front of a line.
    pub fn new(input: R) -> Self {
        Self { input, ready: Vec::new(), read: 0, in_line: false, ended: false }
    }

    fn make(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.read = 0;
        let block = self.input.fill_buf()?;
        let length = block.len();
        self.ended = length == 0;
        let mut rest = block;
        while !rest.is_empty() {
            if !self.in_line {
                self.ready.push(b'"');
                self.in_line = true;
            }
            let plain = rest.iter().position(|byte| made_of(*byte) != 1).unwrap_or(rest.len());
            self.ready.extend_from_slice(&rest[..plain]);
            if let Some(&byte) = rest.get(plain) {
                match byte {
                    b'\n' => {
                        self.ready.extend_from_slice(b"\"\n");
                        self.in_line = false;
                    }
                    b'"' | b'\\' => self.ready.extend_from_slice(&[b'\\', byte]),
                    b'\t' => self.ready.extend_from_slice(b"\\t"),
                    b'\r' => self.ready.extend_from_slice(b"\\r"),
                    _ => self.ready.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                }
            }
            rest = rest.get(plain + 1..).unwrap_or_default();
        }
        self.input.consume(length);
        if self.ended && self.in_line {
            self.ready.extend_from_slice(b"\"\n");
            self.in_line = false;
        }
        Ok(())
    }
}

/// How many bytes [`JsonLines`] makes of one: of a line's end, the closing quote too.
fn made_of(byte: u8) -> u64 {
    match byte {
        b'\n' | b'"' | b'\\' | b'\t' | b'\r' => 2,
        0..=0x1f | 0x7f => 6,
        _ => 1,
    }
}

/// How many bytes of a text, from the front of a line, [`JsonLines`] makes so many bytes of; these end with a line.
pub fn bytes_before(mut input: impl BufRead, made: u64) -> io::Result<u64> {
    let (mut so_far, mut bytes, mut in_line) = (0, 0, false);
    while so_far < made {
        let block = input.fill_buf()?;
        let length = block.len();
        if length == 0 {
            break;
        }
        for byte in block {
            // The opening quote of a line.
            so_far += u64::from(!in_line) + made_of(*byte);
            in_line = *byte != b'\n';
            bytes += 1;
            if so_far >= made {
                break;
            }
        }
        input.consume(length);
    }
    Ok(bytes)
}

impl<R: BufRead> Read for JsonLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?.read(buffer)?;
        self.consume(bytes);
        Ok(bytes)
    }
}

impl<R: BufRead> BufRead for JsonLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.read == self.ready.len() && !self.ended {
            self.make()?;
        }
        Ok(&self.ready[self.read..])
    }

    fn consume(&mut self, bytes: usize) {
        self.read += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_measured() {
        for (text, lines, longest) in
            [("", 0, 0), ("a", 1, 1), ("a\n\nbcd\n", 3, 3), ("日本\nabc", 2, 3), ("é\r\n", 1, 1)]
        {
            let found = Text::of(text);
            assert_eq!((found.lines, found.longest), (lines, longest), "{text}");
        }
        assert_eq!(Text::of("abc\nd\ne").preview(2, 2), ["ab…", "d"]);
    }

    #[test]
    fn lines_become_json_strings() {
        let text = "a \"b\"\\\n\n\t\u{7f}\u{1}é\r\nlast";
        let mut made = String::new();
        JsonLines::new(text.as_bytes()).read_to_string(&mut made).unwrap();
        let lines: Vec<String> = made.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines, text.split('\n').collect::<Vec<_>>());
        let (mut made_bytes, mut bytes) = (0, 0);
        for (line, json) in text.split_inclusive('\n').zip(made.split_inclusive('\n')) {
            assert_eq!(bytes_before(text.as_bytes(), made_bytes).unwrap(), bytes);
            made_bytes += json.len() as u64;
            bytes += line.len() as u64;
        }
    }
}
