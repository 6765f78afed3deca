//! A payload in a file becomes what its text becomes.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};

use lro::{CallLimits, Limits, Lro, OffloadRequest, Offloading, Options, Outcome};

use crate::given::{MEMORIES, Place, records, stored, with};

fn request() -> OffloadRequest {
    OffloadRequest::of("recall")
}

/// What becomes of bytes that are in a file beside the output directory.
fn of_file(place: &Place, lro: &Lro, payload: &[u8]) -> Offloading {
    let path = place.beside("payload");
    fs::write(&path, payload).unwrap();
    lro.offload_file(&File::open(path).unwrap(), &request()).unwrap()
}

/// The records in the file of an answer.
fn lines(place: &Place, answer: Offloading) -> String {
    let text = fs::read_to_string(place.inside(&stored(answer).file_name)).unwrap();
    text.split_once('\n').unwrap().1.to_owned()
}

/// Without what differs from call to call.
fn names(answer: &Offloading) -> Vec<&str> {
    answer.events.iter().map(|event| event.name.as_str()).collect()
}

/// An outcome without a file.
fn shown(outcome: &Outcome) -> String {
    format!("{outcome:?}")
}

#[test]
fn it_is_stored_or_left_alone_as_a_text_is() {
    let place = Place::new();
    let long = format!("{}é", "wörter über den cache\n".repeat(50_000));
    for payload in [MEMORIES, &records(20_000), &long, &records(3), "", "{\"a\":["] {
        let (text, file) =
            (place.lro.offload(payload, &request()).unwrap(), of_file(&place, &place.lro, payload.as_bytes()));
        assert_eq!((names(&file), file.estimated_tokens), (names(&text), text.estimated_tokens));
        match &text.outcome {
            Outcome::Offloaded(_) => assert_eq!(lines(&place, file), lines(&place, text)),
            outcome => assert_eq!(shown(&file.outcome), shown(outcome)),
        }
    }
    assert!(place.listing().keys().all(|name| !name.ends_with(".payload")));
}

#[test]
fn it_is_estimated_as_a_text_is_with_a_directory_and_without_one() {
    let place = Place::new();
    for payload in [MEMORIES.as_bytes(), records(20_000).as_bytes(), b"", b"text \xff ".repeat(20_000).as_slice()] {
        let path = place.beside("payload");
        fs::write(&path, payload).unwrap();
        let expected = place.lro.estimate(&String::from_utf8_lossy(payload), &request()).unwrap();
        let gone = with(Options::of(place.beside("missing")).prepare_output_dir(false));
        for lro in [&place.lro, &gone] {
            assert_eq!(lro.estimate_file(&File::open(&path).unwrap(), &request()).unwrap(), expected);
        }
    }
    assert!(place.listing().keys().all(|name| !name.ends_with(".jsonl")), "an estimate writes nothing");
}

#[test]
fn what_is_not_utf_8_is_offloaded_as_its_bytes_are() {
    let place = Place::new();
    let payload = b"text \xff ".repeat(20_000);
    let answer = of_file(&place, &place.lro, &payload);
    assert!(answer.events.iter().any(|event| event.name == "OffloadLossy"), "{:?}", answer.events);
    assert_eq!(lines(&place, answer).matches('\u{fffd}').count(), 20_000);
}

#[test]
fn all_of_it_counts_wherever_it_has_been_read_to() {
    let place = Place::new();
    let path = place.beside("payload");
    fs::write(&path, MEMORIES).unwrap();
    let mut file = File::open(path).unwrap();
    file.seek(SeekFrom::End(-10)).unwrap();
    let answer = place.lro.offload_file(&file, &request()).unwrap();
    assert_eq!(lines(&place, answer), lines(&place, place.lro.offload(MEMORIES, &request()).unwrap()));
}

#[test]
fn a_file_of_its_name_in_the_directory_is_another_one() {
    let place = Place::new();
    fs::write(place.inside(".payload"), records(1)).unwrap();
    let answer = of_file(&place, &place.lro, MEMORIES.as_bytes());
    assert_eq!(lines(&place, answer), lines(&place, place.lro.offload(MEMORIES, &request()).unwrap()));
    assert_eq!(fs::read_to_string(place.inside(".payload")).unwrap(), records(1));
}

#[test]
fn a_limit_truncates_and_a_directory_that_has_gone_does_too() {
    let place = Place::new();
    let payload = records(100_000);
    let tight = Limits::default().offload(CallLimits::default().max_memory_mib(8));
    let limited = with(Options::of(place.inside("")).limits(tight));
    let [text, file] = [limited.offload(&payload, &request()).unwrap(), of_file(&place, &limited, payload.as_bytes())];
    assert!(matches!(text.outcome, Outcome::Truncated(_)), "{text:?}");
    assert_eq!((shown(&file.outcome), names(&file)), (shown(&text.outcome), names(&text)));
    let unprepared = with(Options::of(place.inside("")).prepare_output_dir(false));
    fs::remove_dir_all(place.inside("")).unwrap();
    let answer = of_file(&place, &unprepared, payload.as_bytes());
    assert!(matches!(answer.outcome, Outcome::Truncated(_)), "{answer:?}");
    let answer = of_file(&place, &place.lro, payload.as_bytes());
    assert!(matches!(answer.outcome, Outcome::Offloaded(_)), "{answer:?}");
}

#[test]
fn a_request_alone_shows_no_file() {
    let place = Place::new();
    fs::write(place.inside(".payload"), records(20_000)).unwrap();
    let bytes = fs::metadata(place.inside(".payload")).unwrap().len();
    let answer = place.lro.offload("", &request().with("payload_bytes", bytes)).unwrap();
    assert_eq!(lines(&place, answer).lines().count(), 20_000);
    fs::remove_file(place.inside(".payload")).unwrap();
    let answer = place.lro.offload("", &request().with("payload_bytes", bytes)).unwrap();
    assert_eq!(names(&answer), ["OffloadFailed"], "{answer:?}");
}
