//! A process after the other that cleans up, now and then with a cap.

use std::collections::BTreeSet;
use std::fs;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::{Crowd, name_of};
use crate::faults::random::Random;

/// A cap takes more than this many files in a few seconds.
const FEW: usize = 20;

/// Cleans up until the time is over.
pub(super) fn clean(crowd: &Crowd<'_>, mut random: Random) {
    let events = crowd.place.path("events");
    while crowd.goes_on() {
        let has_cap = random.once_in(4);
        // What a writer finishes later may stay although it is over the cap.
        let before = crowd.place.names();
        let most_files = FEW + before.len() / 2;
        let most = most_files.to_string();
        let mut arguments = vec!["cleanup", "--output-dir", "out", "--events", "events"];
        if has_cap {
            arguments.extend(["--max-files", &most]);
        }
        let printed = crowd.place.print(&arguments);
        let told = fs::read_to_string(&events).unwrap_or_default();
        // None is left to be told twice. Without events there is no file.
        let _ = fs::remove_file(&events);
        let deleted: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let capped = paths(&deleted, true);
        let stay: BTreeSet<String> = crowd.place.names().into_iter().filter(|name| before.contains(name)).collect();
        crowd.ledger.with(|kept| {
            kept.cap_failures.extend(printed.err());
            kept.expired += paths(&deleted, false).len() as u64;
            if has_cap {
                kept.caps += 1;
                kept.cap_failures.extend(judged(&capped, &stay, most_files).err());
            } else {
                kept.cap_failures
                    .extend((!capped.is_empty()).then(|| "a cap took files, and there was none".to_owned()));
            }
            kept.capped.extend(capped);
        });
        sleep(Duration::from_millis(300));
    }
}

/// The files of events, either those that a cap took or those whose time had passed.
fn paths(events: &[Value], by_cap: bool) -> Vec<String> {
    let is_wanted = |event: &&Value| event.to_string().contains("max_files") == by_cap;
    let path = |event: &Value| find(event, "file_path").and_then(Value::as_str).map(str::to_owned);
    events.iter().filter(is_wanted).filter_map(path).collect()
}

/// A member of an event, or of its fields.
fn find<'a>(event: &'a Value, name: &str) -> Option<&'a Value> {
    event.get(name).or_else(|| event.get("fields")?.get(name))
}

/// The youngest file that a cap took is not younger than the oldest that was there before and stayed.
fn judged(capped: &[String], stay: &BTreeSet<String>, most_files: usize) -> Result<(), String> {
    let times = |names: &mut dyn Iterator<Item = &str>| -> BTreeSet<String> {
        names.filter_map(|name| Some(name.rsplit('-').next()?.get(..10)?.to_owned())).collect()
    };
    let taken = times(&mut capped.iter().filter_map(|path| name_of(path)));
    // A `.part` is being written: no cap counts it.
    let stay: Vec<&String> = stay.iter().filter(|name| name.ends_with(".jsonl")).collect();
    let left = times(&mut stay.iter().filter_map(|name| name_of(name)));
    match (taken.last(), left.first()) {
        (Some(taken), Some(left)) if taken > left => Err(format!("a file of {taken} went, and one of {left} stays")),
        _ if stay.len() > most_files => Err(format!("{} files stay, more than {most_files}", stay.len())),
        _ => Ok(()),
    }
}
