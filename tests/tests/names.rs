//! A file that is there is never replaced, also when a clock stands still and chance gives the same bits again, as in copies
//! of a virtual machine.

use std::fs;

use lro_guest::calls::{Outcome, offload};
use lro_guest::file::instant::Instant;
use serde_json::{Value, json};

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 7 };

#[test]
fn the_same_name_twice_keeps_the_first_file() {
    let folder = tempfile::tempdir().unwrap();
    let settings = json!({"output_dir": folder.path()}).to_string();
    let records =
        |begin: u32| -> Value { (begin..begin + 300).map(|id| json!({"id": id, "text": "x".repeat(99)})).collect() };
    let offloaded = |begin| {
        let payload = records(begin).to_string();
        offload(&payload, r#"{"operation":"list"}"#, &settings, || Ok(INSTANT)).unwrap()
    };
    let Outcome::Offloaded(stored) = offloaded(0).outcome else { panic!("the first is offloaded") };
    let path = folder.path().join(&stored.file_name);
    let first = fs::read_to_string(&path).unwrap();
    let second = offloaded(1000);
    let Outcome::Truncated(text) = &second.outcome else { panic!("the second is truncated: {second:?}") };
    assert!(text.contains("there is a file of this name already"), "{text}");
    assert_eq!(second.events.last().unwrap().name, "OffloadWriteFailed");
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no `.part` is left");
}
