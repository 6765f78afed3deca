//! How far something goes.

use super::{Marks, Refused};

/// The place after something, and what is out of the ordinary in it: one number, because WebAssembly returns that in a register
/// and anything larger through memory.
#[derive(Clone, Copy)]
pub(super) struct Passed(u64);

const SPACED: u64 = 1 << 61;
const ODD: u64 = 1 << 62;
const BEYOND_ASCII: u64 = 1 << 63;

impl Passed {
    /// It is none of what it should be. No text has so many bytes.
    pub(super) const REFUSED: Self = Self(u64::MAX);

    /// It ends before this place.
    #[inline(always)]
    pub(super) fn to(place: usize, marks: Marks) -> Self {
        let mark = |bit: u64, is_there: bool| if is_there { bit } else { 0 };
        let marks = mark(SPACED, marks.spaced) | mark(ODD, marks.odd) | mark(BEYOND_ASCII, marks.beyond_ascii);
        Self(place as u64 | marks)
    }

    #[inline(always)]
    pub(super) fn place(self) -> Result<usize, Refused> {
        if self.0 == Self::REFUSED.0 {
            return Err(Refused);
        }
        #[allow(clippy::cast_possible_truncation, reason = "it was a place")]
        let place = (self.0 & !(SPACED | ODD | BEYOND_ASCII)) as usize;
        Ok(place)
    }

    #[inline(always)]
    pub(super) fn marks(self) -> Marks {
        let is_there = |bit: u64| self.0 & bit != 0;
        Marks { spaced: is_there(SPACED), odd: is_there(ODD), beyond_ascii: is_there(BEYOND_ASCII) }
    }
}
