//! Slices of a text, gathered in its order. A text of one-byte values has more slices than there is room for twice over, so
//! the list that holds them is not doubled: it grows to what the text will need, as far as that can be told.

/// The first room is made for so many: they say how long the others are.
const FIRST: usize = 1024;

/// The list grows by this part of itself at least, so that growing stays cheap, and to so many times itself at most: the first
/// slices may be shorter than all others.
const LEAST_PART: usize = 8;
const MOST_TIMES: usize = 64;

/// Adds the next slice of a text.
pub(super) fn push<'a, T: From<&'a str>>(slices: &mut Vec<T>, text: &str, slice: &'a str) {
    if slices.len() == slices.capacity() {
        let read = slice.as_ptr() as usize - text.as_ptr() as usize + slice.len();
        slices.reserve_exact(more(slices.len(), read, text.len()));
    }
    slices.push(slice.into());
}

/// How many more slices there should be room for, when so many were found in the first bytes.
fn more(count: usize, read: usize, all: usize) -> usize {
    let rest = count as f64 * all.saturating_sub(read) as f64 / read.max(1) as f64;
    (rest as usize + FIRST).clamp(count / LEAST_PART, count * (MOST_TIMES - 1) + FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_hardly_more_room_than_needed() {
        // Miri is a thousand times slower.
        let scale = if cfg!(miri) { 50 } else { 5_000 };
        let even = "1,".repeat(20 * scale);
        let uneven = format!("{}{}", "1,".repeat(scale), "12345678,".repeat(4 * scale));
        // How many slices there will be is told by those so far: where those behind are longer, there is room for more.
        let rows = [(even, 1), ("1,2".into(), 1), (String::new(), 1), (uneven, 3)];
        for (text, times) in rows {
            let mut slices: Vec<&str> = Vec::new();
            text.split_terminator(',').for_each(|slice| push(&mut slices, &text, slice));
            assert!(slices.iter().copied().eq(text.split_terminator(',')));
            assert!(slices.capacity() <= times * slices.len() + slices.len() / LEAST_PART + 2 * FIRST);
        }
    }

    #[test]
    fn room_is_made_seldom() {
        let (mut count, mut times) = (0, 0);
        while count < 1_000_000 {
            // The worst case: each time the text seems to be at its end.
            count += more(count, 1_000_000, 1_000_000).max(1);
            times += 1;
        }
        assert!(times < 100, "{times}");
    }
}
