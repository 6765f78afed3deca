//! How much of a record a plan may walk through.
//!
//! A plan has no values: it walks through the text of an array each time that it is asked for its length, and prints all
//! results of a record before a page takes the first. A filter that does so in a loop is left to the general engine, which
//! has values and stops when the page is full.

use std::cell::Cell;

use super::Bail;
use crate::budget;

/// The general engine makes values of a record in about the time of so many walks.
const MOST_TIMES: usize = 32;

/// In small records nobody notices a loop.
const FREE_BYTES: usize = 1 << 16;

/// The results of a record are about as large as the record; more than this would not be read as one page.
const MOST_RESULTS: usize = 4;
const FREE_RESULT_BYTES: usize = 1 << 20;

thread_local! {
    /// Bytes that may still be walked through.
    static LEFT: Cell<usize> = const { Cell::new(0) };
}

/// A record of so many bytes is next.
pub(super) fn begin(line: usize) {
    LEFT.set(line.saturating_mul(MOST_TIMES).saturating_add(FREE_BYTES));
}

/// Walks through so many bytes of a record, or copies them.
#[inline]
pub(super) fn walk(bytes: usize) -> Result<(), Bail> {
    match LEFT.get().checked_sub(bytes) {
        Some(left) => LEFT.set(left),
        None => return too_far(),
    }
    if budget::walked(bytes) { Ok(()) } else { Err(Bail) }
}

/// True where the plan has walked too far through the record.
pub(super) fn is_too_far() -> bool {
    LEFT.get() == 0
}

#[cold]
fn too_far() -> Result<(), Bail> {
    LEFT.set(0);
    Err(Bail)
}

/// Sees whether a record may have so many results of so many bytes together.
#[inline]
pub(super) fn keep(results: usize, bytes: usize, line: usize) -> Result<(), Bail> {
    let most = line.saturating_mul(MOST_RESULTS).saturating_add(FREE_RESULT_BYTES);
    if bytes + results * size_of::<usize>() <= most { Ok(()) } else { too_far() }
}
