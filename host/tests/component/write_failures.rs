//! A file that cannot be written: the answer is the truncated result, an event says why, and nothing is left behind
//! (LRO-37 to LRO-42).

use std::fs;
use std::path::Path;
use std::process::Command;

use lro::{Lro, OffloadRequest, Offloading, Options, Outcome};
use serde_json::Value;
use tempfile::TempDir;

use crate::given::{self, Place, records, say};

/// Names the directory to the copy of a test that runs where a file system of its own is mounted.
const MOUNTED: &str = "LRO_TEST_MOUNTED";

fn request() -> OffloadRequest {
    OffloadRequest::of("recall")
}

/// The component on a directory that may be unfit: that shows only when something is written.
fn lro(directory: &Path) -> Lro {
    given::with(Options::of(directory).prepare_output_dir(false))
}

fn in_session() -> OffloadRequest {
    request().session("s-1")
}

/// Checks that an answer is the truncated form of `payload`, with its event. Answers the event's error.
fn assert_truncated(answer: &Offloading, payload: &str) -> String {
    let Outcome::Truncated(text) = &answer.outcome else { panic!("not truncated: {answer:?}") };
    let truncated: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
    assert!(truncated.keys().eq(["offloaded", "warning", "results", "returned", "total"]), "{text}");
    let all: Vec<Value> = serde_json::from_str(payload).unwrap();
    let results = truncated["results"].as_array().unwrap();
    let notice = results.iter().position(Value::is_string).expect("a notice says what is cut");
    let (head, tail) = (&results[..notice], &results[notice + 1..]);
    assert!(all.starts_with(head) && all.ends_with(tail) && !head.is_empty(), "whole records of both ends");
    assert_eq!((&truncated["returned"], &truncated["total"]), (&(results.len() - 1).into(), &all.len().into()));
    assert_eq!(truncated["offloaded"], false);

    let [detected, event] = &answer.events[..] else { panic!("two events are expected: {:?}", answer.events) };
    assert_eq!((&*detected.name, &*event.name), ("LargeResultDetected", "OffloadWriteFailed"));
    let fields: Value = serde_json::from_str(&event.fields).unwrap();
    assert_eq!(fields["operation"], "recall");
    assert!(fields["file_path"].as_str().is_some_and(|path| path.ends_with(".jsonl")), "{fields}");
    let error = fields["error"].as_str().unwrap().to_owned();
    assert!(truncated["warning"].as_str().unwrap().contains(&error), "{text}");
    error
}

#[test]
fn a_directory_that_has_gone() {
    let place = Place::new();
    place.offload(&records(300));
    fs::remove_dir_all(place.inside("")).unwrap();
    let unprepared = lro(&place.inside(""));
    let error = assert_truncated(&unprepared.offload(&records(300), &request()).unwrap(), &records(300));
    assert!(error.contains("does not exist"), "{error}");
    assert!(place.listing().is_empty(), "no directory is made");
    // Who has prepared it gets it again (decision 363).
    place.offload(&records(300));
    assert!(place.inside("").is_dir());
}

#[test]
fn a_directory_that_is_a_file() {
    let root = TempDir::new().unwrap();
    let file = root.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert_truncated(&lro(&file).offload(&records(300), &request()).unwrap(), &records(300));
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn a_session_that_is_a_file() {
    let place = Place::new();
    fs::write(place.inside("s-1"), "mine").unwrap();
    let before = place.listing();
    assert_truncated(&place.lro.offload(&records(300), &in_session()).unwrap(), &records(300));
    assert_eq!(place.listing(), before);
}

#[cfg(unix)]
#[test]
fn a_session_that_leads_elsewhere() {
    let place = Place::new();
    fs::create_dir(place.beside("elsewhere")).unwrap();
    for target in [place.beside("elsewhere"), "../elsewhere".into(), ".".into()] {
        std::os::unix::fs::symlink(target, place.inside("s-1")).unwrap();
        let before = place.listing();
        assert_truncated(&place.lro.offload(&records(300), &in_session()).unwrap(), &records(300));
        assert_eq!(place.listing(), before);
        fs::remove_file(place.inside("s-1")).unwrap();
    }
}

#[test]
fn a_read_only_file_system() {
    on_file_system("write_failures::a_read_only_file_system", "ro", |directory| {
        for request in [request(), in_session()] {
            assert_truncated(&lro(directory).offload(&records(300), &request).unwrap(), &records(300));
        }
        assert_eq!(entries(directory), 0);
    });
}

#[test]
fn a_file_system_without_room_for_a_name() {
    on_file_system("write_failures::a_file_system_without_room_for_a_name", "nr_inodes=1", |directory| {
        for request in [request(), in_session()] {
            let error = assert_truncated(&lro(directory).offload(&records(300), &request).unwrap(), &records(300));
            assert!(error.contains("no space"), "{error}");
        }
        assert_eq!(entries(directory), 0);
    });
}

#[test]
fn a_full_file_system() {
    on_file_system("write_failures::a_full_file_system", "size=64k", |directory| {
        let lro = lro(directory);
        let error = assert_truncated(&lro.offload(&records(30_000), &request()).unwrap(), &records(30_000));
        assert!(error.contains("no space"), "{error}");
        assert_eq!(entries(directory), 0, "no partial file");
        // From 40 to 80 KiB: wherever the room ends, a file is whole or absent, and a failure leaves room for the next.
        let counts = (1000..=2000).step_by(100).chain([1000]);
        let whole: Vec<bool> = counts.map(|count| is_whole_or_absent(&lro, directory, count)).collect();
        assert!(whole.contains(&false) && whole[0] && whole[whole.len() - 1], "{whole:?}");
    });
}

/// Offloads so many records: true when the whole file is there, false when nothing is. Leaves the directory empty.
fn is_whole_or_absent(lro: &Lro, directory: &Path, count: u32) -> bool {
    let payload = records(count);
    let answer = lro.offload(&payload, &request()).unwrap();
    let Outcome::Offloaded(stored) = &answer.outcome else {
        assert_truncated(&answer, &payload);
        assert_eq!(entries(directory), 0, "no partial file of {count} records");
        return false;
    };
    let text = fs::read_to_string(directory.join(&stored.file_name)).unwrap();
    assert_eq!(text.lines().skip(1).collect::<Vec<_>>().join(","), payload[1..payload.len() - 1]);
    fs::remove_file(directory.join(&stored.file_name)).unwrap();
    assert_eq!(entries(directory), 0);
    true
}

fn entries(directory: &Path) -> usize {
    fs::read_dir(directory).unwrap().count()
}

/// Runs a test on a small file system in memory, which is mounted with `options` where only a copy of this process sees
/// it. Where that is not permitted, a line says so and nothing is tested.
fn on_file_system(test: &str, options: &str, check: impl FnOnce(&Path)) {
    if let Some(directory) = std::env::var_os(MOUNTED) {
        return check(Path::new(&directory));
    }
    let directory = TempDir::new().unwrap();
    let mount = r#"mount -t tmpfs -o "$0" none "$1""#;
    let unshared = |script: &str, arguments: &[&str]| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", script, options]).arg(directory.path()).args(arguments);
        command.env(MOUNTED, directory.path()).output()
    };
    if !unshared(mount, &[]).is_ok_and(|output| output.status.success()) {
        return say(&format!("{test}, since this machine lets nobody mount a file system"));
    }
    let program = std::env::current_exe().unwrap();
    let copy = format!(r#"{mount} && exec "$2" --exact "$3""#);
    let output = unshared(&copy, &[program.to_str().unwrap(), test]).unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
}
