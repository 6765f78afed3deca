//! Literal texts, one of which is looked for, sixteen places at a time.

use std::cmp::Reverse;

use memchr::memmem::Finder;

use crate::json::simd::Lanes;

/// Texts of which one is looked for.
#[derive(Debug)]
pub struct Needles(Kind);

#[derive(Debug)]
enum Kind {
    /// One, as it stands.
    Exact(Box<Finder<'static>>),
    /// Several, or in any case.
    Several { needles: Vec<Needle>, ignores_case: bool },
}

/// A text, and two of its bytes that few other texts have: a place is looked at closely where both of them fit.
#[derive(Debug)]
struct Needle {
    text: Vec<u8>,
    probes: [Probe; 2],
}

/// A byte of a needle.
#[derive(Debug, Clone, Copy)]
struct Probe {
    place: usize,
    byte: u8,
    /// The bit that tells a small letter from a large one, where both fit.
    case: u8,
}

/// Bytes that are looked at in one turn: each turn of a loop costs WebAssembly a look at the clock.
const TURN_BYTES: usize = 64;

/// The most common bytes of logs and of JSON, the most common first.
const COMMON: &[u8] = b" e\"t0a1o2in3s:,rld4c5-6u7m8p9.gfyb/w{}v[]_k=x\\ETAONISRLD()zqj";

impl Needles {
    /// More texts than this cost more than a regular expression for all of them.
    pub const MOST: usize = 8;

    /// These texts, none of which is empty. If case is ignored, they are in small letters, and letters beyond ASCII match
    /// themselves only.
    pub fn new(texts: Vec<Vec<u8>>, ignores_case: bool) -> Option<Self> {
        let has_letters = texts.iter().flatten().any(u8::is_ascii_lowercase);
        if texts.is_empty() || texts.len() > Self::MOST || texts.iter().any(Vec::is_empty) {
            return None;
        }
        match &texts[..] {
            [text] if !ignores_case || !has_letters => {
                Some(Self(Kind::Exact(Box::new(Finder::new(text).into_owned()))))
            }
            _ => {
                let needles = texts.into_iter().map(|text| Needle::of(text, ignores_case)).collect();
                Some(Self(Kind::Several { needles, ignores_case }))
            }
        }
    }

    /// Where the first of them begins, at or after a place.
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        match &self.0 {
            Kind::Exact(finder) => finder.find(text.get(from..)?).map(|found| from + found),
            Kind::Several { needles, ignores_case: true } => find_any::<true>(text, from, needles),
            Kind::Several { needles, ignores_case: false } => find_any::<false>(text, from, needles),
        }
    }
}

impl Needle {
    fn of(text: Vec<u8>, ignores_case: bool) -> Self {
        let rarity = |place: &usize| COMMON.iter().position(|byte| *byte == text[*place]).unwrap_or(COMMON.len());
        let mut places: Vec<usize> = (0..text.len()).collect();
        places.sort_by_key(|place| Reverse(rarity(place)));
        let probe = |place: usize| {
            let byte = text[place];
            Probe { place, byte, case: if ignores_case && byte.is_ascii_lowercase() { 0x20 } else { 0 } }
        };
        let probes = [probe(places[0]), probe(places[places.len().min(2) - 1])];
        Self { text, probes }
    }

    fn is_at<const IGNORES_CASE: bool>(&self, text: &[u8], place: usize) -> bool {
        let there = text.get(place..place + self.text.len());
        let fits =
            |there: &[u8]| if IGNORES_CASE { there.eq_ignore_ascii_case(&self.text) } else { there == self.text };
        there.is_some_and(fits)
    }
}

/// A loop of its own for each number of needles: one within the loop over the text costs as much as the comparisons.
fn find_any<const IGNORES_CASE: bool>(text: &[u8], from: usize, needles: &[Needle]) -> Option<usize> {
    match *needles {
        [ref a] => find::<1, IGNORES_CASE>(text, from, [a]),
        [ref a, ref b] => find::<2, IGNORES_CASE>(text, from, [a, b]),
        [ref a, ref b, ref c] => find::<3, IGNORES_CASE>(text, from, [a, b, c]),
        [ref a, ref b, ref c, ref d] => find::<4, IGNORES_CASE>(text, from, [a, b, c, d]),
        // Some of them twice.
        _ => find::<{ Needles::MOST }, IGNORES_CASE>(text, from, std::array::from_fn(|n| &needles[n % needles.len()])),
    }
}

