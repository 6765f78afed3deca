//! How much of a text is plain.

use super::simd::Lanes;

/// The bytes before the first one that is none of the plain ones, or all. `stops` has a bit for each byte of sixteen that
/// is not plain, and `is_stop` says the same of one.
#[inline(always)]
pub(crate) fn plain_bytes(text: &[u8], stops: impl Fn(Lanes) -> u32, is_stop: impl Fn(u8) -> bool) -> usize {
    let mut at = 0;
    while let Some(chunk) = text[at..].first_chunk::<16>() {
        let found = stops(Lanes::load(chunk));
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += chunk.len();
    }
    at + text[at..].iter().take_while(|byte| !is_stop(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::plain_bytes;

    #[test]
    fn the_first_stop_is_found_wherever_it_is() {
        for length in 0..70 {
            for stop in 0..=length {
                let mut text = vec![b'x'; length];
                text[stop..].fill(b'"');
                assert_eq!(plain_bytes(&text, |lanes| lanes.equal(b'"').bits(), |byte| byte == b'"'), stop);
            }
        }
    }
}
