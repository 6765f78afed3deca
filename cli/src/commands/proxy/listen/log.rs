//! The events of a session, in order: what a stream still has to send, and what a client that comes back can get again
//! (`Last-Event-ID`).

use std::collections::BTreeMap;

use hyper::body::Bytes;

/// What has been sent is kept up to this, for streams that break. Most results are shorter than a kilobyte, because larger
/// ones are in files.
const MOST_SENT_BYTES: usize = 8 << 20;

/// The same in events.
const MOST_EVENTS: usize = 1000;

/// What has not been sent yet is kept up to this. A client that reads loses nothing before a server is this far ahead.
const MOST_BYTES: usize = 64 << 20;

/// Events by their numbers.
#[derive(Default)]
pub(super) struct Log {
    events: BTreeMap<u64, Event>,
    bytes: usize,
    last: u64,
}

struct Event {
    stream: u64,
    line: Bytes,
    is_sent: bool,
}

impl Log {
    /// The number of the last event.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Adds an event of a stream. Returns the events that are dropped for it: their streams and numbers.
    pub(super) fn add(&mut self, stream: u64, line: Bytes) -> Vec<(u64, u64)> {
        self.last += 1;
        self.bytes += line.len();
        self.events.insert(self.last, Event { stream, line, is_sent: false });
        let mut dropped = Vec::new();
        while self.bytes > MOST_SENT_BYTES || self.events.len() > MOST_EVENTS {
            let oldest_sent = self.events.iter().find(|(_, event)| event.is_sent).map(|(number, _)| *number);
            let has_room = self.bytes <= MOST_BYTES && self.events.len() <= MOST_EVENTS;
            let oldest = || self.events.keys().next().copied().filter(|number| !has_room && *number != self.last);
            let Some(number) = oldest_sent.or_else(oldest) else { break };
            let event = self.events.remove(&number).expect("its number is among them");
            self.bytes -= event.line.len();
            dropped.push((event.stream, number));
        }
        dropped
    }

    /// The first event of a stream after the event with this number.
    pub(super) fn after(&self, stream: u64, number: u64) -> Option<(u64, Bytes)> {
        let mut later = self.events.range(number + 1..);
        later.find(|(_, event)| event.stream == stream).map(|(number, event)| (*number, event.line.clone()))
    }

    /// Notes that an event is being sent.
    pub(super) fn sent(&mut self, number: u64) {
        if let Some(event) = self.events.get_mut(&number) {
            event.is_sent = true;
        }
    }

    /// Drops the events of a stream.
    pub(super) fn forget(&mut self, stream: u64) {
        self.events.retain(|_, event| event.stream != stream);
        self.bytes = self.events.values().map(|event| event.line.len()).sum();
    }

    /// True if there are events of this stream.
    pub(super) fn has(&self, stream: u64) -> bool {
        self.events.values().any(|event| event.stream == stream)
    }

    /// The event of a stream that has no other.
    pub(super) fn only(&self, stream: u64) -> Option<Bytes> {
        let mut events = self.events.values().filter(|event| event.stream == stream);
        let only = events.next()?;
        events.next().is_none().then(|| only.line.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Log, MOST_BYTES, MOST_EVENTS, MOST_SENT_BYTES};

    #[test]
    fn each_stream_has_its_events_in_order() {
        let mut log = Log::default();
        for (stream, line) in [(1, "a"), (2, "b"), (1, "c")] {
            assert_eq!(log.add(stream, Bytes::from(line)), []);
        }
        assert_eq!(log.after(1, 0), Some((1, Bytes::from("a"))));
        assert_eq!(log.after(1, 1), Some((3, Bytes::from("c"))));
        assert_eq!(log.after(1, 3), None);
        assert_eq!((log.only(1), log.only(2)), (None, Some(Bytes::from("b"))));
        log.forget(1);
        assert!(!log.has(1) && log.has(2));
    }

    #[test]
    fn what_has_been_sent_is_dropped_first() {
        let mut log = Log::default();
        let half = Bytes::from(vec![b'x'; MOST_SENT_BYTES / 2]);
        log.add(1, half.clone());
        log.add(2, half.clone());
        log.sent(2);
        assert_eq!(log.add(1, half.clone()), [(2, 2)]);
        assert_eq!(log.add(1, half.clone()), []);
        // Nothing has been sent, and the last event is never dropped.
        assert_eq!(log.add(1, Bytes::from(vec![b'x'; MOST_BYTES])), [(1, 1), (1, 3), (1, 4)]);
    }

    #[test]
    fn events_are_counted() {
        let mut log = Log::default();
        let dropped: usize = (0..MOST_EVENTS + 5).map(|_| log.add(1, Bytes::from("x")).len()).sum();
        assert_eq!(dropped, 5);
    }
}
