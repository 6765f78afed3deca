//! What a call may use, counted from the inside: steps, time, memory and stack.
//!
//! The interpreter cannot be counted from the outside, and not every host has a clock that stops it. So whatever can
//! repeat itself takes a step here: each call of a definition, each value of a generator, each record, and as many as a
//! value has parts or letters where it is built, compared or printed. A few thousand steps later the gauges are read.
//!
//! What is used up stays used up until the call ends: every later step fails as well, so no `try` of a filter goes on
//! after it, and the run turns it into [`Error::Spent`](crate::Error::Spent) whatever the filter has made of it.
//!
//! The counters belong to the thread, since operators of the interpreter see nothing but their operands.

use std::cell::Cell;
use std::fmt;
use std::hint::black_box;

use jaq_core::Exn;

use crate::Error;
use crate::value::Value;

/// So many steps lie between two looks at the gauges: they take about a millisecond, and a look a microsecond.
const BLOCK: u64 = 4096;

/// Fewer milliseconds pass between two looks: if there are more, the clock was set, or the machine has slept.
const MOST_BETWEEN_LOOKS: u64 = 10_000;

/// So many bytes that are built, compared or printed count as one step.
const BYTES_A_STEP: usize = 16;

/// So many bytes of a record that is read count as one step. Plans read a gigabyte a second.
const RECORD_BYTES_A_STEP: usize = 256;

/// A value that is nested deeper is not looked through: printing and comparing recurse. `fromjson` allows as much.
pub(crate) const MOST_LEVELS: u32 = 512;

/// No value is larger, whatever memory there is: the places of letters are numbers of 32 bits.
const MOST_VALUE_BYTES: usize = 1 << 30;

/// Smaller values are made without a look at the memory.
const LARGE_BYTES: usize = 1 << 20;

/// What a call may use.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Steps.
    pub steps: u64,
    /// Milliseconds.
    pub milliseconds: u64,
    /// Memory of the process in bytes. A value that would need an eighth more at once is not made.
    pub memory_bytes: u64,
    /// Stack below the start of the call, in bytes.
    pub stack_bytes: usize,
    /// The clock and the size of the memory.
    pub gauge: fn() -> Gauge,
}

/// What time it is, and how much memory the process has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gauge {
    /// Milliseconds since some moment.
    pub milliseconds: u64,
    /// Bytes of memory; none where that is not known.
    pub memory_bytes: u64,
}

/// What a call has used up, with its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spent {
    /// Steps.
    Steps(u64),
    /// Milliseconds.
    Milliseconds(u64),
    /// Bytes of memory.
    Memory(u64),
    /// Bytes of stack: calls nest too deep.
    Stack(usize),
    /// Levels of a value.
    Nesting(u32),
}

impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Steps(most) => write!(f, "it took more than {most} steps"),
            Self::Milliseconds(most) => write!(f, "it ran longer than {most} ms"),
            Self::Memory(most) => write!(f, "it needs more than {} MiB of memory", most >> 20),
            Self::Stack(most) => write!(f, "its calls nest too deep for a stack of {} KiB", most >> 10),
            Self::Nesting(most) => write!(f, "it made a value that is nested deeper than {most} levels"),
        }
    }
}

/// A budget at work.
#[derive(Clone, Copy)]
struct Work {
    budget: Budget,
    /// Steps behind those of the block.
    rest: u64,
    /// When the clock was last read, and how much time has passed by then.
    now: u64,
    passed: u64,
}

thread_local! {
    /// Steps before the next look. Without a budget they never end.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    /// The lowest address that the stack may reach.
    static FLOOR: Cell<usize> = const { Cell::new(0) };
    static WORK: Cell<Option<Work>> = const { Cell::new(None) };
    static SPENT: Cell<Option<Spent>> = const { Cell::new(None) };
}

impl Budget {
    /// Runs a call within the budget. A call inside of another one has what is left of that one's.
    pub fn within<T>(self, call: impl FnOnce() -> T) -> T {
        if WORK.get().is_some() {
            return call();
        }
        let Gauge { milliseconds, memory_bytes } = (self.gauge)();
        // Memory that an earlier call has taken is not given back, but used again.
        let reach = (memory_bytes + (16 << 20)).min(self.memory_bytes.saturating_mul(2));
        let budget = Self { memory_bytes: self.memory_bytes.max(reach), ..self };
        WORK.set(Some(Work { budget, rest: self.steps, now: milliseconds, passed: 0 }));
        LEFT.set(0);
        FLOOR.set(here().saturating_sub(self.stack_bytes));
        let _ended = Ended;
        call()
    }

    /// Takes the steps of so many bytes that are read outside of a filter.
    ///
    /// # Errors
    ///
    /// [`Error::Spent`] when something is used up. Without a budget nothing is.
    pub fn read(bytes: usize) -> Result<(), Error> {
        record(bytes)
    }

    /// Looks at the gauges, for work that takes long without a step.
    ///
    /// # Errors
    ///
    /// [`Error::Spent`] when something is used up.
    pub fn look() -> Result<(), Error> {
        if let Some(mut work) = WORK.get() {
            // What is left of the block is given back.
            work.rest += LEFT.replace(0);
            WORK.set(Some(work));
        }
        if look(0) { Ok(()) } else { check() }
    }

    /// Sees whether there is memory for so many bytes more.
    ///
    /// # Errors
    ///
    /// [`Error::Spent`] when there is not, or something else is used up.
    pub fn room(bytes: usize) -> Result<(), Error> {
        if has_room(bytes) { Ok(()) } else { check() }
    }

