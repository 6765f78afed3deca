//! Literal texts, one of which is looked for, sixteen places at a time.

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
    Several { texts: Vec<Vec<u8>>, ignores_case: bool },
}

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
            _ => Some(Self(Kind::Several { texts, ignores_case })),
        }
    }

    /// Where the first of them begins, at or after a place.
    pub fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        match &self.0 {
            Kind::Exact(finder) => finder.find(text.get(from..)?).map(|found| from + found),
            Kind::Several { texts, ignores_case: true } => find::<true>(text, from, texts),
            Kind::Several { texts, ignores_case: false } => find::<false>(text, from, texts),
        }
    }
}

fn find<const IGNORES_CASE: bool>(text: &[u8], from: usize, needles: &[Vec<u8>]) -> Option<usize> {
    let longest = needles.iter().map(Vec::len).max()?;
    let mut at = from;
    // A place is looked at closely where both ends of a needle fit.
    while at + 16 + longest <= text.len() {
        let starts = Lanes::load(text[at..].first_chunk()?);
        let mut places = 0;
        for needle in needles {
            let ends = Lanes::load(text[at + needle.len() - 1..].first_chunk()?);
            let (first, last) = (needle[0], needle[needle.len() - 1]);
            places |= fits::<IGNORES_CASE>(starts, first).and(fits::<IGNORES_CASE>(ends, last)).bits();
        }
        while places != 0 {
            let place = at + places.trailing_zeros() as usize;
            if is_at::<IGNORES_CASE>(text, place, needles) {
                return Some(place);
            }
            places &= places - 1;
        }
        at += 16;
    }
    (at..text.len()).find(|place| is_at::<IGNORES_CASE>(text, *place, needles))
}

#[inline(always)]
fn fits<const IGNORES_CASE: bool>(bytes: Lanes, letter: u8) -> Lanes {
    // The bit tells small letters from large ones.
    match IGNORES_CASE && letter.is_ascii_lowercase() {
        true => bytes.with(0x20).equal(letter),
        false => bytes.equal(letter),
    }
}

fn is_at<const IGNORES_CASE: bool>(text: &[u8], place: usize, needles: &[Vec<u8>]) -> bool {
    needles.iter().any(|needle| {
        let there = text.get(place..place + needle.len());
        there.is_some_and(|there| if IGNORES_CASE { there.eq_ignore_ascii_case(needle) } else { there == needle })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needles(texts: &[&str], ignores_case: bool) -> Needles {
        Needles::new(texts.iter().map(|text| text.as_bytes().to_vec()).collect(), ignores_case).unwrap()
    }

    #[test]
    fn the_first_of_them_is_found_wherever_it_is() {
        for length in [0, 1, 15, 16, 17, 40, 70] {
            for at in 0..=length {
                for texts in [&["b"][..], &["bc"], &["bc", "bcdefghijklmnopqrstuvw"], &["zz", "c", "b-d"]] {
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
