//! Cleanup deletes the expired files of ours and nothing else, and disturbs nobody (LRO-34, LRO-41, decision 10).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use lro::{Cleaning, CleanupRequest, OffloadRequest, Outcome};
use serde_json::Value;

use crate::given::{self, FUTURE, PAST, Place, file, file_with, name, records};

/// The paths that events of a cleanup name, below the output directory.
pub(crate) fn deleted(place: &Place, cleaning: &Cleaning) -> BTreeSet<String> {
    let directory = place.inside("").canonicalize().unwrap();
    let below = |fields: &str| {
        let fields: Value = serde_json::from_str(fields).unwrap();
        let path = std::path::Path::new(fields["file_path"].as_str().unwrap());
        path.strip_prefix(&directory).unwrap().to_str().unwrap().to_owned()
    };
    assert!(cleaning.events.iter().all(|event| event.name == "OffloadFileExpired"), "{:?}", cleaning.events);
    cleaning.events.iter().map(|event| below(&event.fields)).collect()
}

/// Files that are to go, by their names, and what is in them.
fn expired() -> Vec<(String, String)> {
    let ttl = |ttl: u32| file_with(PAST, &format!(r#","lro":{{"ttl_seconds":{ttl}}}"#));
    vec![
        (name(1), file(PAST)),
        (format!("s-1/{}", name(2)), file(PAST)),
        (format!("S_2/{}", name(3)), file(PAST)),
        (name(4), ttl(60)),
        (name(5).replace("jsonl", "txt"), file(PAST)),
        (name(6).replace("recall", "list_issues-2"), file(PAST)),
        // Its timestamp says nothing, so the moment in its name counts.
        (name(7).replace("01KTEST", "0000000"), file("yesterday")),
        // An operation that is called like the parts of a name.
        (name(8).replace("recall", "atlatl-recall"), file(PAST)),
    ]
}

/// Files that are to stay.
fn staying() -> Vec<(String, String)> {
    let long = format!(r#","lro":{{"ttl_seconds":{}}}"#, u32::MAX);
    vec![
        (name(20), file(FUTURE)),
        (format!("s-1/{}", name(21)), file(FUTURE)),
        (name(22), file_with(PAST, &long)),
        // Other names.
        ("notes.jsonl".into(), file(PAST)),
        (format!("{}.bak", name(23)), file(PAST)),
        (format!("x{}", name(24)), file(PAST)),
        (name(25).to_lowercase(), file(PAST)),
        (name(26).replace("01KTEST0", "01KTESTU"), file(PAST)),
        (name(27).replace("01KTEST", "1KTEST"), file(PAST)),
        (name(28).replace("recall", "Recall"), file(PAST)),
        (name(29).replace("-recall", ""), file(PAST)),
        (name(30).replace("atlatl", "other"), file(PAST)),
        (name(31).replace(".jsonl", ".json"), file(PAST)),
        // Other first lines.
        (name(40), String::new()),
        (name(41), "\n".into()),
        (name(42), "{\"id\":\"m1\"}\n".into()),
        (name(43), file(PAST).replace("lro_header", "header")),
        (name(44), format!("\n{}", file(PAST))),
        (name(45), file(PAST).replace(r#""count":1,"#, "")),
        (name(46), format!(" {} {}", "x".repeat(2 << 20), file(PAST))),
        // Places that are not ours to look into.
        (format!("s-1/deeper/{}", name(50)), file(PAST)),
        (format!(".hidden/{}", name(51)), file(PAST)),
        (format!("with space/{}", name(52)), file(PAST)),
        (format!("{}/{}", name(53), name(54)), file(PAST)),
        (format!("../output2/{}", name(55)), file(PAST)),
        (format!("../elsewhere/{}", name(56)), file(PAST)),
    ]
}

fn place() -> Place {
    let place = Place::new();
    for (name, text) in expired().into_iter().chain(staying()) {
        let path = place.inside(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

#[cfg(unix)]
#[test]
fn exactly_the_expired_files_of_ours_go() {
    use std::os::unix::fs::symlink;
    let place = place();
    symlink(place.beside("elsewhere").join(name(56)), place.inside(&name(60))).unwrap();
    symlink(place.beside("elsewhere"), place.inside("linked")).unwrap();
    symlink("nowhere", place.inside(&name(61))).unwrap();
    symlink(".", place.inside("circle")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.inside(&name(62))).unwrap();

    let before = place.listing();
    let dry_run = place.lro.cleanup(&CleanupRequest::default().dry_run(true)).unwrap();
    assert_eq!(place.listing(), before, "a dry run changes nothing");
    let cleaning = place.lro.cleanup(&CleanupRequest::default()).unwrap();
    let expected: BTreeSet<String> = expired().into_iter().map(|(name, _)| name).collect();
    assert_eq!(deleted(&place, &cleaning), expected);
    assert_eq!(deleted(&place, &dry_run), expected);
    // The empty one may have lost its content a moment ago: it stays for an hour.
    assert_eq!((cleaning.deleted as usize, cleaning.kept), (expected.len(), 4));
    let bytes: usize = expired().iter().map(|(_, text)| text.len()).sum();
    assert_eq!(cleaning.freed_bytes, bytes as f64);

    let mut left = before;
    left.retain(|path, _| !path.strip_prefix("output/").is_some_and(|name| expected.contains(name)));
    assert!(left.remove("output/S_2").is_some(), "a folder goes with its last file");
    assert_eq!(place.listing(), left);
    let again = place.lro.cleanup(&CleanupRequest::default()).unwrap();
    assert_eq!((again.deleted, again.kept, again.events.len()), (0, 4, 0));
}

/// In a shared directory there is anything.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_text_does_not_stop_it() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    fs::write(place.inside(&name(1)), file(PAST)).unwrap();
    fs::write(place.inside("").join(std::ffi::OsStr::from_bytes(b"atlatl-\xff\xfe.jsonl")), "mine").unwrap();
    let cleaning = place.lro.cleanup(&CleanupRequest::default()).unwrap();
    assert_eq!(deleted(&place, &cleaning), BTreeSet::from([name(1)]));
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 1);
}

#[test]
fn a_session_is_cleaned_alone() {
    let place = place();
    let request = CleanupRequest::default().session("s-1");
    let cleaning = place.lro.cleanup(&request).unwrap();
    assert_eq!(deleted(&place, &cleaning), BTreeSet::from([format!("s-1/{}", name(2))]));
    assert!(place.inside(&name(1)).exists());
}

#[test]
fn parts_go_when_nobody_has_written_to_them_for_long() {
    let place = Place::new();
    let part = |number: u32, idle: u64| {
        let name = format!("{}.part", name(number));
        let file = File::create(place.inside(&name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(idle)).unwrap();
        name
    };
    let (old, young) = (part(1, 2 * 3600), part(2, 1800));
    // Even when everything else is to go: somebody may be writing to it.
    let request = CleanupRequest::default().ttl_seconds(0).max_files(0);
    let cleaning = place.lro.cleanup(&request).unwrap();
    assert_eq!(deleted(&place, &cleaning), BTreeSet::from([old]));
    assert!(place.inside(&young).exists());
    let request = CleanupRequest::default().ttl_seconds(3 * 3600);
    part(3, 2 * 3600);
    assert_eq!(place.lro.cleanup(&request).unwrap().deleted, 0, "nor before a longer time to live");
}

#[test]
fn caps_take_the_oldest_first_in_all_folders_together() {
    let place = Place::new();
    fs::create_dir(place.inside("s-1")).unwrap();
    let names: Vec<String> =
        (1..=6).map(|day| if day % 2 == 0 { name(day) } else { format!("s-1/{}", name(day)) }).collect();
    for (day, name) in (1..).zip(&names) {
        fs::write(place.inside(name), file(&format!("2999-01-0{day}T00:00:00.000Z"))).unwrap();
    }
    fs::write(place.inside("notes.jsonl"), "not counted").unwrap();
    let bytes = file(FUTURE).len() as u64;
    let rows = [
        (None, Some(6 * bytes), 0),
        (Some(6), None, 0),
        (Some(4), None, 2),
        (Some(4), Some(4 * bytes - 1), 3),
        (Some(0), None, 6),
    ];
    let mut gone = 0;
    for (max_files, max_bytes, expected) in rows {
        let cleaning = place.lro.cleanup(&CleanupRequest::default().max_files(max_files).max_bytes(max_bytes)).unwrap();
        assert_eq!(deleted(&place, &cleaning), names[gone..expected].iter().cloned().collect());
        gone = expected;
    }
    assert!(place.inside("notes.jsonl").exists());
}

/// Files that come and go while a directory is read: each cleanup answers, whatever the other one took.
#[test]
fn others_may_clean_up_too() {
    let place = Place::new();
    let rounds = 20;
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for round in 0..rounds {
                    fs::write(place.inside(&name(thread * rounds + round)), file(PAST)).unwrap();
                    let cleaning = place.lro.cleanup(&CleanupRequest::default()).unwrap();
                    assert_eq!(deleted(place, &cleaning).len(), cleaning.deleted as usize);
                }
            });
        }
    });
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 0);
}

#[test]
fn others_may_go_on_writing() {
    let place = Place::new();
    let done = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writer = |session: Option<&str>| {
            let request = OffloadRequest::of("recall").session(session.map(str::to_owned));
            let offload = || given::stored(place.lro.offload(&records(2000), &request).unwrap()).file_name;
            (0..15).map(|_| offload()).collect::<Vec<_>>()
        };
        let writers = [None, Some("s-1")].map(|session| scope.spawn(move || writer(session)));
        let cleaner = scope.spawn(|| {
            let mut rounds = 0;
            while !done.load(Ordering::Relaxed) || rounds == 0 {
                fs::write(place.inside(&name(rounds)), file(PAST)).unwrap();
                let cleaning = place.lro.cleanup(&CleanupRequest::default()).unwrap();
                // The sweep of a writer may have been first.
                assert!(deleted(&place, &cleaning).is_subset(&BTreeSet::from([name(rounds)])));
                assert!(!place.inside(&name(rounds)).exists());
                rounds += 1;
            }
        });
        let written: Vec<String> = writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        cleaner.join().unwrap();
        written
    });
    for name in written {
        let text = fs::read_to_string(place.inside(&name)).unwrap();
        assert_eq!(text.lines().count(), 2001, "{name}");
    }
}

