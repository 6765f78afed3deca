//! Server-sent events, as far as MCP uses them: the data of each event is a message.

use std::io::{self, BufRead, BufReader, Read};
use std::mem::take;
use std::time::Duration;

/// An event with data.
#[derive(Debug, PartialEq)]
pub(super) struct Event {
    pub(super) data: Vec<u8>,
    /// Its own id: an event without one has the id of an earlier one, and that does not count here.
    pub(super) id: Option<String>,
    /// Its type is none or `message`; others are not for clients of MCP.
    pub(super) is_message: bool,
}

/// What a stream says about being opened again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// The id of the last event that was whole.
    pub(super) id: Option<String>,
    /// How long the server wants to be left alone before.
    pub(super) retry: Option<Duration>,
}

/// A stream of events. The format is that of the HTML standard: lines end with LF, CR or both, a byte order mark may come
/// first, and an empty line ends an event.
pub(super) struct Events<R> {
    stream: BufReader<R>,
    /// The most bytes of an event.
    longest: usize,
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The event is of a type that is not for clients of MCP.
    is_other: bool,
    /// The id of the event that is being read, which may have been reset. It counts when the event is whole: otherwise an
    /// event that the stream breaks off in would be left out when the stream is opened again.
    id: Option<Option<String>>,
    pub(super) place: Place,
    skips_line_feed: bool,
    is_begun: bool,
}

impl<R: Read> Events<R> {
    /// A stream that goes on at a place.
    pub(super) fn of(stream: R, longest: usize, place: Place) -> Self {
        Self {
            stream: BufReader::new(stream),
            longest,
            line: Vec::new(),
            data: None,
            is_other: false,
            id: None,
            place,
            skips_line_feed: false,
            is_begun: false,
        }
    }

    /// The next event; `None` at the end of the stream. An event that the stream breaks off in has not been sent.
    ///
    /// # Errors
    /// The stream breaks, or an event is too long (`FileTooLarge`).
    pub(super) fn next(&mut self) -> io::Result<Option<Event>> {
        while self.read_line()? {
            let line = take(&mut self.line);
            if line.is_empty() {
                let is_message = !take(&mut self.is_other);
                let id = self.id.take();
                if let Some(id) = &id {
                    self.place.id.clone_from(id);
                }
                if let Some(data) = self.data.take() {
                    return Ok(Some(Event { data, id: id.flatten(), is_message }));
                }
            } else {
                self.field(line);
            }
        }
        Ok(None)
    }

    /// Reads a line without its end. False at the end of the stream.
    fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let bytes = self.stream.fill_buf()?;
            if bytes.is_empty() {
                return Ok(false);
            }
            if take(&mut self.skips_line_feed) && bytes[0] == b'\n' {
                self.stream.consume(1);
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let piece = &bytes[..end.unwrap_or(bytes.len())];
            let held = self.line.len() + self.data.as_ref().map_or(0, Vec::len);
            if held + piece.len() > self.longest {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            self.line.extend_from_slice(piece);
            let Some(end) = end else {
                let length = bytes.len();
                self.stream.consume(length);
                continue;
            };
            self.skips_line_feed = bytes[end] == b'\r';
            self.stream.consume(end + 1);
            if !self.is_begun {
                self.is_begun = true;
                if self.line.starts_with(BYTE_ORDER_MARK) {
                    self.line.drain(..BYTE_ORDER_MARK.len());
                }
            }
            return Ok(true);
        }
    }

    fn field(&mut self, mut line: Vec<u8>) {
        let colon = line.iter().position(|byte| *byte == b':');
        let name = &line[..colon.unwrap_or(line.len())];
        let start = colon.map_or(line.len(), |colon| colon + 1 + usize::from(line.get(colon + 1) == Some(&b' ')));
        match name {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(&line[start..]);
                }
                // A message is nearly always one line: it is not copied.
                None => {
                    self.data = Some({
                        line.drain(..start);
                        line
                    })
                }
            },
            b"event" => self.is_other = !matches!(&line[start..], b"" | b"message"),
            b"id" => self.id = Some(String::from_utf8(line.split_off(start)).ok().filter(|id| is_header(id))),
            b"retry" => {
                let text = std::str::from_utf8(&line[start..]).unwrap_or_default();
                if let Ok(milliseconds) = text.parse() {
                    self.place.retry = Some(Duration::from_millis(milliseconds));
                }
            }
            // Comments begin with a colon. Unknown fields are ignored.
            _ => {}
        }
    }
}

