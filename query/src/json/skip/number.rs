//! Where numbers end.

use super::passed::Passed;
use super::{Marks, is_simple_number};

/// Where the number that begins at a place ends.
#[inline(never)]
pub(super) fn end(text: &[u8], start: usize) -> Passed {
    let mut at = start + usize::from(text.get(start) == Some(&b'-'));
    match text.get(at) {
        Some(b'0') => at += 1,
        Some(b'1'..=b'9') => at = after_digits(text, at),
        _ => return Passed::REFUSED,
    }
    if text.get(at) == Some(&b'.') {
        let end = after_digits(text, at + 1);
        if end == at + 1 {
            return Passed::REFUSED;
        }
        at = end;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let digits = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        at = after_digits(text, digits);
        if at == digits {
            return Passed::REFUSED;
        }
    }
    Passed::to(at, Marks { odd: !is_simple_number(&text[start..at]), ..Marks::default() })
}

#[inline(always)]
fn after_digits(text: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = text.get(at) {
        at += 1;
    }
    at
}
