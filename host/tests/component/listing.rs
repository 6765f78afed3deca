//! A listing of a directory in which there is anything, in little memory.

use std::fs::{self, File};
use std::time::Duration;

use lro::{CallLimits, Limits, ListRequest, Lro, Options};
use serde_json::Value;

use crate::given::{self, FUTURE, PAST, Place, file, name};

fn page(lro: &Lro, request: &ListRequest) -> Value {
    serde_json::from_str(&lro.list_files(request).unwrap_or_else(|error| panic!("{error}"))).unwrap()
}

/// The component on the same directory, with so much memory for a page.
fn small(place: &Place, mebibytes: u32) -> Lro {
    let limits = CallLimits::default().timeout(Duration::from_secs(120)).max_memory_mib(mebibytes);
    given::with(Options::of(place.inside("")).read_only(true).limits(Limits::default().cleanup(limits)))
}

#[test]
fn very_many_files_are_listed_page_by_page() {
    let place = Place::new();
    let (count, text) = (12_000, file(PAST));
    for number in 0..count {
        fs::write(place.inside(&name(number)), &text).unwrap();
    }
    let lro = small(&place, 32);
    let (mut next, mut listed, mut pages) = (None, Vec::new(), 0);
    loop {
        let page = page(&lro, &ListRequest::default().limit(5000).sha256(false).next(next));
        assert_eq!(page["total"], count);
        let names = page["files"].as_array().unwrap().iter().map(|file| file["file_name"].as_str().unwrap().to_owned());
        listed.extend(names);
        pages += 1;
        next = page["next"].as_str().map(str::to_owned);
        if next.is_none() {
            break;
        }
    }
    // Their names differ in the random part of the ULID, whose order is that of the numbers.
    let expected: Vec<String> = (0..count).rev().map(name).collect();
    assert_eq!((pages, listed == expected), (3, true));
}

/// 64 MiB each that cost their maker nothing: a page ends after some, and those without a header are not read.
#[test]
fn large_files_end_a_page() {
    let place = Place::new();
    for number in 0..7 {
        fs::write(place.inside(&name(number)), file(FUTURE)).unwrap();
        File::options().write(true).open(place.inside(&name(number))).unwrap().set_len(64 << 20).unwrap();
    }
    for number in 7..40 {
        File::create(place.inside(&name(number))).unwrap().set_len(1 << 40).unwrap();
    }
    let lro = small(&place, 32);
    let first = page(&lro, &ListRequest::default());
    assert_eq!((first["files"].as_array().unwrap().len(), &first["foreign"]), (4, &Value::from(33)));
    let second = page(&lro, &ListRequest::default().next(first["next"].as_str().unwrap()));
    assert_eq!((second["files"].as_array().unwrap().len(), &second["next"]), (3, &Value::Null));
}

#[cfg(unix)]
#[test]
fn pipes_and_files_that_cannot_be_read_hold_nothing_up() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    fs::write(place.inside(&name(1)), file(FUTURE)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.inside(&name(2))).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.inside(&name(3))).status();
    assert!(made.is_ok_and(|status| status.success()));
    fs::write(place.inside(&name(4)), file(FUTURE)).unwrap();
    fs::set_permissions(place.inside(&name(4)), fs::Permissions::from_mode(0o0)).unwrap();
    let is_root = File::open(place.inside(&name(4))).is_ok();
    let listing = page(&place.lro, &ListRequest::default());
    let files = listing["files"].as_array().unwrap().len();
    assert_eq!(files, if is_root { 2 } else { 1 });
    assert_eq!(listing["foreign"], if is_root { 2 } else { 3 });
    assert_eq!(listing["remarks"].as_array().unwrap().len(), usize::from(!is_root));
}
