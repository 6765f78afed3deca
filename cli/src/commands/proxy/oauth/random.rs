//! Values that nobody can guess, and what is made of them for PKCE (RFC 7636).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// A text of 43 characters with 256 random bits.
///
/// # Errors
/// The system gives no randomness.
pub(super) fn text() -> Result<String, String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no random numbers: {error}"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// The challenge of a verifier, by the method S256.
pub(super) fn challenge(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// A name for something, from which nobody can tell what it is.
pub(super) fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{challenge, digest, text};

    #[test]
    fn the_challenge_is_that_of_the_rfc() {
        assert_eq!(
            challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        );
    }

    #[test]
    fn texts_differ() {
        let (one, other) = (text().unwrap(), text().unwrap());
        assert_eq!(one.len(), 43);
        assert!(one != other && digest(&one) != digest(&other));
        assert_eq!(digest("").len(), 24);
    }
}
