//! What happens to a conversation besides messages: signals, ends of streams, the end of the server. One thread gets all of
//! it, as notes.

#[cfg(not(unix))]
pub(super) use others::{Notes, tell};
#[cfg(unix)]
pub(super) use unix::{Notes, tell};

/// Something to react to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Note {
    /// This process is asked to end.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    Signal(i32),
    /// The client has ended its input. What it sent before may not have been read yet.
    ClientIsSilent,
    /// The client has stopped reading.
    ClientHasGone,
    /// Nothing more comes from the server.
    ServerIsSilent,
    /// The component, which had to be compiled, is open.
    Opened,
    /// The component cannot be used, and the error has been reported.
    Unusable,
    /// The server may have ended.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no signals"))]
    ServerMayHaveEnded,
}

#[cfg(unix)]
mod unix {
    use std::io::{self, PipeReader, PipeWriter, Read, Write};
    use std::os::unix::net::UnixStream;
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::backend::SignalDelivery;
    use signal_hook::iterator::exfiltrator::SignalOnly;

    use super::Note;
    use crate::system::{self, Watched};

    /// A pipe that all threads can write to.
    static BELL: Mutex<Option<PipeWriter>> = Mutex::new(None);

    /// A note is one byte: the number of a signal, or one that no signal has.
    const CLIENT_IS_SILENT: u8 = 200;
    const CLIENT_HAS_GONE: u8 = 201;
    const SERVER_IS_SILENT: u8 = 202;
    const OPENED: u8 = 203;
    const UNUSABLE: u8 = 204;

    /// The notes that have arrived, and the client's two streams, which show that it has gone even while nobody reads or
    /// writes.
    pub(crate) struct Notes {
        bell: PipeReader,
        signals: SignalDelivery<UnixStream, SignalOnly>,
        watches_input: bool,
        watches_output: bool,
    }

    /// Sends a note.
    pub(crate) fn tell(note: Note) {
        let byte = match note {
            Note::Signal(signal) => u8::try_from(signal).unwrap_or_default(),
            Note::ClientIsSilent => CLIENT_IS_SILENT,
            Note::ClientHasGone => CLIENT_HAS_GONE,
            Note::ServerIsSilent => SERVER_IS_SILENT,
            Note::Opened => OPENED,
            Note::Unusable => UNUSABLE,
            Note::ServerMayHaveEnded => u8::try_from(SIGCHLD).unwrap_or_default(),
        };
        if let Some(bell) = &mut *BELL.lock().unwrap_or_else(PoisonError::into_inner) {
            // Where nothing fits, there is a note already.
            let _ = bell.write(&[byte]);
        }
    }

    impl Notes {
        /// From now on signals are notes.
        pub(crate) fn listen() -> io::Result<Self> {
            let (bell, ringer) = io::pipe()?;
            system::never_block(&ringer)?;
            let (read, write) = UnixStream::pair()?;
            read.set_nonblocking(true)?;
            write.set_nonblocking(true)?;
            let handled = [SIGTERM, SIGINT, SIGCHLD, SIGHUP].into_iter();
            let handled = handled.filter(|signal| *signal != SIGHUP || !system::is_ignored(SIGHUP));
            let signals = SignalDelivery::with_pipe(read, write, SignalOnly, handled)?;
            *BELL.lock().unwrap_or_else(PoisonError::into_inner) = Some(ringer);
            Ok(Self { bell, signals, watches_input: true, watches_output: true })
        }

        /// Waits for the next note; `None` when none has come at this time.
        pub(crate) fn next(&mut self, due: Option<Instant>) -> Option<Note> {
            loop {
                let longest = due.map(|due| due.saturating_duration_since(Instant::now()));
                if let Some(note) = self.look(longest) {
                    return Some(note);
                }
                if longest.is_some_and(|longest| longest.is_zero()) {
                    return None;
                }
            }
        }

        fn look(&mut self, longest: Option<Duration>) -> Option<Note> {
            let (input, output) = (io::stdin(), io::stdout());
            let mut streams = [
                Watched::to_read(&self.bell),
                Watched::to_read(self.signals.get_read()),
                Watched::to_go(&input).only_if(self.watches_input),
                Watched::to_go(&output).only_if(self.watches_output),
            ];
            // What cannot be waited for now may be there the next time.
            system::poll(&mut streams, longest).ok()?;
            let [bell, signals, input, output] = streams.map(|stream| (stream.has_come(), stream.is_invalid()));
            self.watches_output &= !output.0;
            if output == (true, false) {
                return Some(Note::ClientHasGone);
            }
            self.watches_input &= !input.0;
            if input == (true, false) {
                return Some(Note::ClientIsSilent);
            }
            if let Some(note) = signals.0.then(|| self.signal()).flatten() {
                return Some(note);
            }
            let mut byte = [0];
            if !bell.0 || self.bell.read_exact(&mut byte).is_err() {
                return None;
            }
            Some(match byte[0] {
                CLIENT_IS_SILENT => Note::ClientIsSilent,
                CLIENT_HAS_GONE => Note::ClientHasGone,
                SERVER_IS_SILENT => Note::ServerIsSilent,
                OPENED => Note::Opened,
                UNUSABLE => Note::Unusable,
                signal => note_of(signal.into()),
            })
        }

        /// One signal of those that have come. The next call finds the others.
        fn signal(&mut self) -> Option<Note> {
            if let Some(signal) = self.signals.pending().next() {
                return Some(note_of(signal));
            }
            // Emptied before the signals are looked at once more: one that comes between wakes the next call.
            let mut woken = [0; 64];
            while self.signals.get_read_mut().read(&mut woken).is_ok_and(|bytes| bytes > 0) {}
            self.signals.pending().next().map(note_of)
        }
    }

    fn note_of(signal: i32) -> Note {
        if signal == SIGCHLD { Note::ServerMayHaveEnded } else { Note::Signal(signal) }
    }
}

/// Elsewhere there are no signals, and streams tell of their end only to those who read and write.
#[cfg(not(unix))]
mod others {
    use std::io;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use super::Note;

    static SENDER: Mutex<Option<Sender<Note>>> = Mutex::new(None);

    /// How often to check whether the server has ended.
    const LOOK: Duration = Duration::from_millis(50);

    pub(crate) struct Notes(Receiver<Note>);

    /// Sends a note.
    pub(crate) fn tell(note: Note) {
        if let Some(sender) = &*SENDER.lock().unwrap_or_else(PoisonError::into_inner) {
            // The receiver may have ended already.
            let _ = sender.send(note);
        }
    }

    impl Notes {
        pub(crate) fn listen() -> io::Result<Self> {
            let (sender, notes) = channel();
            *SENDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
            Ok(Self(notes))
        }

        /// Waits for the next note; `None` when none has come at this time, or soon.
        pub(crate) fn next(&mut self, due: Option<Instant>) -> Option<Note> {
            let longest = due.map_or(LOOK, |due| due.saturating_duration_since(Instant::now()).min(LOOK));
            self.0.recv_timeout(longest).ok()
        }
    }
}
