//! System calls that the standard library lacks: waiting for streams, signals, process groups.

#![cfg(unix)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, umask, waitid};
use signal_hook::consts::SIGXFSZ;

/// The umask that this process was started with, for the programs that it starts.
static UMASK: OnceLock<Mode> = OnceLock::new();

/// Files that this process creates are for this user only (USER-08).
pub(crate) fn keep_new_files_private() {
    // It is called once.
    let _ = UMASK.set(umask(Mode::RWXG | Mode::RWXO));
}

/// A write beyond `ulimit -f` is a write that fails, which an offload survives (LRO-37). By default it ends the process. A
/// handler, unlike a signal that is ignored, is not inherited by the programs that this process starts.
pub(crate) fn survive_a_limit_on_files() {
    // Without the handler such a write does what it always does.
    _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// True if the main thread has less stack than this (`ulimit -s`).
pub(crate) fn has_less_stack_than(bytes: usize) -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Stack).current;
    limit.and_then(|limit| usize::try_from(limit).ok()).is_some_and(|limit| limit < bytes)
}

/// The user that this process acts as.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Lets a command start as it would without us: with the umask that we were started with. It gets a process group of its own,
/// so that signals also reach what it starts, and on Linux it does not outlive the thread that starts it.
#[allow(unsafe_code, reason = "the standard library cannot set the umask of a command, nor let it end with its parent")]
pub(super) fn start_as_directly(command: &mut Command) {
    let mode = UMASK.get().copied().unwrap_or(Mode::WGRP | Mode::WOTH);
    #[cfg(target_os = "linux")]
    let parent = rustix::process::getpid();
    let prepare = move || {
        umask(mode);
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before that.
            if rustix::process::getppid() != Some(parent) {
                return Err(Errno::SRCH.into());
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
    if let (Some(group), Some(signal)) = (process(group), Signal::from_named_raw(signal))
        && !group.is_init()
    {
        // It may have ended.
        _ = kill_process_group(group, signal);
    }
}

/// True when a child has ended. It can still be waited for, so its number is not given to another process.
pub(super) fn has_ended(child: u32) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    process(child).is_none_or(|child| !matches!(waitid(WaitId::Pid(child), options), Ok(None)))
}

/// Waits until a child has ended. It can still be waited for, so its number is not given to another process.
pub(super) fn wait_for_end(child: u32) {
    let Some(child) = process(child) else { return };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(child), options), Err(Errno::INTR)) {}
}

fn process(number: u32) -> Option<Pid> {
    Pid::from_raw(i32::try_from(number).ok()?)
}

/// True if this process was started with a signal ignored, as `nohup` does.
#[allow(unsafe_code, reason = "no crate that is kept has the question without a change of the action")]
pub(super) fn is_ignored(signal: i32) -> bool {
    // SAFETY: all bits zero are a valid sigaction, and the call gets a pointer to it.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Makes writes to a stream fail instead of waiting.
pub(super) fn never_block(stream: &impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(stream, fcntl_getfl(stream)? | OFlags::NONBLOCK)?)
}

/// Waits until there is something to read, or the end.
pub(super) fn wait_to_read(stream: &impl AsFd) -> io::Result<()> {
    poll(&mut [Watched::to_read(stream)], None)
}

/// Waits until something can be written, or the reader has closed the stream.
pub(super) fn wait_to_write(stream: &impl AsFd) -> io::Result<()> {
    poll(&mut [Watched::new(stream.as_fd(), PollFlags::OUT)], None)
}

/// A stream, the event to wait for, and whether it has happened.
pub(super) struct Watched<'a> {
    stream: PollFd<'a>,
    is_watched: bool,
}

/// The other side has stopped writing, although it may still read. On other platforms only reading shows that.
#[cfg(target_os = "linux")]
const SILENT: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const SILENT: PollFlags = PollFlags::empty();

impl<'a> Watched<'a> {
    fn new(stream: BorrowedFd<'a>, events: PollFlags) -> Self {
        Self { stream: PollFd::from_borrowed_fd(stream, events), is_watched: true }
    }

    /// Waits for something to read, or the end.
    pub(super) fn to_read(stream: &'a impl AsFd) -> Self {
        Self::new(stream.as_fd(), PollFlags::IN)
    }

    /// Waits for the other side to close the stream, whatever there is to read before.
    pub(super) fn to_go(stream: &'a impl AsFd) -> Self {
        Self::new(stream.as_fd(), SILENT)
    }

    /// The same stream, no longer watched.
    pub(super) fn only_if(self, is_watched: bool) -> Self {
        Self { is_watched, ..self }
    }

    pub(super) fn has_come(&self) -> bool {
        !self.stream.revents().is_empty()
    }

    /// The stream cannot be watched.
    pub(super) fn is_invalid(&self) -> bool {
        self.stream.revents().contains(PollFlags::NVAL)
    }
}

/// Waits until something has happened on one of the streams, but not longer than this. A signal may end it early.
pub(super) fn poll(streams: &mut [Watched<'_>], longest: Option<Duration>) -> io::Result<()> {
    // A time beyond what the system can count is none.
    let longest = longest.and_then(|time| Timespec::try_from(time).ok());
    let watched = || streams.iter().filter(|stream| stream.is_watched);
    let mut polled: Vec<PollFd<'_>> = watched().map(|stream| stream.stream.clone()).collect();
    match rustix::event::poll(&mut polled, longest.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    for (stream, polled) in streams.iter_mut().filter(|stream| stream.is_watched).zip(polled) {
        stream.stream = polled;
    }
    Ok(())
}
