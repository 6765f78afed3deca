//! The `next` of a page: numbers, joined by dots behind a letter that says what they are.

use crate::error::Error;

/// Writes a token.
pub(in crate::documents) fn write(kind: char, numbers: &[u64]) -> String {
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    format!("{kind}{}", numbers.join("."))
}

/// Reads a token of one of these kinds with so many numbers.
///
/// Errors: `invalid-argument` for any other text.
pub(in crate::documents) fn read<const N: usize>(
    call: &str,
    token: &str,
    kinds: &[char],
) -> Result<(char, [u64; N]), Error> {
    let kind = token.chars().next().filter(|kind| kinds.contains(kind));
    let numbers = kind.and_then(|kind| {
        let numbers: Option<Vec<u64>> = token[kind.len_utf8()..].split('.').map(|number| number.parse().ok()).collect();
        Some((kind, numbers?.try_into().ok()?))
    });
    numbers.ok_or_else(|| wrong(call))
}

/// The error for a token that does not lead to a page of the file.
pub(in crate::documents) fn wrong(call: &str) -> Error {
    Error::invalid_argument(
        format!("cannot {call} the next page: this `next` is not one of this call and this file"),
        "pass the `next` of the latest page, unchanged, with the same arguments; or leave it out to begin again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_as_they_were_written() {
        assert_eq!(write('l', &[3, 40, 0]), "l3.40.0");
        assert_eq!(read("read", "l3.40.0", &['l', 'c']), Ok(('l', [3, 40, 0])));
        for token in ["", "l", "l3.40", "l3.40.0.1", "x3.40.0", "l3.40.-1", "l3.40.99999999999999999999", "é", "3.40.0"]
        {
            assert!(read::<3>("read", token, &['l', 'c']).is_err(), "{token}");
        }
    }
}
