//! Extraction reaches offloaded files in the output directory and nothing else (EXTRACT-12).

use std::fs;

use lro::{Error, ExtractRequest, OffloadRequest, Source};

use crate::given::{self, FUTURE, Place, file, name, records};

/// The name of every file that must not be reached; it would be one of ours.
const CANARY: &str = "atlatl-recall-01KCANARY00000000000000000.jsonl";

fn extract(place: &Place, path: &str) -> Result<String, Error> {
    let query = ExtractRequest::default().query(".id");
    place.lro.extract(&Source::File(path.to_owned()), &query).map(|page| page.results)
}

/// An output directory with a file of ours, one in a session, and things that look like it; canaries around them.
fn place() -> Place {
    let place = Place::new();
    for folder in [place.inside("s-1/deeper"), place.beside("elsewhere"), place.beside("output2")] {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(CANARY), file(FUTURE)).unwrap();
    }
    fs::write(place.beside(CANARY), file(FUTURE)).unwrap();
    for ours in [name(1), format!("s-1/{}", name(2))] {
        fs::write(place.inside(&ours), file(FUTURE)).unwrap();
    }
    fs::write(place.inside("notes.jsonl"), file(FUTURE)).unwrap();
    fs::write(place.inside(&name(3)), "{\"id\":\"m1\"}\n{\"id\":\"m2\"}\n").unwrap();
    fs::write(place.inside(&format!("{}.part", name(4))), file(FUTURE)).unwrap();
    fs::create_dir(place.inside(&name(5))).unwrap();
    place
}

/// Paths that are refused, and the case of the error; `ROOT` holds the output directory.
fn refused() -> Vec<(String, &'static str)> {
    let (headless, part, folder) = (name(3), name(4), name(5));
    let rows = [
        (format!("ROOT/{CANARY}"), "outside"),
        (format!("ROOT/output/../{CANARY}"), "outside"),
        (format!("ROOT/output/s-1/../../{CANARY}"), "outside"),
        (format!("ROOT/output/s-1/deeper/{CANARY}"), "outside"),
        (format!("ROOT/elsewhere/{CANARY}"), "outside"),
        (format!("ROOT/output2/{CANARY}"), "outside"),
        (format!("../{CANARY}"), "outside"),
        (format!("../elsewhere/{CANARY}"), "outside"),
        (format!("./{CANARY}"), "outside"),
        (format!("~/{CANARY}"), "outside"),
        (format!("file:///ROOT/output/{CANARY}"), "outside"),
        (format!("%2e%2e/{CANARY}"), "outside"),
        (format!("ROOT/output/nowhere/../../{CANARY}"), "outside"),
        ("ROOT/output".into(), "outside"),
        ("ROOT/output/".into(), "outside"),
        ("/etc/passwd".into(), "outside"),
        ("".into(), "outside"),
        (".".into(), "outside"),
        ("..".into(), "outside"),
        (folder, "outside"),
        (format!("{CANARY}\0.jsonl"), "invalid-argument"),
        ("notes.jsonl".into(), "not-an-offload"),
        ("ROOT/output/notes.jsonl".into(), "not-an-offload"),
        (format!("..\\{CANARY}"), "not-an-offload"),
        (headless, "not-an-offload"),
        (format!("{part}.part"), "not-an-offload"),
        (CANARY.into(), "not-found"),
        (format!("ROOT/output/{CANARY}"), "not-found"),
        (format!("ROOT/output/s-2/{CANARY}"), "not-found"),
    ];
    rows.into()
}

/// The path for a row of a table.
fn at(place: &Place, path: &str) -> String {
    path.replace("ROOT", place.beside("").to_str().unwrap().trim_end_matches('/'))
}

#[test]
fn a_file_is_found_by_each_of_its_names() {
    let place = place();
    let (one, two) = (name(1), name(2));
    for path in [
        one.clone(),
        format!("ROOT/output/{one}"),
        format!("ROOT/output/./{one}"),
        format!("ROOT//output//{one}"),
        format!("ROOT/elsewhere/../output/{one}"),
        format!("ROOT/output/s-1/../{one}"),
        format!("ROOT/output/s-1/{two}"),
    ] {
        let answer = extract(&place, &at(&place, &path));
        assert_eq!(answer.unwrap_or_else(|error| panic!("{path}: {error}")), "\"m1\"\n");
    }
}