#[test]
fn a_cleanup_that_takes_all_never_fails_a_write() {
    let place = Place::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let cleaners = [(); 2].map(|()| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let request = CleanupRequest::default().ttl_seconds(0);
                    let cleaning = place.lro.cleanup(&request).unwrap();
                    assert_eq!(deleted(&place, &cleaning).len(), cleaning.deleted as usize);
                }
            })
        });
        for _ in 0..30 {
            let answer = place.lro.offload(&records(2000), &OffloadRequest::of("recall")).unwrap();
            assert!(matches!(answer.outcome, Outcome::Offloaded(_)), "{answer:?}");
        }
        done.store(true, Ordering::Relaxed);
        cleaners.into_iter().for_each(|cleaner| cleaner.join().unwrap());
    });
    place.lro.cleanup(&CleanupRequest::default().ttl_seconds(0)).unwrap();
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 0);
}

/// A name of ours, last written so many hours ago.
fn aged(place: &Place, number: u32, text: &[u8], hours: u64) -> String {
    fs::write(place.inside(&name(number)), text).unwrap();
    let file = File::options().write(true).open(place.inside(&name(number))).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
    name(number)
}

#[test]
fn what_a_loss_of_power_left_goes_when_it_is_old() {
    let place = Place::new();
    let header = file(PAST);
    let rows: [(&[u8], u64, bool); 6] = [
        (b"", 2, true),
        (&[0; 5000], 2, true),
        (&header.as_bytes()[..40], 2, true),
        (b"", 0, false),
        (b"notes of mine\n", 2, false),
        (b"{\"id\":\"m1\"}\n", 2, false),
    ];
    let mut expected = BTreeSet::new();
    for (number, (text, hours, goes)) in (0..).zip(rows) {
        // Not one document.
        let name = aged(&place, number * 10, text, hours);
        expected.extend(goes.then_some(name));
    }
    assert_eq!(deleted(&place, &place.lro.cleanup(&CleanupRequest::default()).unwrap()), expected);
}

