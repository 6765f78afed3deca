//! A write sweeps what has expired, the folder of a session goes with its last file, and a purge takes all (LRO-34, USER-08).

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use lro::{CleanupRequest, OffloadRequest, Outcome};

use crate::cleanup::deleted;
use crate::given::{FUTURE, PAST, Place, file, file_with, name, records};

/// A name of ours whose time is long ago.
fn old_name(number: u32) -> String {
    name(number).replace("01KTEST", "0000000")
}

#[test]
fn an_offload_sweeps_what_has_expired() {
    let place = Place::new();
    fs::create_dir(place.inside("s-1")).unwrap();
    let gone = [old_name(1), format!("s-1/{}", old_name(2))];
    for name in &gone {
        fs::write(place.inside(name), file(PAST)).unwrap();
    }
    let kept = file_with(PAST, r#","lro":{"kept":true}"#);
    let staying = [(old_name(3), file(FUTURE)), (old_name(4), kept), (old_name(5), "{\"id\":\"mine\"}\n".to_owned())];
    for (name, text) in &staying {
        fs::write(place.inside(name), text).unwrap();
    }
    // How many files an offload has deleted.
    let offload = || {
        let answer = place.lro.offload(&records(300), &OffloadRequest::of("recall")).unwrap();
        answer.events.iter().filter(|event| event.name == "OffloadFileExpired").count()
    };
    assert_eq!(offload(), 2);
    assert!(gone.iter().all(|name| !place.inside(name).exists()) && !place.inside("s-1").exists());
    for (name, text) in &staying {
        assert_eq!(&fs::read_to_string(place.inside(name)).unwrap(), text);
    }
    // A process does so every few minutes at most.
    fs::write(place.inside(&old_name(6)), file(PAST)).unwrap();
    assert_eq!(offload(), 0);
    assert!(place.inside(&old_name(6)).exists());
}

/// However many files have expired, a sweep opens some hundred, and comes to all of them in time.
#[test]
fn a_quick_sweep_is_bounded_and_comes_to_all() {
    let place = Place::new();
    for number in 0..2000 {
        fs::write(place.inside(&old_name(number)), file(PAST)).unwrap();
    }
    let request = CleanupRequest::default().quick(true);
    let sweep = || place.lro.cleanup(&request).unwrap().deleted;
    let deleted: Vec<u32> = (0..4).map(|_| sweep()).collect();
    assert_eq!(deleted, [512, 512, 512, 464]);
    // Those that stay are in its way only some of the time.
    for number in 0..2000 {
        fs::write(place.inside(&old_name(number)), file(if number == 1000 { PAST } else { FUTURE })).unwrap();
    }
    let sweeps = (1..200).find(|_| sweep() == 1);
    assert!(sweeps.is_some(), "199 sweeps did not come to it");
}

/// The folder of a session may go between two steps of a write.
#[test]
fn a_session_that_is_emptied_all_the_time_is_written_to() {
    let place = Place::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let request = CleanupRequest::default().session("s-1");
            while !done.load(Ordering::Relaxed) {
                // The folder may be there already, or gone again.
                fs::create_dir_all(place.inside("s-1")).ok();
                fs::write(place.inside("s-1").join(name(1)), file(PAST)).ok();
                place.lro.cleanup(&request).unwrap();
            }
            fs::create_dir_all(place.inside("s-1")).unwrap();
            fs::write(place.inside("s-1").join(name(1)), file(PAST)).unwrap();
            place.lro.cleanup(&request).unwrap();
        });
        let write = || {
            let answer = place.lro.offload(&records(1000), &OffloadRequest::of("recall").session("s-1")).unwrap();
            let cleaned = place.lro.cleanup(&CleanupRequest::default().session("s-1").ttl_seconds(0));
            (answer.outcome, cleaned)
        };
        let answers: Vec<_> = (0..60).map(|_| write()).collect();
        // The other thread ends whatever the answers are.
        done.store(true, Ordering::Relaxed);
        for (outcome, cleaned) in answers {
            assert!(matches!(outcome, Outcome::Offloaded(_)), "{outcome:?}");
            cleaned.unwrap();
        }
    });
    assert_eq!(fs::read_dir(place.inside("")).unwrap().count(), 0, "the folder has gone with its last file");
}

#[cfg(unix)]
#[test]
fn a_purge_takes_files_of_ours_and_nothing_that_a_link_leads_to() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let outside = place.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join(name(1)), file(PAST)).unwrap();
    fs::write(place.inside(&name(2)), file(FUTURE)).unwrap();
    symlink(&outside, place.inside("linked")).unwrap();
    symlink(outside.join(name(1)), place.inside(&name(3))).unwrap();
    fs::create_dir(place.inside(&name(4))).unwrap();
    let purged = place.lro.cleanup(&CleanupRequest::default().all(true)).unwrap();
    assert_eq!(deleted(&place, &purged), BTreeSet::from([name(2)]));
    let linked = place.lro.cleanup(&CleanupRequest::default().all(true).session("linked"));
    assert!(linked.is_err() || linked.is_ok_and(|cleaning| cleaning.deleted == 0));
    assert!(outside.join(name(1)).exists() && place.inside(&name(4)).exists());
}
