//! How much larger records may be than the text that they are made of.

/// Records of small text may have this many times its bytes plus a constant: names and paths are repeated in each.
const TIMES: usize = 4;
const MORE: usize = 1 << 20;

/// Those of a large one must leave room in the memory that a host grants: three times the payload and 128 MiB.
const TIMES_OF_LARGE: usize = 2;
const MORE_OF_LARGE: usize = 64 << 20;

/// Returns the most bytes that records made of text of this size may have.
pub fn most(bytes: usize) -> usize {
    (bytes * TIMES + MORE).min(bytes * TIMES_OF_LARGE + MORE_OF_LARGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_texts_may_grow_more_than_large_ones() {
        let mib = |count: usize| count << 20;
        let rows = [(0, mib(1)), (mib(1), mib(5)), (mib(31), mib(125)), (mib(32), mib(128)), (mib(60), mib(184))];
        for (bytes, expected) in rows {
            assert_eq!(most(bytes), expected, "{bytes}");
        }
    }
}