fn find<const N: usize, const IGNORES_CASE: bool>(text: &[u8], from: usize, needles: [&Needle; N]) -> Option<usize> {
    let longest = needles.iter().map(|needle| needle.text.len()).max()?;
    let probes = needles.map(|needle| needle.probes);
    let is_at = |place: usize| needles.iter().any(|needle| needle.is_at::<IGNORES_CASE>(text, place));
    let mut at = from;
    while at + TURN_BYTES + longest <= text.len() {
        // Where both bytes of a needle fit.
        let mut fits = [Lanes::none(); TURN_BYTES / 16];
        for [first, second] in probes {
            let (first, firsts) = (first, text[at + first.place..].first_chunk::<TURN_BYTES>()?);
            let (second, seconds) = (second, text[at + second.place..].first_chunk::<TURN_BYTES>()?);
            for ((fits, firsts), seconds) in fits.iter_mut().zip(firsts.as_chunks().0).zip(seconds.as_chunks().0) {
                let both = first.fits::<IGNORES_CASE>(firsts).and(second.fits::<IGNORES_CASE>(seconds));
                *fits = fits.or(both);
            }
        }
        let mut places = 0_u64;
        if fits.into_iter().fold(Lanes::none(), Lanes::or).bits() != 0 {
            places = fits.iter().rev().fold(0, |places, fits| places << 16 | u64::from(fits.bits()));
        }
        while places != 0 {
            let place = at + places.trailing_zeros() as usize;
            if is_at(place) {
                return Some(place);
            }
            places &= places - 1;
        }
        at += TURN_BYTES;
    }
    (at..text.len()).find(|place| is_at(*place))
}

impl Probe {
    /// 0xff for each byte that fits, else 0.
    #[inline(always)]
    fn fits<const IGNORES_CASE: bool>(self, bytes: &[u8; 16]) -> Lanes {
        let bytes = Lanes::load(bytes);
        if IGNORES_CASE { bytes.with(self.case).equal(self.byte) } else { bytes.equal(self.byte) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(texts: &[&str], ignores_case: bool) -> Needles {
        Needles::new(texts.iter().map(|text| text.as_bytes().to_vec()).collect(), ignores_case).unwrap()
    }

    #[test]
    fn the_first_of_them_is_found_wherever_it_is() {
        for length in [0, 1, 15, 16, 17, 64, 70, 87, 150] {
            for at in 0..=length {
                for texts in [
                    &["b"][..],
                    &["bc"],
                    &["bc", "bcdefghijklmnopqrstuvw"],
                    &["zz", "c", "b-d"],
                    &["zz", "c", "b-d", "qq"],
                    &["zz", "c", "b-d", "qq", "yyy", "k"],
                ] {
                    for (place, needle) in texts.iter().enumerate() {
                        let mut text = vec![b'x'; length];
                        text.splice(at..at, needle.bytes());
                        let found = |texts: &[&str], ignores_case: bool| needles(texts, ignores_case).find(&text, 0);
                        assert_eq!(found(texts, false), Some(at), "{needle} at {at} of {length}");
                        assert_eq!(found(texts, true), Some(at), "{needle} at {at} of {length}");
                        assert_eq!(needles(&texts[place..=place], true).find(&text, at + 1), None);
                        let large = text.to_ascii_uppercase();
                        assert_eq!(needles(texts, true).find(&large, 0), Some(at));
                        assert_eq!(needles(texts, false).find(&large, 0), None);
                    }
                }
            }
        }
    }

    #[test]
    fn what_only_looks_alike_is_not_found() {
        assert_eq!(needles(&["["], true).find(&[b'{'; 40], 0), None);
        assert_eq!(needles(&["@a", "b"], true).find("`A".repeat(20).as_bytes(), 0), None);
        assert_eq!(needles(&["a"], false).find(b"a", 9), None);
        assert!(Needles::new(Vec::new(), false).is_none() && Needles::new(vec![Vec::new()], false).is_none());
        assert!(Needles::new(vec![b"a".to_vec(); 9], false).is_none());
    }
}
