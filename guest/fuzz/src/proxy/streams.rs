//! Any bytes as a stream of server-sent events: the same events however the stream is cut, those that a plain reading of the
//! standard finds, and none that is longer than allowed.

use std::io::{self, Read};

use super::events::{Events, Place};

/// More than any input has.
const LONGEST: usize = 1 << 30;

/// Runs the target. The first byte says how the stream is cut.
pub fn run(data: &[u8]) {
    let Some((cut, stream)) = data.split_first() else { return };
    let whole = read(stream, LONGEST).expect("nothing breaks the stream");
    let pieces = Pieces { stream, most: usize::from(*cut) % 7 + 1 };
    let cut_up = read(pieces, LONGEST).expect("nothing breaks the stream");
    assert_eq!(whole, cut_up, "a stream means the same however it is cut");
    assert_eq!(whole, plainly(stream), "as the standard reads it");
    let longest = usize::from(*cut) + 1;
    match read(stream, longest) {
        Ok(events) => assert_eq!(events, whole),
        Err(error) => assert_eq!(error.kind(), io::ErrorKind::FileTooLarge),
    }
}

/// Data, id and whether it is a message, of each event; and the last id.
type AllEvents = (Vec<(Vec<u8>, Option<String>, bool)>, Option<String>);

fn read(stream: impl Read, longest: usize) -> io::Result<AllEvents> {
    let mut events = Events::of(stream, longest, Place::default());
    let mut read = Vec::new();
    while let Some(event) = events.next()? {
        assert!(event.data.len() <= longest, "an event of {} bytes", event.data.len());
        read.push((event.data, event.id, event.is_message));
    }
    Ok((read, events.place.id))
}

/// Gives a few bytes at a time.
struct Pieces<'a> {
    stream: &'a [u8],
    most: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.most.min(buffer.len());
        self.stream.read(&mut buffer[..length])
    }
}

/// The events by the words of the HTML standard, on the whole stream at once.
fn plainly(stream: &[u8]) -> AllEvents {
    let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
    let (mut lines, mut line, mut bytes) = (Vec::new(), Vec::new(), stream.iter().peekable());
    while let Some(byte) = bytes.next() {
        match byte {
            b'\n' => lines.push(std::mem::take(&mut line)),
            b'\r' => {
                bytes.next_if(|next| **next == b'\n');
                lines.push(std::mem::take(&mut line));
            }
            byte => line.push(*byte),
        }
    }
    let (mut events, mut last) = (Vec::new(), None);
    let (mut data, mut kind, mut id): (Option<Vec<u8>>, Vec<u8>, Option<Option<String>>) = (None, Vec::new(), None);
    for line in lines {
        if line.is_empty() {
            if let Some(id) = &id {
                last = id.clone();
            }
            let own = id.take().flatten();
            let kind = std::mem::take(&mut kind);
            if let Some(data) = data.take() {
                events.push((data, own, kind.is_empty() || kind == b"message"));
            }
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => match &mut data {
                Some(data) => data.extend([b"\n", value].concat()),
                None => data = Some(value.to_owned()),
            },
            b"event" => kind = value.to_owned(),
            b"id" => {
                let is_header =
                    (1..=4096).contains(&value.len()) && value.iter().all(|byte| (0x20..0x7f).contains(byte));
                id = Some(is_header.then(|| String::from_utf8(value.to_owned()).expect("it is ASCII")));
            }
            _ => {}
        }
    }
    (events, last)
}
