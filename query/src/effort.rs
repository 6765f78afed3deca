//! What matching an expression may take: nothing can be asked for the time in the middle of a match, so texts are cut into
//! pieces that take about a second at worst, and a line that cannot be cut is tried in pieces first.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::{Budget, Error};

/// More places are not counted in steps: an expression of many words is matched as fast as one of a few.
const MOST_COUNTED: u64 = 64;

/// So many steps of matching count as one step, at the places that are counted.
const MATCHING_A_STEP: u64 = 256;

/// Steps of matching between two looks at the clock: each byte may keep each place of the expression busy. About a second.
const STEPS_A_LOOK: u64 = 1 << 26;

/// So many steps of matching fit into a millisecond.
const STEPS_A_MILLISECOND: u64 = 1 << 16;

/// The smallest piece: with smaller ones, looking at the clock would take longer than matching.
const LEAST_PIECE: usize = 1 << 10;

/// The largest piece: it fits into the processor's cache.
const MOST_PIECE: usize = 256 << 10;

/// With more places, a piece that gets to all of them would take many seconds. Only repetitions of thousands have so many.
const MOST_TRIED: u64 = 8192;

/// An expression with more ranges of characters is not compiled: written out and read again it would take seconds.
const MOST_RANGES: u64 = 200_000;

/// What an expression may take for each byte.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Places of the expression at which a match may be at once.
    places: u64,
}

impl Effort {
    /// Returns the effort of an expression; `None` for one that is too large to be compiled.
    pub fn of(expression: &Hir) -> Option<Self> {
        (ranges(expression) <= MOST_RANGES).then(|| Self { places: places(expression).max(1) })
    }

    /// Returns the effort of an expression that is compiled in any case.
    pub fn of_pattern(pattern: &str) -> Self {
        let places = regex_syntax::parse(pattern).map_or(pattern.len() as u64, |expression| places(&expression));
        Self { places: places.max(1) }
    }

    /// True for an expression that takes about as long as reading the text.
    pub(crate) fn is_small(self) -> bool {
        self.places <= MOST_COUNTED
    }

    /// Returns the steps of matching so many bytes.
    pub(crate) fn steps(self, bytes: usize) -> u64 {
        1 + self.places.min(MOST_COUNTED) * bytes as u64 / MATCHING_A_STEP
    }

    /// Returns how many bytes are searched between two looks at the clock.
    pub fn piece_bytes(self) -> usize {
        let bytes = usize::try_from(STEPS_A_LOOK / self.places).unwrap_or(MOST_PIECE);
        bytes.clamp(LEAST_PIECE, MOST_PIECE)
    }

    /// Sees whether there is time to match a text that may have one long line. It is tried in pieces where it may take
    /// longer than what is left: what that takes tells what the whole does.
    ///
    /// # Errors
    ///
    /// [`Error::Spent`] when there is not.
    pub fn check<'t>(self, text: &'t [u8], mut is_match: impl FnMut(&'t [u8]) -> bool) -> Result<(), Error> {
        let worst = self.places.saturating_mul(text.len() as u64);
        if worst < STEPS_A_LOOK / 8 {
            return Ok(());
        }
        Budget::look()?;
        let Some(before) = Budget::milliseconds_left() else { return Ok(()) };
        if text.len() <= self.piece_bytes() * 2 || worst / STEPS_A_MILLISECOND <= before {
            return Ok(());
        }
        if self.places > MOST_TRIED {
            return Budget::no_time();
        }
        // The engine passes over a text that is shorter than any match, and a match is everywhere only after some bytes.
        let tried = self.piece_bytes().max(usize::try_from(2 * self.places).unwrap_or(MOST_PIECE));
        let mut left = before;
        for piece in text.chunks(tried) {
            is_match(piece);
            Budget::look()?;
            left = Budget::milliseconds_left().unwrap_or_default();
        }
        // The beginning of each piece takes less than the same bytes in the whole.
        let ahead = (before - left).saturating_mul(2);
        if ahead <= left { Ok(()) } else { Budget::no_time() }
    }
}

/// Places at which a match may be at once: repetitions count as often as they are written out.
fn places(expression: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().map(places).fold(0_u64, u64::saturating_add);
    match expression.kind() {
        HirKind::Empty | HirKind::Look(_) => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(_) => 1,
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            places(&repetition.sub).saturating_mul(u64::from(times))
        }
        HirKind::Capture(capture) => places(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => sum(parts),
    }
}

/// Ranges of characters, as they stand.
fn ranges(expression: &Hir) -> u64 {
    match expression.kind() {
        HirKind::Class(Class::Unicode(class)) => class.ranges().len() as u64,
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() as u64,
        HirKind::Repetition(repetition) => ranges(&repetition.sub),
        HirKind::Capture(capture) => ranges(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().map(ranges).sum(),
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_count_as_often_as_they_are_written_out() {
        let rows = [
            ("", 1, 256 << 10),
            ("error", 5, 256 << 10),
            ("(a|bc){10}", 30, 256 << 10),
            ("[01]{3,}x", 5, 256 << 10),
            ("(a{100}){100}", 10_000, 6710),
            (r"\w{900}", 900, 74_565),
            ("(.{1000}){90}", 90_000, 1024),
        ];
        for (pattern, places, piece) in rows {
            let effort = Effort::of(&regex_syntax::parse(pattern).unwrap()).unwrap();
            assert_eq!((effort.places, effort.piece_bytes()), (places, piece), "{pattern}");
        }
        assert!(Effort::of(&regex_syntax::parse(&r"\w".repeat(1000)).unwrap()).is_none());
    }
}
