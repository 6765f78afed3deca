//! The skipper against serde_json: random lines with one byte changed, inserted, removed, or their end cut off.
//!
//! `PROPTEST_CASES=20000` looks longer.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use super::{Kind, Skipper};
use crate::fast::differential::line;

/// Miri takes seconds for each case.
fn cases() -> u32 {
    if cfg!(miri) { 8 } else { Config::default().cases }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, cases: cases(), ..Config::default() })]

    #[test]
    fn the_skipper_takes_what_serde_json_takes(
        line in line(),
        at in any::<prop::sample::Index>(),
        byte in select(&b"{}[],:\"\\ 0-1.eEtnu/\x00\x1f\x7f\xc3\xa9\xff"[..]),
        kind in 0..4,
    ) {
        let mut bytes = line.into_bytes();
        let at = at.index(bytes.len() + 1);
        match kind {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.truncate(at),
        }
        let mut skipper = Skipper::new(127);
        let ours = skipper.skip(&bytes).is_ok();
        // A number that no double holds is JSON all the same.
        let theirs = serde_json::from_slice::<&serde_json::value::RawValue>(&bytes).is_ok()
            && matches_strictly(&bytes);
        prop_assert_eq!(ours, theirs, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_line_means_the_same_whatever_came_before(lines in prop::collection::vec(line(), 1..8)) {
        let mut one = Skipper::new(127);
        for line in lines {
            let (line, mut other) = (line.as_bytes(), Skipper::new(127));
            let (taken, expected) = (one.skip(line), other.skip(line));
            prop_assert_eq!(taken, expected);
            if taken.is_err() {
                continue;
            }
            prop_assert_eq!(one.members(), other.members());
            prop_assert_eq!((one.marks().spaced, one.marks().odd), (other.marks().spaced, other.marks().odd));
            prop_assert!(one.marks().beyond_ascii || line.is_ascii());
            if taken == Ok(Kind::Object) {
                prop_assert_eq!(one.has_clear_keys(), other.has_clear_keys());
            }
            for key in [&b"a"[..], b"b", b"t"] {
                let expected = one.members().iter().position(|member| member.key(line) == key);
                if taken == Ok(Kind::Object) && one.has_clear_keys() {
                    let found = one.member(key, one.place(key), line);
                    prop_assert_eq!(found.map(|member| member as usize), expected);
                }
            }
        }
    }
}

/// serde_json checks surrogates only in strings that it decodes.
fn matches_strictly(bytes: &[u8]) -> bool {
    let mut bytes = bytes.to_vec();
    loop {
        let error = match serde_json::from_slice::<serde_json::Value>(&bytes) {
            Ok(_) => return true,
            Err(error) => error,
        };
        if !error.to_string().starts_with("number out of range") {
            return false;
        }
        // What stands behind the number is still to be looked at: a zero takes its place.
        let mut end = error.column().min(bytes.len());
        while !bytes[end - 1].is_ascii_digit() {
            end -= 1;
        }
        end += bytes[end..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let of_number = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
        let start = end - bytes[..end].iter().rev().take_while(of_number).count();
        bytes[start..end].fill(b' ');
        bytes[end - 1] = b'0';
    }
}
