//! What is in an offloaded file, passages of it, and the document that its records came in.

pub mod address;
pub mod describe;
mod filling;
pub mod parts;
pub mod queried;
pub mod reader;
pub mod rebuild;
mod steps;

/// The header of a file in tests.
#[cfg(test)]
pub(crate) fn header(count: u32, lro: serde_json::Value) -> crate::file::header::Header {
    let header = serde_json::json!({"type": "lro_header", "operation": "list", "query": "q", "count": count,
        "schema_version": "1.0.0", "timestamp": "2026-01-01T00:00:00.000Z", "estimated_tokens": 9, "detail": "full",
        "lro": lro});
    crate::file::header::Header::parse(header.to_string().as_bytes(), "lro_header").expect("it is a header")
}
