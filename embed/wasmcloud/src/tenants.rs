//! Who is let in, and to which bucket.

use std::env;
use std::fmt::Display;

use lro_http::problem::Problem;
use serde_json::{Map, Value};

/// A JSON object: under the name of each bucket its token, or a list of tokens while one replaces another.
const VARIABLE: &str = "LRO_TENANTS";

/// A shorter token could be guessed.
const LEAST_TOKEN_BYTES: usize = 16;

/// Returns the bucket whose token a request shows.
pub(crate) fn bucket_of(authorization: &str) -> Result<String, Problem> {
    let tenants = read()?;
    let shown = authorization.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let shown = shown.map(|(_, token)| token.trim()).ok_or_else(|| {
        Problem::unauthorized(
            "cannot answer: the request has no bearer token",
            "Send the header `authorization: Bearer TOKEN`; the operator of this application has the token.",
        )
    })?;
    // All of them are compared, so that the time of an answer says nothing about any.
    let mut found = None;
    for (bucket, token) in &tenants {
        if is_equal(token.as_bytes(), shown.as_bytes()) {
            found = Some(bucket.clone());
        }
    }
    found.ok_or_else(|| {
        Problem::unauthorized(
            "cannot answer: the bearer token is not valid",
            "Ask the operator of this application for the token.",
        )
    })
}

/// Buckets with their tokens.
fn read() -> Result<Vec<(String, String)>, Problem> {
    let text = env::var(VARIABLE).unwrap_or_default();
    let tenants: Map<String, Value> = serde_json::from_str(&text).map_err(|error| misconfigured(&error))?;
    let mut pairs = Vec::new();
    for (bucket, tokens) in tenants {
        // What names of JetStream's buckets have.
        if bucket.is_empty() || !bucket.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) {
            return Err(misconfigured(&format!("`{bucket}` is not the name of a bucket")));
        }
        let tokens = match tokens {
            Value::Array(tokens) => tokens,
            token => vec![token],
        };
        for token in tokens {
            match token.as_str() {
                Some(token) if token.len() >= LEAST_TOKEN_BYTES => pairs.push((bucket.clone(), token.to_owned())),
                _ => {
                    let least = LEAST_TOKEN_BYTES;
                    return Err(misconfigured(&format!(
                        "a token of `{bucket}` is not a string of {least} bytes or more"
                    )));
                }
            }
        }
    }
    for (place, (bucket, token)) in pairs.iter().enumerate() {
        if let Some((other, _)) = pairs[..place].iter().find(|(other, same)| same == token && other != bucket) {
            return Err(misconfigured(&format!("`{other}` and `{bucket}` have the same token")));
        }
    }
    if pairs.is_empty() {
        return Err(misconfigured(&"it names no bucket"));
    }
    Ok(pairs)
}

/// Compares in a time that depends on the lengths alone.
fn is_equal(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

fn misconfigured(reason: &dyn Display) -> Problem {
    Problem::misconfigured(
        format!("cannot use the tenants in the variable {VARIABLE}: {reason}"),
        "The operator of this application has to set it, for example to {\"lro-acme\": \"TOKEN\"}.",
    )
}