/// U+FEFF in UTF-8.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The longest id of an event that is sent back: servers take headers of 8 KiB together. A longer one would also be kept for
/// as long as its stream.
const LONGEST_ID: usize = 4096;

/// True for an id that can be sent back in `Last-Event-ID`.
fn is_header(id: &str) -> bool {
    !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|byte| (0x20..0x7f).contains(&byte))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, ErrorKind, Read};
    use std::time::Duration;

    use super::{Events, LONGEST_ID, Place};

    fn messages(stream: impl Read) -> (Vec<String>, Place) {
        let mut events = Events::of(stream, 1000, Place::default());
        let mut messages = Vec::new();
        while let Some(event) = events.next().unwrap() {
            let mark = if event.is_message { "" } else { "other:" };
            messages.push(format!("{mark}{}", String::from_utf8(event.data).unwrap()));
        }
        (messages, events.place)
    }

    /// Gives one byte at a time.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn the_data_of_each_event_is_a_message() {
        let rows: [(&str, &[&str]); 9] = [
            ("data: a\n\ndata:b\n\n", &["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]),
            ("data: a\r\rdata: b\r\r", &["a", "b"]),
            ("\u{feff}data: a\n\n", &["a"]),
            ("data: {\"a\":\ndata: 1}\n\n", &["{\"a\":\n1}"]),
            (": hello\n\nretry: 3000\nid: 7\n\ndata\n\ndata: a\n\n", &["", "a"]),
            ("event: message\ndata: a\n\nevent: ping\ndata: b\n\ndata: c\n\n", &["a", "other:b", "c"]),
            ("data: a\n\ndata: half", &["a"]),
            ("data: a\n\ndata: half\n", &["a"]),
        ];
        for (stream, expected) in rows {
            assert_eq!(messages(stream.as_bytes()).0, expected, "{stream:?}");
            let slow = Slow(Cursor::new(stream.as_bytes().to_vec()));
            assert_eq!(messages(slow).0, expected, "byte by byte: {stream:?}");
        }
    }

    #[test]
    fn a_stream_says_where_it_was() {
        let place = messages(&b"id: 7\nretry: 30\ndata: a\n\n"[..]).1;
        assert_eq!(place, Place { id: Some("7".to_owned()), retry: Some(Duration::from_millis(30)) });
        assert_eq!(messages(&b"id: a\x01b\nretry: soon\n\n"[..]).1, Place::default());
        for (length, is_kept) in [(LONGEST_ID, true), (LONGEST_ID + 1, false)] {
            let stream = format!("id: {}\ndata: a\n\n", "i".repeat(length));
            let mut events = Events::of(stream.as_bytes(), 10_000, Place::default());
            assert_eq!(events.next().unwrap().unwrap().id.is_some(), is_kept);
            assert_eq!(events.place.id.is_some(), is_kept);
        }
    }

    #[test]
    fn an_event_that_is_not_whole_does_not_move_the_place() {
        let rows = [
            ("id: 7\ndata: a\n\nid: 8\ndata: half", Some("7")),
            ("id: 7\ndata: a\n\nid: 8\ndata: b\n", Some("7")),
            ("id: 7\n\n", Some("7")),
            ("id: 7\ndata: a\n\ndata: b\n\n", Some("7")),
            ("id: 7\ndata: a\n\nid\ndata: b\n\n", None),
        ];
        for (stream, id) in rows {
            assert_eq!(messages(stream.as_bytes()).1.id.as_deref(), id, "{stream:?}");
        }
    }

    #[test]
    fn a_stream_without_events_stays_where_it_was() {
        let place = Place { id: Some("7".to_owned()), retry: Some(Duration::from_millis(30)) };
        let mut events = Events::of(&b": hello\n\n"[..], 1000, place.clone());
        assert_eq!(events.next().unwrap(), None);
        assert_eq!(events.place, place);
    }

    #[test]
    fn an_event_has_a_longest() {
        let lines = "data: 123456789\n".repeat(100);
        for stream in [&lines, &"x".repeat(2000)] {
            let error = Events::of(stream.as_bytes(), 1000, Place::default()).next().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FileTooLarge);
        }
    }
}
