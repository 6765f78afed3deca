//! What an engine that runs other people's filters bounds before it runs one.

/// Bounds on filters and on records. A filter is refused before it is parsed, a record while it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A longer filter is not parsed, in bytes.
    pub filter_bytes: u32,
    /// A filter that may be nested deeper is not parsed: the parser recurses.
    pub filter_nesting: u32,
    /// A record that is nested deeper fails: values are dropped and printed by recursion.
    pub record_nesting: u32,
}

impl Default for Limits {
    /// 8 KiB of filter, 200 levels of it, and 128 levels of a record. Filters that models write have a few hundred bytes and
    /// ten levels, and serde_json allows records 128 levels too.
    fn default() -> Self {
        Self { filter_bytes: 8192, filter_nesting: 200, record_nesting: 128 }
    }
}
