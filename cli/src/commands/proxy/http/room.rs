//! The memory for messages that are being received: two of the longest, whatever the number of replies.
//!
//! Of the replies that need more than a few bytes, the oldest always gets room, so that it comes to an end; the others share
//! as much again, and wait. A message keeps its room until somebody has taken it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A reply up to this needs no room. With a thread for each reply, these are 2 MiB.
const SHORT_BYTES: usize = 64 * 1024;

/// A reply may have so many times the longest message, with what stands around its data, between two events.
const MOST_TIMES: usize = 4;

/// How long a reply waits for room behind one that is not sent to its end.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How many bytes messages may have.
pub(super) struct Room {
    pub(super) longest: usize,
    longest_wait: Duration,
    replies: Mutex<Replies>,
    changed: Condvar,
}

/// Replies with more than [`SHORT_BYTES`], the oldest first.
#[derive(Default)]
struct Replies {
    held: VecDeque<Held>,
    next: u64,
}

struct Held {
    ticket: u64,
    bytes: usize,
    /// It has arrived, and waits to be taken.
    is_whole: bool,
}

impl Replies {
    /// True if the reply of this ticket may hold so many bytes.
    fn fits(&self, ticket: u64, bytes: usize, most: usize) -> bool {
        let is_oldest = self.held.front().is_some_and(|oldest| oldest.ticket == ticket);
        let others = self.held.iter().skip(1).filter(|held| held.ticket != ticket).map(|held| held.bytes);
        is_oldest || others.sum::<usize>() + bytes <= most
    }

    fn of(&mut self, ticket: u64) -> Option<&mut Held> {
        self.held.iter_mut().find(|held| held.ticket == ticket)
    }
}

impl Room {
    pub(super) fn of(longest: usize) -> Self {
        Self { longest, longest_wait: LONGEST_WAIT, replies: Mutex::default(), changed: Condvar::new() }
    }

    /// Why reading failed.
    pub(super) fn reason(&self, error: &io::Error) -> String {
        match error.kind() {
            ErrorKind::FileTooLarge => {
                format!("its answer is longer than {} bytes (--max-message)", self.longest)
            }
            ErrorKind::QuotaExceeded => {
                let most = self.longest.saturating_mul(2);
                format!("the answers that are being received are longer than {most} bytes together")
            }
            _ => format!("its answer breaks off: {error}"),
        }
    }

    /// Waits until the reply of this ticket may hold so many bytes.
    fn hold(&self, ticket: u64, bytes: usize) -> io::Result<()> {
        let mut replies = self.replies();
        let mut deadline = Instant::now() + self.longest_wait;
        while !replies.fits(ticket, bytes, self.longest) {
            if replies.held.front().is_some_and(|oldest| oldest.is_whole) {
                // The client is slow, not the server.
                deadline = Instant::now() + self.longest_wait;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::QuotaExceeded.into());
            }
            replies = self.changed.wait_timeout(replies, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if let Some(held) = replies.of(ticket) {
            held.bytes = bytes;
        }
        Ok(())
    }

    /// A place in the line.
    fn ticket(&self) -> u64 {
        let mut replies = self.replies();
        let ticket = replies.next;
        replies.next += 1;
        replies.held.push_back(Held { ticket, bytes: 0, is_whole: false });
        ticket
    }

    fn replies(&self) -> MutexGuard<'_, Replies> {
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one reply has received and nobody has taken yet.
pub(super) struct Share<'a> {
    room: &'a Room,
    bytes: Cell<usize>,
    ticket: Cell<Option<u64>>,
}

impl<'a> Share<'a> {
    pub(super) fn of(room: &'a Room) -> Self {
        Self { room, bytes: Cell::new(0), ticket: Cell::new(None) }
    }

    fn add(&self, bytes: usize) -> io::Result<()> {
        let bytes = self.bytes.get() + bytes;
        self.bytes.set(bytes);
        if bytes <= SHORT_BYTES {
            return Ok(());
        }
        if bytes > self.room.longest.saturating_mul(MOST_TIMES) {
            return Err(ErrorKind::FileTooLarge.into());
        }
        let ticket = self.ticket.get().unwrap_or_else(|| self.room.ticket());
        self.ticket.set(Some(ticket));
        self.room.hold(ticket, bytes)
    }

    /// A message has arrived, and its bytes are held until it has been taken.
    pub(super) fn is_whole(&self) {
        if let Some(ticket) = self.ticket.get() {
            if let Some(held) = self.room.replies().of(ticket) {
                held.is_whole = true;
            }
            self.room.changed.notify_all();
        }
    }

    /// What has been received so far has been taken.
    pub(super) fn release(&self) {
        self.bytes.set(0);
        if let Some(ticket) = self.ticket.take() {
            self.room.replies().held.retain(|held| held.ticket != ticket);
            self.room.changed.notify_all();
        }
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

/// A body whose bytes are counted.
pub(super) struct Metered<'a, R> {
    pub(super) body: R,
    pub(super) share: &'a Share<'a>,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.body.read(buffer)?;
        self.share.add(read)?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::thread;
    use std::time::Duration;

    use super::{Room, SHORT_BYTES, Share};

    const LONGEST: usize = 10 * SHORT_BYTES;

    fn room(longest_wait: Duration) -> Room {
        Room { longest_wait, ..Room::of(LONGEST) }
    }

    #[test]
    fn the_oldest_reply_has_room_and_others_wait_until_it_is_taken() {
        let room = room(Duration::from_millis(100));
        let [oldest, second, third] = [Share::of(&room), Share::of(&room), Share::of(&room)];
        for share in [&oldest, &second] {
            share.add(9 * SHORT_BYTES).unwrap();
        }
        // Replies that are short need none.
        third.add(SHORT_BYTES).unwrap();
        assert_eq!(third.add(SHORT_BYTES).unwrap_err().kind(), ErrorKind::QuotaExceeded);
        oldest.is_whole();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let share = Share::of(&room);
                share.add(2 * SHORT_BYTES).map(|()| share.bytes.get())
            });
            // Whoever waits for the client waits as long as it takes.
            thread::sleep(Duration::from_millis(300));
            assert!(!waiting.is_finished());
            drop(third);
            oldest.release();
            assert_eq!(waiting.join().unwrap().unwrap(), 2 * SHORT_BYTES);
        });
        second.add(SHORT_BYTES).unwrap();
    }

    #[test]
    fn many_replies_hold_no_more_than_two_of_the_longest_and_all_arrive() {
        let room = room(Duration::from_secs(60));
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let share = Share::of(&room);
                    for _ in 0..10 {
                        share.add(SHORT_BYTES).unwrap();
                        let held: usize = room.replies().held.iter().map(|held| held.bytes).sum();
                        assert!(held <= 2 * LONGEST, "{held}");
                    }
                });
            }
        });
        assert!(room.replies().held.is_empty());
    }

    #[test]
    fn a_reply_has_an_end() {
        let room = room(Duration::ZERO);
        let share = Share::of(&room);
        share.add(4 * LONGEST).unwrap();
        assert_eq!(share.add(1).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