/// Sparse files cost their maker nothing: 64 MiB each, with names of ours.
#[test]
fn sparse_files_do_not_hold_it_up() {
    let place = Place::new();
    for number in 0..200 {
        let sparse = File::create(place.inside(&name(number))).unwrap();
        sparse.set_len(64 << 20).unwrap();
        if number % 2 == 0 {
            fs::write(place.inside(&name(number)), &file(FUTURE).as_bytes()[..60]).unwrap();
            File::options().write(true).open(place.inside(&name(number))).unwrap().set_len(64 << 20).unwrap();
        }
    }
    fs::write(place.inside(&name(1000)), file(PAST)).unwrap();
    let limits =
        lro::Limits::default().cleanup(lro::CallLimits::default().timeout(Duration::from_secs(20)).max_memory_mib(32));
    let options = lro::Options::of(place.inside("")).limits(limits);
    let cleaning = given::with(options).cleanup(&CleanupRequest::default()).unwrap();
    assert_eq!(deleted(&place, &cleaning), BTreeSet::from([name(1000)]));
}

/// More than a call deletes, in little memory.
#[test]
fn very_many_files_are_deleted_in_several_goes() {
    let place = Place::new();
    let (count, text) = (12_000, file(PAST));
    for number in 0..count {
        fs::write(place.inside(&name(number * 2)), &text).unwrap();
    }
    let limits =
        lro::Limits::default().cleanup(lro::CallLimits::default().timeout(Duration::from_secs(120)).max_memory_mib(48));
    let options = lro::Options::of(place.inside("")).limits(limits);
    let lro = given::with(options);
    let dry_run = lro.cleanup(&CleanupRequest::default().dry_run(true)).unwrap();
    assert_eq!(dry_run.deleted, count);
    let mut goes = Vec::new();
    let cleaning = lro.cleanup_observed(&CleanupRequest::default(), |events| goes.push(events.len())).unwrap();
    assert_eq!((cleaning.deleted, cleaning.events.len(), goes.iter().sum()), (count, 0, count as usize));
    assert!(goes.len() > 1 && goes.iter().all(|events| *events < 11_000), "{goes:?}");
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 0);
}

