//! System calls that the standard library lacks: waiting for streams, signals, process groups.

#![cfg(unix)]
#![allow(unsafe_code, reason = "the standard library has none of these calls")]

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The umask that this process was started with, for the programs that it starts.
static UMASK: AtomicU64 = AtomicU64::new(0o022);

/// Files that this process creates are for this user only (USER-08).
pub(crate) fn keep_new_files_private() {
    // SAFETY: umask has no preconditions and cannot fail; no other thread runs yet.
    let before = unsafe { libc::umask(0o077) };
    UMASK.store(before.into(), Ordering::Relaxed);
}

/// A write beyond `ulimit -f` is a write that fails, which an offload survives (LRO-37). By default it ends the process.
pub(crate) fn survive_a_limit_on_files() {
    // SAFETY: SIG_IGN is a valid disposition, no handler runs, and no other thread runs yet.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// True if the main thread has less stack than this (`ulimit -s`).
pub(crate) fn has_less_stack_than(bytes: usize) -> bool {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the pointer is to a limit that lives as long as the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) } == 0;
    known && usize::try_from(limit.rlim_cur).is_ok_and(|limit| limit < bytes)
}

/// The user that this process acts as.
pub(super) fn user() -> u32 {
    // SAFETY: geteuid has no preconditions and cannot fail.
    unsafe { libc::geteuid() }
}

/// Lets a command start as it would without us: with the umask that we were started with and with default signals. It gets
/// a process group of its own, so that signals also reach what it starts, and on Linux it does not outlive the thread that
/// starts it.
pub(super) fn start_as_directly(command: &mut Command) {
    let umask = libc::mode_t::try_from(UMASK.load(Ordering::Relaxed)).unwrap_or(0o022);
    #[cfg(target_os = "linux")]
    let parent = std::process::id();
    let prepare = move || {
        // SAFETY: these calls are safe between fork and exec, and have no preconditions.
        unsafe {
            libc::umask(umask);
            // The standard library restores SIGPIPE itself.
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            #[cfg(target_os = "linux")]
            {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // The parent may have died before that.
                if u32::try_from(libc::getppid()) != Ok(parent) {
                    return Err(io::Error::from_raw_os_error(libc::ESRCH));
                }
            }
        }
        Ok(())
    };
    command.process_group(0);
    // SAFETY: `prepare` only makes calls that are safe after fork, and does not allocate.
    unsafe { command.pre_exec(prepare) };
}

/// Sends a signal to all processes of a group.
pub(super) fn signal_group(group: u32, signal: i32) {
    if let Ok(group) = i32::try_from(group)
        && group > 1
    {
        // SAFETY: kill has no preconditions.
        unsafe { libc::kill(-group, signal) };
    }
}

/// True when a child has ended. It can still be waited for, so its number is not given to another process.
pub(super) fn has_ended(child: u32) -> bool {
    // SAFETY: all bits zero are a valid siginfo_t, and the call gets a pointer to it.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        libc::waitid(libc::P_PID, child, &raw mut info, options) != 0 || info.si_signo != 0
    }
}

/// Waits until a child has ended. It can still be waited for, so its number is not given to another process.
pub(super) fn wait_for_end(child: u32) {
    // SAFETY: all bits zero are a valid siginfo_t, and the call gets a pointer to it.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        while libc::waitid(libc::P_PID, child, &raw mut info, libc::WEXITED | libc::WNOWAIT) != 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }
}

/// Calls `handler` for a signal, and makes interrupted calls go on.
pub(super) fn handle(signal: i32, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the handlers of this program only write to a pipe.
    unsafe { libc::signal(signal, handler as libc::sighandler_t) };
}

/// Ends this process by a signal, as if it had no handler.
pub(super) fn end_by(signal: i32) {
    // SAFETY: neither call has preconditions; the default of a signal that has ended a process does so again.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}

/// True if this process was started with a signal ignored, as `nohup` does.
pub(super) fn is_ignored(signal: i32) -> bool {
    // SAFETY: all bits zero are a valid sigaction, and the call gets a pointer to it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Writes a byte, also in a handler of a signal. What does not fit is lost.
pub(super) fn write_byte(stream: i32, byte: u8) {
    // SAFETY: the pointer is valid for one byte; write is safe in a handler.
    unsafe { libc::write(stream, (&raw const byte).cast(), 1) };
}

/// Makes writes to a stream fail instead of waiting.
pub(super) fn never_block(stream: &impl AsFd) -> io::Result<()> {
    // SAFETY: fcntl has no preconditions for these operations; the descriptor is open.
    let result = unsafe {
        let stream = stream.as_fd().as_raw_fd();
        libc::fcntl(stream, libc::F_SETFL, libc::fcntl(stream, libc::F_GETFL) | libc::O_NONBLOCK)
    };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Waits until there is something to read, or the end.
pub(super) fn wait_to_read(stream: &impl AsFd) -> io::Result<()> {
    poll(&mut [Watched::new(stream.as_fd(), libc::POLLIN)], None)
}

/// Waits until something can be written, or the reader has closed the stream.
pub(super) fn wait_to_write(stream: &impl AsFd) -> io::Result<()> {
    poll(&mut [Watched::new(stream.as_fd(), libc::POLLOUT)], None)
}

/// A stream, the event to wait for, and whether it has happened.
#[repr(transparent)]
pub(super) struct Watched<'a>(libc::pollfd, std::marker::PhantomData<BorrowedFd<'a>>);

/// The other side has stopped writing, although it may still read. On other platforms only reading shows that.
#[cfg(target_os = "linux")]
const SILENT: libc::c_short = libc::POLLRDHUP;
#[cfg(not(target_os = "linux"))]
const SILENT: libc::c_short = 0;

impl<'a> Watched<'a> {
    fn new(stream: BorrowedFd<'a>, events: libc::c_short) -> Self {
        Self(libc::pollfd { fd: stream.as_raw_fd(), events, revents: 0 }, std::marker::PhantomData)
    }

    /// Waits for something to read, or the end.
    pub(super) fn to_read(stream: &'a impl AsFd) -> Self {
        Self::new(stream.as_fd(), libc::POLLIN)
    }

    /// Waits for the other side to close the stream, whatever there is to read before.
    pub(super) fn to_go(stream: &'a impl AsFd) -> Self {
        Self::new(stream.as_fd(), SILENT)
    }

    /// The same stream, no longer watched.
    pub(super) fn only_if(mut self, is_watched: bool) -> Self {
        if !is_watched {
            self.0.fd = -1;
        }
        self
    }

    pub(super) fn has_come(&self) -> bool {
        self.0.revents != 0
    }

    /// The stream cannot be watched.
    pub(super) fn is_invalid(&self) -> bool {
        self.0.revents & libc::POLLNVAL != 0
    }
}

/// Waits until something has happened on one of the streams, but not longer than this. A signal may end it early.
pub(super) fn poll(streams: &mut [Watched<'_>], longest: Option<Duration>) -> io::Result<()> {
    // Rounded up, or the last part of a millisecond would be spent in a loop.
    let longest = longest.map_or(-1, |time| i32::try_from(time.as_micros().div_ceil(1000)).unwrap_or(i32::MAX));
    let count = libc::nfds_t::try_from(streams.len()).map_err(io::Error::other)?;
    // SAFETY: a `Watched` is a pollfd, and the pointer and the count are those of the slice.
    if unsafe { libc::poll(streams.as_mut_ptr().cast(), count, longest) } >= 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}
