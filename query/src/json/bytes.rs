//! Comparing texts. WebAssembly has no instruction for it, and its standard library goes byte by byte: here it is eight or
//! sixteen at a time, since whoever writes the keys of records chooses how much they have in common.

use std::cmp::Ordering;

use crate::json::simd::Lanes;

/// The order of two texts by their bytes.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let mut at = 0;
    while let (Some(x), Some(y)) = (a[at..].first_chunk(), b[at..].first_chunk()) {
        match u64::from_be_bytes(*x).cmp(&u64::from_be_bytes(*y)) {
            Ordering::Equal => at += 8,
            order => return order,
        }
    }
    a[at..].cmp(&b[at..])
}

/// True if both have the same bytes.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    // The last block overlaps the one before it, so that nothing is left over.
    if let (Some(x), Some(y)) = (a.last_chunk(), b.last_chunk()) {
        let (blocks, others) = (a.as_chunks::<16>().0, b.as_chunks::<16>().0);
        return is_block(x, y) && blocks.iter().zip(others).all(|(x, y)| is_block(x, y));
    }
    if let (Some(x), Some(y)) = (a.first_chunk::<8>(), b.first_chunk::<8>()) {
        return x == y && a.last_chunk::<8>() == b.last_chunk();
    }
    if let (Some(x), Some(y)) = (a.first_chunk::<4>(), b.first_chunk::<4>()) {
        return x == y && a.last_chunk::<4>() == b.last_chunk();
    }
    a.iter().zip(b).all(|(x, y)| x == y)
}

#[inline(always)]
fn is_block(a: &[u8; 16], b: &[u8; 16]) -> bool {
    Lanes::load(a).same(Lanes::load(b)) == 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_the_same_byte_by_byte() {
        for length in 0..70 {
            let text: Vec<u8> = (0..length).collect();
            assert!(same(&text, &text.clone()) && !same(&text, &[&text[..], b"x"].concat()), "{length}");
            for place in 0..text.len() {
                let mut other = text.clone();
                other[place] ^= 0x80;
                assert!(!same(&text, &other), "{length}, {place}");
            }
        }
    }

    #[test]
    fn the_order_is_that_of_bytes() {
        let long = "a".repeat(20);
        let texts =
            ["", "a", "aaaaaaa", "aaaaaaaa", "aaaaaaab", "aaaaaaaaa", "aaaaaaaaé", "é", &long, "aaaaaaaaaaaaaaaaaaab"];
        for a in texts {
            for b in texts {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), a.cmp(b), "{a} {b}");
            }
        }
    }
}