/// What an offload answers is what an extraction takes.
#[test]
fn a_file_of_a_session_is_found_by_what_was_answered() {
    let place = place();
    let request = OffloadRequest::of("recall").session("s-2");
    let stored = given::stored(place.lro.offload(&records(300), &request).unwrap());
    let response: serde_json::Value = serde_json::from_str(&stored.response).unwrap();
    for path in [response["file_path"].as_str().unwrap(), &stored.file_name] {
        let results = extract(&place, path).unwrap_or_else(|error| panic!("{path}: {error}"));
        assert_eq!(results.lines().count(), 300);
    }
}

#[test]
fn everything_else_is_refused() {
    let place = place();
    for (path, case) in refused() {
        match extract(&place, &at(&place, &path)) {
            Err(error) => assert_eq!(error.case(), case, "{path}: {error}"),
            Ok(results) => panic!("{path} is reached: {results}"),
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::Path;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::given::say;

    fn refuses(place: &Place, path: &str, case: &str) {
        match extract(place, path) {
            Err(error) => assert_eq!(error.case(), case, "{path}: {error}"),
            Ok(results) => panic!("{path} is reached: {results}"),
        }
    }

    #[test]
    fn links_are_not_followed() {
        let place = place();
        let targets = [
            place.beside("elsewhere").join(CANARY),
            Path::new("../elsewhere").join(CANARY),
            place.inside(&name(1)),
            name(1).into(),
            "nowhere".into(),
            "/etc/passwd".into(),
        ];
        for target in targets {
            let link = place.inside(&name(10));
            symlink(&target, &link).unwrap();
            refuses(&place, &name(10), "outside");
            refuses(&place, link.to_str().unwrap(), "outside");
            fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn a_session_does_not_lead_elsewhere() {
        let place = place();
        for target in [place.beside("elsewhere"), "../elsewhere".into(), "..".into()] {
            symlink(target, place.inside("s-2")).unwrap();
            refuses(&place, place.inside("s-2").join(CANARY).to_str().unwrap(), "outside");
            fs::remove_file(place.inside("s-2")).unwrap();
        }
    }

    #[test]
    fn a_file_that_became_a_link_is_not_followed() {
        let place = place();
        let stored = place.offload(&records(300));
        assert!(extract(&place, &stored.file_name).is_ok());
        fs::remove_file(place.inside(&stored.file_name)).unwrap();
        symlink(place.beside(CANARY), place.inside(&stored.file_name)).unwrap();
        refuses(&place, &stored.file_name, "outside");
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let place = place();
        let _socket = UnixListener::bind(place.inside(&name(10))).unwrap();
        refuses(&place, &name(10), "outside");
        for (number, arguments) in [(11, &["p"][..]), (12, &["c", "1", "3"])] {
            let made = Command::new("mknod").arg(place.inside(&name(number))).args(arguments).output();
            if made.is_ok_and(|output| output.status.success()) {
                refuses(&place, &name(number), "outside");
            } else {
                say(&format!("mknod {arguments:?}, which is not permitted here"));
            }
        }
    }

    #[test]
    fn a_link_that_comes_and_goes_is_never_followed() {
        let place = place();
        fs::write(place.beside(CANARY), file(FUTURE).replace("m1", "canary")).unwrap();
        let (regular, link) = (place.beside("regular"), place.beside("link"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    fs::write(&regular, file(FUTURE)).unwrap();
                    fs::rename(&regular, place.inside(&name(1))).unwrap();
                    symlink(place.beside(CANARY), &link).unwrap();
                    fs::rename(&link, place.inside(&name(1))).unwrap();
                }
            });
            for _ in 0..200 {
                match extract(&place, &name(1)) {
                    Ok(results) => assert_eq!(results, "\"m1\"\n"),
                    Err(error) => assert_eq!(error.case(), "outside", "{error}"),
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
