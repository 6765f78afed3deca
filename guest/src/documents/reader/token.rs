//! The `next` of a page: numbers, joined by dots behind a letter that says what they are, and a check of what they belong to.

use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::file::header::Header;

/// So many characters check a token. A model pays for each of them; of a million foreign tokens, these let one pass.
const CHECK_CHARACTERS: usize = 4;

/// Small letters and digits: what a model copies without a slip.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// What tokens belong to: a file, and what is looked for in it. The tokens of anything else are refused.
#[derive(Debug, Clone)]
pub(in crate::documents) struct Owner(Sha256);

impl Owner {
    /// The file of that name, however the path to it is written, with that header.
    pub(in crate::documents) fn of(path: &str, header: &Header) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let Header { operation, timestamp, count, estimated_tokens, .. } = header;
        let numbers = format!("{count} {estimated_tokens}");
        [name, operation, timestamp, &numbers].into_iter().fold(Self(Sha256::new()), Self::and)
    }

    /// And this text.
    pub(in crate::documents) fn and(mut self, text: &str) -> Self {
        // With the length before it, no text runs into the next one.
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
        self
    }

    /// The check of numbers that belong to it.
    fn check(&self, numbers: &str) -> String {
        let hash = self.clone().and(numbers).0.finalize();
        let mut rest = hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        let mut digit = || {
            let digit = DIGITS[(rest % 36) as usize];
            rest /= 36;
            char::from(digit)
        };
        (0..CHECK_CHARACTERS).map(|_| digit()).collect()
    }
}

/// Writes a token.
pub(in crate::documents) fn write(kind: char, numbers: &[u64], owner: &Owner) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let numbers = format!("{kind}{}", numbers.join("."));
    let check = owner.check(&numbers);
    format!("{numbers}.{check}")
}

/// Reads a token of one of these kinds with so many numbers.
///
/// Errors: `invalid-argument` for any other text, and for a token that belongs to something else.
pub(in crate::documents) fn read<const N: usize>(
    call: &str,
    token: &str,
    kinds: &[char],
    owner: &Owner,
) -> Result<(char, [u64; N]), Error> {
    let kind = token.chars().next().filter(|kind| kinds.contains(kind));
    let parts = kind.and_then(|kind| {
        let (numbers, check) = token.rsplit_once('.')?;
        let each: Option<Vec<u64>> =
            numbers.get(kind.len_utf8()..)?.split('.').map(|number| number.parse().ok()).collect();
        (owner.check(numbers) == check).then_some(())?;
        Some((kind, each?.try_into().ok()?))
    });
    parts.ok_or_else(|| wrong(call))
}

/// The error for a token that does not lead to a page of the file.
pub(in crate::documents) fn wrong(call: &str) -> Error {
    let same = if call == "search" { "the same file and pattern" } else { "the same file" };
    Error::invalid_argument(
        format!("cannot {call} the next page: this `next` is not one of this call and this file"),
        format!("pass the `next` of the latest page, unchanged, with {same}; or leave it out to begin again"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::header;

    fn owner(path: &str) -> Owner {
        Owner::of(path, &header(3, serde_json::json!({"kind": "text"})))
    }

    #[test]
    fn tokens_are_read_as_they_were_written() {
        let token = write('l', &[3, 40, 0], &owner("a.jsonl"));
        assert_eq!((token.len(), token.starts_with("l3.40.0.")), (12, true));
        assert_eq!(read("read", &token, &['l', 'c'], &owner("out/a.jsonl")), Ok(('l', [3, 40, 0])));
        let check = &token[8..];
        for token in [
            "",
            "l",
            "é",
            "l3.40.0",
            &format!("l3.40.{check}"),
            &format!("l3.40.1.{check}"),
            &format!("l3.40.0.1.{check}"),
            &format!("c3.40.0.{check}"),
            &format!("x3.40.0.{check}"),
            &format!("l3.40.0.{check}0"),
            &format!("l3.40.0.{}", check.to_uppercase()),
            &write('l', &[3, 40], &owner("a.jsonl")),
            &write('x', &[3, 40, 0], &owner("a.jsonl")),
        ] {
            assert!(read::<3>("read", token, &['l', 'c'], &owner("a.jsonl")).is_err(), "{token}");
        }
        assert!(read::<1>("read", "l-1", &['l'], &owner("a.jsonl")).is_err());
    }

    #[test]
    fn a_token_belongs_to_one_file_and_one_text() {
        let token = write('s', &[1], &owner("a").and("x"));
        let is_read = |owner: Owner| read::<1>("search", &token, &['s'], &owner).is_ok();
        assert!(is_read(owner(r"out\a").and("x")));
        let other = header(4, serde_json::json!({"kind": "text"}));
        let foreign = [
            owner("b").and("x"),
            owner("a").and("y"),
            owner("a"),
            owner("a").and("x").and(""),
            Owner::of("a", &other).and("x"),
        ];
        assert_eq!(foreign.into_iter().filter(|owner| is_read(owner.clone())).count(), 0);
    }
}
