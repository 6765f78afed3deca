//! A part of an object that has been read: the component asks for 64 KiB at a time, a store is asked for more.

use std::io;
use std::ops::Range;

/// What is asked for first: a page of results, or the header and the first records.
const FIRST_BYTES: u64 = 256 * 1024;

/// Each request that follows the one before asks for twice as much, up to this. It bounds the memory of a reader; at 4 MiB
/// the way to a store of another machine costs less than the bytes do.
const MOST_BYTES: u64 = 4 << 20;

/// The bytes of an object around where it is read.
#[derive(Debug)]
pub(super) struct Window {
    /// The size of the object.
    total: u64,
    begin: u64,
    bytes: Vec<u8>,
    /// How much is asked for next.
    ahead: u64,
}

impl Window {
    /// Of an object of this size; nothing has been read.
    pub(super) fn of(total: u64) -> Self {
        Self { total, begin: 0, bytes: Vec::new(), ahead: FIRST_BYTES }
    }

    /// At most `length` bytes from `offset` on, and whether the object ends after them. `fetch` reads a range from the store.
    pub(super) fn read(
        &mut self,
        offset: u64,
        length: u64,
        fetch: impl FnOnce(Range<u64>) -> io::Result<Vec<u8>>,
    ) -> io::Result<(Vec<u8>, bool)> {
        if offset >= self.total {
            return Ok((Vec::new(), true));
        }
        let end = self.begin + self.bytes.len() as u64;
        if !(self.begin..end).contains(&offset) {
            self.ahead = if offset == end && end > 0 { (self.ahead * 2).min(MOST_BYTES) } else { FIRST_BYTES };
            let wanted = offset..self.total.min(offset + self.ahead);
            let bytes = fetch(wanted.clone())?;
            if bytes.len() as u64 != wanted.end - wanted.start {
                return Err(io::Error::other(format!(
                    "the store returned {} bytes where {} were asked for",
                    bytes.len(),
                    wanted.end - wanted.start
                )));
            }
            (self.begin, self.bytes) = (offset, bytes);
        }
        // Both are inside of the window, whose size is that of a vector.
        let from = (offset - self.begin) as usize;
        let until = self.bytes.len().min(from.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)));
        let is_end = self.begin + until as u64 == self.total;
        Ok((self.bytes[from..until].to_vec(), is_end))
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_BYTES, MOST_BYTES, Window};

    #[test]
    fn an_object_is_read_in_ranges_that_grow() {
        let object: Vec<u8> = (0..20 << 20).map(|at: u32| (at % 251) as u8).collect();
        let (mut window, mut asked, mut read) = (Window::of(object.len() as u64), Vec::new(), Vec::new());
        loop {
            let (bytes, is_end) = window
                .read(read.len() as u64, 64 * 1024, |range| {
                    asked.push(range.end - range.start);
                    Ok(object[range.start as usize..range.end as usize].to_vec())
                })
                .unwrap();
            read.extend(bytes);
            if is_end {
                break;
            }
        }
        assert!(read == object);
        assert_eq!(asked[..6], [FIRST_BYTES, 2 * FIRST_BYTES, 1 << 20, 2 << 20, MOST_BYTES, MOST_BYTES]);
    }

    #[test]
    fn what_is_read_elsewhere_begins_small_again() {
        let mut window = Window::of(10 << 20);
        let mut asked = Vec::new();
        for offset in [0, 5 << 20, (5 << 20) + FIRST_BYTES, 1 << 20, 10 << 20] {
            let fetch = |range: std::ops::Range<u64>| {
                asked.push(range.clone());
                Ok(vec![0; (range.end - range.start) as usize])
            };
            window.read(offset, 10, fetch).unwrap();
        }
        let sizes: Vec<_> = asked.iter().map(|range| range.end - range.start).collect();
        assert_eq!(sizes, [FIRST_BYTES, FIRST_BYTES, 2 * FIRST_BYTES, FIRST_BYTES]);
    }

    #[test]
    fn a_store_that_returns_too_little_is_told() {
        let error = Window::of(100).read(0, 10, |_| Ok(vec![0; 7])).unwrap_err();
        assert_eq!(error.to_string(), "the store returned 7 bytes where 100 were asked for");
    }
}
