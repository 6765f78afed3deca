//! Comparing texts. WebAssembly has no instruction for it, and its standard library goes byte by byte: here it is eight at a
//! time, since whoever writes the keys of records chooses how much they have in common.

use std::cmp::Ordering;

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

#[cfg(test)]
mod tests {
    use super::*;

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
