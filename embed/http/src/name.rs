//! The name of a stored result: the file name that the component gives it.

use std::fmt;

use crate::problem::Problem;

/// Longer names are refused: a key of the store has at most 256 bytes, and that of a part is a little longer.
const MOST_BYTES: usize = 240;

/// `NAME` or `SESSION/NAME`: letters, digits, `.`, `_` and `-`, and neither of the two begins with a dot. So it leads
/// nowhere as a path, and is the key of no part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl Name {
    /// Takes a text for a name.
    ///
    /// # Errors
    /// `outside`, for a text that tries to be a path.
    pub fn new(text: &str) -> Result<Self, Problem> {
        let is_plain = |segment: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
            !segment.is_empty() && !segment.starts_with('.') && segment.bytes().all(allowed)
        };
        if text.len() <= MOST_BYTES && text.split('/').count() <= 2 && text.split('/').all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        let shown: String = text.chars().take(80).collect();
        Err(Problem::outside(
            format!("cannot look up `{shown}`: it is not the name of a result"),
            "Use the file_path of a response as it is.",
        ))
    }

    /// As it stands in paths.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
