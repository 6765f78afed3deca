//! The time and randomness of a call, passed in so that logic never reads a clock.

use std::io;

use jiff::Timestamp;
use ulid::Ulid;

/// What a call needs of clock and randomness; the edge takes it, tests choose it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instant {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub milliseconds: u64,
    /// Random bits; the lower 80 are used.
    pub random: u128,
}

impl Instant {
    /// LRO-15: 26 Crockford characters, ordered by time.
    pub fn ulid(self) -> String {
        Ulid::from_parts(self.milliseconds, self.random).to_string()
    }

    /// LRO-10: ISO 8601, in UTC, to the millisecond.
    pub fn timestamp(self) -> String {
        timestamp(self.milliseconds)
    }
}

/// What reads the clock and the randomness of a call, once at most.
pub struct Clock<F> {
    read: Option<F>,
    instant: Option<io::Result<Instant>>,
}

impl<F: FnOnce() -> io::Result<Instant>> Clock<F> {
    /// One that is read by this.
    pub fn of(read: F) -> Self {
        Self { read: Some(read), instant: None }
    }

    /// The milliseconds, if the clock can be read.
    pub fn milliseconds(&mut self) -> Option<u64> {
        if let Some(read) = self.read.take() {
            self.instant = Some(read());
        }
        self.instant.as_ref()?.as_ref().ok().map(|instant| instant.milliseconds)
    }

    /// The whole.
    ///
    /// # Errors
    /// The clock or the randomness cannot be read.
    pub fn instant(self) -> io::Result<Instant> {
        match (self.instant, self.read) {
            (Some(instant), _) => instant,
            (None, Some(read)) => read(),
            (None, None) => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

/// Milliseconds since 1970 as ISO 8601.
pub fn timestamp(milliseconds: u64) -> String {
    let known = i64::try_from(milliseconds).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    known.map_or_else(|| "+beyond the calendar".to_owned(), |moment| format!("{moment:.3}"))
}

/// The same without the milliseconds.
pub fn timestamp_to_the_second(milliseconds: u64) -> String {
    let known = i64::try_from(milliseconds / 1000).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    known.map_or_else(|| timestamp(milliseconds), |moment| moment.to_string())
}

/// When something that was created at a moment has lived for so many seconds.
pub fn expiry(created: u64, ttl_seconds: u32) -> u64 {
    created.saturating_add(1000 * u64::from(ttl_seconds))
}

/// Parses ISO 8601 into milliseconds since 1970; `None` for anything else and for earlier times.
pub fn milliseconds(timestamp: &str) -> Option<u64> {
    u64::try_from(timestamp.parse::<Timestamp>().ok()?.as_millisecond()).ok()
}

/// The milliseconds in a ULID.
pub fn of_ulid(ulid: &str) -> Option<u64> {
    Ulid::from_string(ulid).ok().map(|ulid| ulid.timestamp_ms())
}

/// A ULID as the number that it writes down. The files of one document have numbers that follow each other.
pub fn number_of_ulid(ulid: &str) -> Option<u128> {
    Ulid::from_string(ulid).ok().map(|ulid| ulid.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_and_ulids_carry_their_time() {
        let instant = Instant { milliseconds: 1_790_000_000_123, random: 5 };
        assert_eq!(instant.timestamp(), "2026-09-21T14:13:20.123Z");
        assert_eq!(timestamp_to_the_second(instant.milliseconds), "2026-09-21T14:13:20Z");
        assert_eq!(milliseconds(&instant.timestamp()), Some(1_790_000_000_123));
        assert_eq!(instant.ulid().len(), 26);
        assert_eq!(of_ulid(&instant.ulid()), Some(1_790_000_000_123));
    }

    #[test]
    fn later_ulids_sort_later() {
        let ulid = |milliseconds, random| Instant { milliseconds, random }.ulid();
        assert!(ulid(1, u128::MAX) < ulid(2, 0));
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        assert_eq!((milliseconds("yesterday"), of_ulid("short")), (None, None));
    }
}