    /// Ends the call, because what it has to do would take longer than the time that is left.
    ///
    /// # Errors
    ///
    /// Always [`Error::Spent`] within a budget. Without a budget the call goes on.
    pub fn no_time() -> Result<(), Error> {
        let most = WORK.get().map_or(0, |work| work.budget.milliseconds);
        if exhaust(Spent::Milliseconds(most)) { Ok(()) } else { check() }
    }

    /// How many milliseconds are left, as of the latest look; `None` without a budget.
    pub fn milliseconds_left() -> Option<u64> {
        WORK.get().map(|work| work.budget.milliseconds.saturating_sub(work.passed))
    }

    /// True if more than such a part of the time has passed (2 for half of it), as of the latest look; false without a
    /// budget.
    pub fn has_passed(part: u64) -> bool {
        WORK.get().is_some_and(|work| work.passed.saturating_mul(part) > work.budget.milliseconds)
    }
}

/// Ends the budget when the call returns, however it does.
struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        WORK.set(None);
        SPENT.set(None);
        LEFT.set(u64::MAX);
        FLOOR.set(0);
    }
}

/// The error of what has been used up, if anything.
pub(crate) fn check() -> Result<(), Error> {
    SPENT.get().map_or(Ok(()), |spent| Err(Error::Spent(spent)))
}

/// Takes the steps of a record of so many bytes.
pub(crate) fn record(count: usize) -> Result<(), Error> {
    if steps(1 + (count / RECORD_BYTES_A_STEP) as u64) { Ok(()) } else { check() }
}

/// Takes the steps of so many bytes of a record that are walked through once more.
#[inline]
pub(crate) fn walked(count: usize) -> bool {
    count < RECORD_BYTES_A_STEP || steps((count / RECORD_BYTES_A_STEP) as u64)
}

/// Takes so many steps. False when something is used up.
#[inline]
pub(crate) fn steps(count: u64) -> bool {
    let left = LEFT.get();
    match left.checked_sub(count) {
        Some(rest) => {
            LEFT.set(rest);
            true
        }
        None => look(count - left),
    }
}

/// Takes a step, and sees whether there is stack for what comes.
#[inline]
pub(crate) fn call() -> bool {
    steps(1) && (here() >= FLOOR.get() || no_stack())
}

/// The steps of bytes that are read or written.
#[inline]
pub(crate) fn bytes(count: usize) -> bool {
    steps(1 + (count / BYTES_A_STEP) as u64)
}

/// Takes the steps of a value of so many bytes that is about to be made, and sees whether there is memory for it.
pub(crate) fn room(count: usize) -> bool {
    bytes(count) && has_room(count)
}

/// True when a value may be looked through that is nested so deep. Without a budget, any may.
#[inline]
pub(crate) fn level(level: u32) -> bool {
    level <= MOST_LEVELS || WORK.get().is_none() || exhaust(Spent::Nesting(MOST_LEVELS))
}

/// What ends a filter in a way that it cannot catch.
pub(crate) fn exit<'a>() -> Exn<'a, Value> {
    Exn::halt(0)
}

/// The address of the stack's end.
#[inline]
fn here() -> usize {
    let here = 0_u8;
    black_box(&raw const here).addr()
}

/// Ends the call, since calls of its filter nest too deep.
#[cold]
pub(crate) fn no_stack() -> bool {
    let most = WORK.get().map_or(0, |work| work.budget.stack_bytes);
    exhaust(Spent::Stack(most))
}

#[cold]
fn exhaust(what: Spent) -> bool {
    if SPENT.get().is_none() && WORK.get().is_some() {
        SPENT.set(Some(what));
    }
    LEFT.set(0);
    SPENT.get().is_none()
}

/// The end of a block: takes the steps that it lacks from the rest, and looks at the gauges.
#[cold]
fn look(lacking: u64) -> bool {
    if SPENT.get().is_some() {
        LEFT.set(0);
        return false;
    }
    let Some(mut work) = WORK.get() else {
        LEFT.set(u64::MAX);
        return true;
    };
    let budget = work.budget;
    let Some(rest) = work.rest.checked_sub(lacking) else { return exhaust(Spent::Steps(budget.steps)) };
    let gauge = (budget.gauge)();
    // A clock that is set while the call runs ends nothing.
    let passed = gauge.milliseconds.saturating_sub(work.now);
    work.passed += if passed < MOST_BETWEEN_LOOKS { passed } else { 0 };
    work.now = gauge.milliseconds;
    if work.passed > budget.milliseconds {
        return exhaust(Spent::Milliseconds(budget.milliseconds));
    }
    if gauge.memory_bytes > budget.memory_bytes {
        return exhaust(Spent::Memory(budget.memory_bytes));
    }
    let block = rest.min(BLOCK);
    work.rest = rest - block;
    LEFT.set(block);
    WORK.set(Some(work));
    true
}

/// Sees whether there is memory for a value of so many bytes.
pub(crate) fn has_room(count: usize) -> bool {
    if count < LARGE_BYTES {
        return true;
    }
    let Some(Work { budget, .. }) = WORK.get() else { return true };
    let after = (budget.gauge)().memory_bytes.saturating_add(count as u64);
    if count > MOST_VALUE_BYTES {
        return exhaust(Spent::Memory(budget.memory_bytes.min(MOST_VALUE_BYTES as u64)));
    }
    after <= budget.memory_bytes / 8 * 9 || exhaust(Spent::Memory(budget.memory_bytes))
}