#[test]
fn caps_take_documents_as_a_whole() {
    let place = Place::new();
    let list = |key: &str| format!("\"{key}\":{}", records(150));
    let document = format!("{{{},{},{}}}", list("a"), list("b"), list("c"));
    given::stored(place.lro.offload(&document, &OffloadRequest::of("recall")).unwrap());
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 3);
    std::thread::sleep(Duration::from_millis(2));
    let newer = place.offload(&records(300)).file_name;
    let request = CleanupRequest::default().max_files(3);
    assert_eq!(place.lro.cleanup(&request).unwrap().deleted, 3);
    let left: Vec<_> = fs::read_dir(place.inside("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [std::ffi::OsStr::new(&newer)]);
}

/// Pipes are no files, also when one takes the place of a file between a look and the opening.
#[cfg(unix)]
#[test]
fn a_pipe_that_comes_and_goes_hangs_nothing() {
    use lro::{ExtractRequest, Source};
    let place = Place::new();
    let (regular, pipe) = (place.beside("regular"), place.beside("pipe"));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                fs::write(&regular, file(FUTURE)).unwrap();
                fs::rename(&regular, place.inside(&name(1))).unwrap();
                if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
                    fs::rename(&pipe, place.inside(&name(1))).unwrap();
                }
            }
        });
        let query = ExtractRequest::default().query(".id");
        let until = std::time::Instant::now() + Duration::from_secs(2);
        while std::time::Instant::now() < until {
            place.lro.cleanup(&CleanupRequest::default()).unwrap();
            match place.lro.extract(&Source::File(name(1)), &query) {
                Ok(page) => assert_eq!(page.results, "\"m1\"\n"),
                Err(error) => assert!(["outside", "not-found"].contains(&error.case()), "{error}"),
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}
