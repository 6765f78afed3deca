//! A line on the terminal for what takes longer than half a second: a sign that moves, what is done, how far it has come.
//!
//! It is on standard error and only if that is a terminal, is gone at the end, and makes way for everything else that is
//! written. `NO_COLOR`, `TERM=dumb` and `CI` switch it off, and `LRO_PROGRESS_DELAY` says after how many milliseconds it comes.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use lro::Progress as Far;

/// What is over sooner needs no line, unless [`DELAY`] has another time.
const QUIET: Duration = Duration::from_millis(500);

/// The variable with the milliseconds until the line is shown. With 0 it is shown for everything, however soon that is over.
const DELAY: &str = "LRO_PROGRESS_DELAY";

/// Between two signs.
const TURN: Duration = Duration::from_millis(120);

const SIGNS: [char; 4] = ['|', '/', '-', '\\'];

/// Begins the line anew, and clears it.
const CLEAR: &str = "\r\u{1b}[K";

/// What is shown. There is one line for a process, so what wants to write finds it here.
static LINE: Mutex<Line> = Mutex::new(Line { is_shown: false, is_over: false });

struct Line {
    is_shown: bool,
    /// Standard output is the same terminal and has been written to: that is progress enough.
    is_over: bool,
}

/// What is going on, until this is dropped.
#[must_use = "it ends when it is dropped"]
pub(crate) struct Progress(Option<Drawing>);

struct Drawing {
    ended: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Something whose end nobody knows.
    pub(crate) fn begin(what: &'static str) -> Self {
        Self::drawing(what, || None)
    }

    /// Something that goes through bytes, as far as it says so.
    pub(crate) fn through_bytes(what: &'static str, far: Far) -> Self {
        Self::drawing(what, move || bytes(&far))
    }

    /// Something that has so many steps.
    pub(crate) fn through_steps(what: &'static str, far: Far) -> Self {
        Self::drawing(what, move || Some(format!("{} of {}", far.done(), far.total()?)))
    }

    fn drawing(what: &'static str, far: impl Fn() -> Option<String> + Send + 'static) -> Self {
        if !is_wanted() {
            return Self(None);
        }
        let ended = Arc::new((Mutex::new(false), Condvar::new()));
        let watched = Arc::clone(&ended);
        let (begun, mut wait) = (Instant::now(), delay());
        if wait.is_zero() {
            // Not by the thread: the work may be over before that starts.
            show(SIGNS[0], what, &far, begun);
            wait = TURN;
        }
        let thread = thread::Builder::new()
            .name("lro-progress".to_owned())
            .spawn(move || draw(what, &far, begun, wait, &watched));
        // If the system starts no thread, the work goes on without a line.
        Self(thread.ok().map(|thread| Drawing { ended, thread: Some(thread) }))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let Some(drawing) = &mut self.0 else { return };
        *drawing.ended.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        drawing.ended.1.notify_one();
        // It has nothing left to do but to notice that.
        _ = drawing.thread.take().map(JoinHandle::join);
        hide(false);
    }
}

/// Asked once, because everything that is written asks.
fn is_wanted() -> bool {
    static IS_WANTED: LazyLock<bool> = LazyLock::new(|| {
        let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let can_move = std::env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb") || cfg!(windows);
        io::stderr().is_terminal() && can_move && !is_set("NO_COLOR") && !is_set("CI")
    });
    *IS_WANTED
}

fn delay() -> Duration {
    let milliseconds = std::env::var(DELAY).ok().and_then(|value| value.parse().ok());
    milliseconds.map_or(QUIET, Duration::from_millis)
}

/// Clears the line, because something else is written; to standard output if `is_output`.
pub(crate) fn hide(is_output: bool) {
    if !is_wanted() {
        return;
    }
    let mut line = line();
    if line.is_shown {
        // Nobody needs it more than what follows.
        _ = io::stderr().write_all(CLEAR.as_bytes());
        line.is_shown = false;
    }
    line.is_over |= is_output && io::stdout().is_terminal();
}

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Draws until it has ended, after this wait for the first time.
fn draw(
    what: &str,
    far: &dyn Fn() -> Option<String>,
    begun: Instant,
    mut wait: Duration,
    (ended, changed): &(Mutex<bool>, Condvar),
) {
    for sign in SIGNS.into_iter().cycle() {
        let has_ended = ended.lock().unwrap_or_else(PoisonError::into_inner);
        let (has_ended, _) =
            changed.wait_timeout_while(has_ended, wait, |ended| !*ended).unwrap_or_else(PoisonError::into_inner);
        if *has_ended {
            return;
        }
        drop(has_ended);
        wait = TURN;
        if !show(sign, what, far, begun) {
            return;
        }
    }
}

/// Writes the line, unless it is over. Returns whether it may be written again.
fn show(sign: char, what: &str, far: &dyn Fn() -> Option<String>, begun: Instant) -> bool {
    let mut line = line();
    if line.is_over {
        return false;
    }
    let far = far().map(|far| format!(", {far}")).unwrap_or_default();
    let text = format!("{CLEAR}{sign} {what}{far}, {} s", begun.elapsed().as_secs());
    line.is_shown = io::stderr().write_all(text.as_bytes()).is_ok();
    true
}

/// `42 %, 25 of 60 MB`.
fn bytes(far: &Far) -> Option<String> {
    let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
    match (far.done(), far.total()) {
        (0, _) => None,
        (done, Some(total)) if total > 0 => {
            let done = done.min(total);
            let percent = done as f64 * 100.0 / total as f64;
            Some(format!("{percent:.0} %, {} of {} MB", megabytes(done), megabytes(total)))
        }
        (done, _) => Some(format!("{} MB", megabytes(done))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_it_is_can_be_read() {
        let far = Far::default();
        assert_eq!(bytes(&far), None);
        far.add(25_000_000);
        assert_eq!(bytes(&far).unwrap(), "25 MB");
        far.expect(60_000_000);
        assert_eq!(bytes(&far).unwrap(), "42 %, 25 of 60 MB");
        far.add(90_000_000);
        assert_eq!(bytes(&far).unwrap(), "100 %, 60 of 60 MB");
    }
}
