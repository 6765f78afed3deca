//! The results of a set that are still to come, by where they stand in the file: the second page of a large sort does not
//! look for their order again.

use super::plan::{Found, Place};
use crate::error::Error;

/// Lines of the file, in the order of the results. A `next` can carry them, behind its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rest(Vec<(u64, u32)>);

impl Rest {
    /// These results, if all of them are lines of the file.
    pub(super) fn of(places: &[Place]) -> Option<Self> {
        let line = |place: &Place| match *place {
            Place::File { offset, bytes } => Some((offset, bytes)),
            Place::Kept { .. } => None,
        };
        places.iter().map(line).collect::<Option<_>>().map(Self)
    }

    /// The results as a plan would have found them.
    pub(super) fn found(&self) -> Found {
        let places = self.0.iter().map(|&(offset, bytes)| Place::File { offset, bytes }).collect();
        Found { places, kept: Vec::new(), is_array: true }
    }

    /// Adds them to a token: `.`, then offset and length of each.
    pub fn add_to(&self, token: &mut String) {
        token.push('.');
        for (offset, bytes) in &self.0 {
            token.extend([&offset.to_string(), "+", &bytes.to_string(), "-"]);
        }
    }

    /// Parts a token into the position and what is added to it.
    pub fn part(token: &str) -> Result<(&str, Option<Self>), Error> {
        let Some((dot, _)) = token.match_indices('.').nth(3) else { return Ok((token, None)) };
        let line = |text: &str| {
            let (offset, bytes) = text.split_once('+')?;
            Some((offset.parse().ok()?, bytes.parse().ok()?))
        };
        let lines: Option<Vec<_>> = token[dot + 1..].split_terminator('-').map(line).collect();
        match lines {
            Some(lines) => Ok((&token[..dot], Some(Self(lines)))),
            None => Err(Error::invalid_argument(
                "cannot go on: `next` is no `next` of an extraction",
                "pass the `next` of the page before, unchanged, or leave it out to begin at the front",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_carries_lines() {
        let places = [Place::File { offset: 1 << 40, bytes: 7 }, Place::File { offset: 12, bytes: 0 }];
        let rest = Rest::of(&places).unwrap();
        let mut token = "1.2.3.4".to_owned();
        rest.add_to(&mut token);
        assert_eq!(token, "1.2.3.4.1099511627776+7-12+0-");
        assert_eq!(Rest::part(&token).unwrap(), ("1.2.3.4", Some(rest)));
        assert_eq!(Rest::part("1.2.3.4").unwrap(), ("1.2.3.4", None));
        for token in ["1.2.3.4.5", "1.2.3.4.5+", "1.2.3.4.5+6-7", "1.2.3.4.-1+2-", "1.2.3.4.5+6-.5+6-"] {
            assert!(Rest::part(token).is_err(), "{token}");
        }
        assert_eq!(Rest::of(&[Place::Kept { start: 0, bytes: 1 }]), None);
    }
}
