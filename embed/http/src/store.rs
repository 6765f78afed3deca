//! Where results are kept: what an application has to offer.

use serde::Serialize;

use crate::name::Name;
use crate::problem::Problem;

/// What a cleanup did.
#[derive(Debug, Default, Serialize)]
pub struct Cleaned {
    /// Results that were deleted.
    pub deleted: u32,
    /// Bytes that these held.
    pub freed_bytes: u64,
    /// Results that were kept.
    pub kept: u32,
}

/// A text that comes in parts.
pub struct Parts {
    /// How many bytes all of them have.
    pub bytes: u64,
    /// The parts, in order.
    pub parts: Box<dyn Iterator<Item = Result<Vec<u8>, Problem>>>,
}

/// The stored results of one tenant.
pub trait Store {
    /// Stores a result, all of it or nothing.
    ///
    /// # Errors
    /// `io`, with the store's reason.
    fn put(&self, name: &Name, content: &str) -> Result<(), Problem>;

    /// Returns the text of a result in parts.
    ///
    /// # Errors
    /// `not-found`, also where some of it is missing; `io`, with the store's reason.
    fn parts(&self, name: &Name) -> Result<Parts, Problem>;

    /// Deletes a result.
    ///
    /// # Errors
    /// `not-found`; `io`, with the store's reason.
    fn delete(&self, name: &Name) -> Result<(), Problem>;

    /// Deletes what was stored so many seconds ago, or earlier. Other values in the store are left alone.
    ///
    /// # Errors
    /// `io`, with the store's reason.
    fn clean(&self, seconds: u64) -> Result<Cleaned, Problem>;

    /// Returns the text of a result.
    ///
    /// # Errors
    /// Those of [`Self::parts`]; `io` also if the parts do not fit together.
    fn get(&self, name: &Name) -> Result<String, Problem> {
        let Parts { bytes, parts } = self.parts(name)?;
        let bytes = usize::try_from(bytes).unwrap_or_default();
        let mut content = Vec::with_capacity(bytes);
        for part in parts {
            content.extend(part?);
        }
        String::from_utf8(content)
            .ok()
            .filter(|content| content.len() == bytes)
            .ok_or_else(|| Problem::io(format!("cannot read `{name}`: its parts do not fit together"), ""))
    }
}

/// The problem with a name under which nothing is stored.
pub fn missing(name: &Name) -> Problem {
    Problem::not_found(
        format!("cannot read `{name}`: there is no such result; it may have expired or been deleted"),
        "Run the operation again.",
    )
}
