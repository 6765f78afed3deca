//! Comparing and checking texts. WebAssembly has no instruction for it, and its standard library goes by one byte or four:
//! here it is eight or more at a time, since whoever writes the keys of records chooses how much they have in common.

use std::cmp::Ordering;

use crate::json::simd::Lanes;

/// The order of two texts by their bytes.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let common = a.len().min(b.len());
    let (x, y) = (&a[..common], &b[..common]);
    let order = match (x.last_chunk(), y.last_chunk()) {
        // The last block overlaps the one before it, which is the same in both where it counts.
        (Some(x_last), Some(y_last)) => {
            let (blocks, others) = (x.as_chunks::<8>().0, y.as_chunks::<8>().0);
            let different = blocks.iter().zip(others).find(|(x, y)| x != y).unwrap_or((x_last, y_last));
            u64::from_be_bytes(*different.0).cmp(&u64::from_be_bytes(*different.1))
        }
        _ => x.iter().zip(y).map(|(x, y)| x.cmp(y)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal),
    };
    order.then(a.len().cmp(&b.len()))
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

/// True if no byte is beyond ASCII.
#[inline]
pub fn is_ascii(text: &[u8]) -> bool {
    let Some(last) = text.last_chunk() else {
        return text.is_ascii();
    };
    let is_ascii = |blocks: &[[u8; 16]]| {
        let together = blocks.iter().map(Lanes::load).reduce(Lanes::or);
        together.is_none_or(|bytes| !bytes.is_beyond_ascii())
    };
    // Four blocks at a time. The last block overlaps the one before it, so that nothing is left over.
    let (blocks, rest) = text.as_chunks().0.as_chunks::<4>();
    blocks.iter().all(|blocks| is_ascii(blocks)) && is_ascii(rest) && is_ascii(&[*last])
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
    fn a_byte_beyond_ascii_is_seen_wherever_it_is() {
        for length in 0..150 {
            let mut text = vec![0x7f; length];
            assert!(is_ascii(&text), "{length}");
            for place in 0..length {
                text[place] = 0x80;
                assert!(!is_ascii(&text), "{length}, {place}");
                text[place] = 0x7f;
            }
        }
    }

    #[test]
    fn the_order_is_that_of_bytes() {
        let long = "a".repeat(20);
        let texts = [
            "",
            "a",
            "aaaaaaa",
            "aaaaaaaa",
            "aaaaaaab",
            "aaaaaaaaa",
            "aaaaaaaab",
            "aaaaaaabb",
            "aaaaaaaaé",
            "é",
            &long,
            "aaaaaaaaaaaaaaaaaaab",
        ];
        for a in texts {
            for b in texts {
                assert_eq!(compare(a.as_bytes(), b.as_bytes()), a.cmp(b), "{a} {b}");
            }
        }
    }
}
