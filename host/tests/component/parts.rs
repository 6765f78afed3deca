//! A large file by several threads: what comes of it is what comes of it by one.

use std::fs;
use std::num::NonZero;

use lro::{Error, ExtractRequest, Extracted, Findings, Lro, OffloadRequest, Options, SearchRequest, Source};

use crate::given::{FUTURE, Place, file, name, stored, with};

/// So many lines of half a kilobyte are 10 MB: three parts.
const LINES: u32 = 20_000;

/// Records of which some are no JSON, some are null, and some lack what a filter reads.
fn line(number: u32) -> String {
    match number % 997 {
        13 => format!("{{\"id\": \"r{number}\", not json"),
        14 => "null".to_owned(),
        15 => String::new(),
        16 => format!("{{\"id\":\"r{number}\",\"title\":{number}}}"),
        _ => {
            let (title, namespace) = (format!("Cache {number}"), ["_semantic/a", "_episodic/b"][number as usize % 2]);
            let content = "wörter über den cache ".repeat(20);
            format!(
                r#"{{"id":"r{number}","memory_type":"semantic","title":"{title}","namespace":"{namespace}","tags":["TAG"],"created":"2026-01-01T00:00:{:02}Z","content":"{content}"}}"#,
                number % 60
            )
        }
    }
}

fn large(place: &Place) -> String {
    let lines: String = (0..LINES).map(|number| line(number) + "\n").collect();
    let path = place.inside(&name(1));
    fs::write(&path, file(FUTURE) + &lines).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A text of as many lines, some of which look like JSON and some of which are empty.
fn large_text(place: &Place) -> String {
    let levels = ["INFO", "WARN", "error", "debug", "{}", ""];
    let line = |number: u32| match number % 997 {
        13 => String::new(),
        14 => "\"prefix\" \\ \t".to_owned(),
        _ => format!("{} {} prefix keyword {number}", levels[number as usize % 6], "wörter über den cache ".repeat(20)),
    };
    let lines: String = (0..LINES).map(|number| line(number) + "\n").collect();
    let stored = stored(by(1, place).offload(&lines, &OffloadRequest::of("read_log")).unwrap());
    place.inside(&stored.file_name).to_str().unwrap().to_owned()
}

fn by(threads: usize, place: &Place) -> Lro {
    with(Options::of(place.inside("")).threads(NonZero::new(threads)))
}

fn all(lro: &Lro, path: &str, request: &ExtractRequest) -> Result<(String, Extracted), Error> {
    let mut pages = lro.extract_all(&Source::File(path.to_owned()), request);
    let text = pages.by_ref().collect::<Result<String, Error>>()?;
    Ok((text, pages.extracted().clone()))
}

#[test]
fn threads_change_nothing() {
    let place = Place::new();
    let path = large(&place);
    let query = |text: &str| ExtractRequest::default().query(text);
    let recipes = (1..=10).map(|recipe| ExtractRequest::default().recipe(recipe));
    let filters =
        [".", ".title | ascii_downcase", ".id, .title", "empty", "select(.id == \"r19999\")", ".title.x", "."];
    let requests = recipes.chain(filters.map(query)).chain([query(".id").strict(true)]);
    let (one, several) = (by(1, &place), by(3, &place));
    for request in requests {
        let message = |error: Error| error.to_string();
        let expected = all(&one, &path, &request).map_err(message);
        let seen = all(&several, &path, &request).map_err(message);
        match (seen, expected) {
            (Ok((text, seen)), Ok((expected_text, expected))) => {
                assert!(text == expected_text, "{request:?}");
                assert_eq!((seen.count, seen.failed, seen.next), (expected.count, expected.failed, expected.next));
                let lines =
                    |extracted: &[lro::Failure]| extracted.iter().map(|f| (f.line, f.message.clone())).collect();
                let (seen, expected): (Vec<_>, Vec<_>) = (lines(&seen.failures), lines(&expected.failures));
                assert_eq!(seen, expected, "{request:?}");
            }
            (seen, expected) => assert_eq!(seen.err(), expected.err(), "{request:?}"),
        }
    }
}

#[test]
fn threads_change_nothing_of_a_text() {
    let place = Place::new();
    let path = large_text(&place);
    let whole = |text: &str| ExtractRequest::default().query(text).slurp(true);
    let recipes = (1..=10).map(|recipe| ExtractRequest::default().recipe(recipe));
    let (one, several) = (by(1, &place), by(3, &place));
    for request in recipes.chain([whole("length"), whole("map(length) | add")]) {
        let (expected, _) = all(&one, &path, &request).unwrap();
        let (seen, extracted) = all(&several, &path, &request).unwrap();
        assert!(seen == expected, "{request:?}");
        assert_eq!((extracted.failed, extracted.next), (0, None));
    }
    let (count, _) = all(&several, &path, &whole("length")).unwrap();
    assert_eq!(count, format!("{LINES}\n"));
}

#[test]
fn who_stops_reading_ends_it() {
    let place = Place::new();
    let path = large(&place);
    let request = ExtractRequest::default().query(".");
    let lro = by(3, &place);
    let mut pages = lro.extract_all(&Source::File(path.clone()), &request);
    let first = pages.next().unwrap().unwrap();
    assert!(first.len() < LINES as usize * 100 && pages.extracted().bytes == first.len() as u64);
    // The threads end here.
    drop(pages);
    assert!(all(&lro, &path, &request).unwrap().0.starts_with(&first));
}

/// A log in which some words are rare, some are in many lines, and some stand where a part ends.
fn log(place: &Place) -> (String, u64) {
    let long = "x".repeat(3000);
    let line = |number: u32| match number {
        // The first part ends at the first line with NEEDLE.
        13_000.. if number.is_multiple_of(20_011) => format!("NEEDLE {number} {long} needle"),
        _ if number.is_multiple_of(5) => format!("{number} error: the disk is full"),
        _ if number % 7_001 == 3 => format!("{number} WARN a few of them, wörter"),
        _ => format!("{number} GET /a/path/of/the/server?number={number} 200 in {} ms", number % 89),
    };
    let lines: String = (0..200_000).map(|number| line(number) + "\n").collect();
    let stored = stored(by(1, place).offload(&lines, &OffloadRequest::of("read_log")).unwrap());
    (place.inside(&stored.file_name).to_str().unwrap().to_owned(), lines.len() as u64)
}

#[test]
fn threads_change_no_search() {
    let place = Place::new();
    let (path, bytes) = log(&place);
    assert!(bytes > 9 << 20, "{bytes}");
    let patterns = [
        "nowhere",
        "NEEDLE",
        "needle",
        "WARN",
        "error",
        "1999",
        "^199 ",
        "in 88 ms$",
        "[A-Z]{6}",
        r"\b4\d* error",
        "^$",
        "(",
        "[17]31[0-9]5",
        "number=1[0-9]*7 200 in 3",
    ];
    let source = Source::File(path);
    let (one, several) = (by(1, &place), by(3, &place));
    for pattern in patterns {
        for request in [
            SearchRequest::of(pattern),
            SearchRequest::of(pattern).ignore_case(true).context(0),
            SearchRequest::of(pattern).context(20).limit(7),
            SearchRequest::of(pattern).limit(60).header(true),
        ] {
            let message = |error: Error| error.to_string();
            let expected = one.search(&source, &request).map_err(message);
            let seen = several.search(&source, &request).map_err(message);
            assert_eq!(format!("{seen:?}"), format!("{expected:?}"), "{request:?}");
            if let Ok(Findings { next: Some(next), .. }) = expected {
                let request = request.next(next);
                let pages = [&one, &several].map(|lro| lro.search(&source, &request).unwrap());
                assert_eq!(format!("{:?}", pages[0]), format!("{:?}", pages[1]));
            }
        }
    }
}

#[test]
fn a_page_may_end_with_a_part() {
    let place = Place::new();
    let text = |numbers: &[u32]| {
        let line = |number: u32| match numbers.contains(&number) {
            true => format!("{number} here it is\n"),
            false => format!("{number} nothing but a line that is there for its length, which is what the rest is\n"),
        };
        (0..120_000).map(line).collect::<String>()
    };
    // Lines in several parts, many of them where a part begins, whatever its size.
    let rows: [Vec<u32>; 4] = [
        vec![5, 119_999],
        (0..120_000).step_by(2_400).collect(),
        (11_000..11_050).chain([90_000]).collect(),
        (10_000..120_000).step_by(37).collect(),
    ];
    for numbers in rows {
        let stored = stored(by(1, &place).offload(&text(&numbers), &OffloadRequest::of("read_log")).unwrap());
        let source = Source::File(place.inside(&stored.file_name).to_str().unwrap().to_owned());
        for pattern in ["here", "(here|nowhere) it i[st]", "h[e]r[e] "] {
            for limit in [1, 2, 12, 49, 50] {
                let request = SearchRequest::of(pattern).limit(limit).context(3);
                let [one, several] = [1, 3].map(|threads| by(threads, &place).search(&source, &request).unwrap());
                assert_eq!(format!("{several:?}"), format!("{one:?}"), "{} lines, {request:?}", numbers.len());
            }
        }
    }
}

#[test]
fn what_is_counted_does_not_depend_on_threads() {
    let place = Place::new();
    let lines = |text: &str, bytes: usize| format!("{text}\n").repeat(bytes / (text.len() + 1));
    let nothing = |bytes| lines("nothing but a line that is there for its length", bytes);
    let rows = [
        ("[QX][ZY]", false, nothing(10_230_000) + &lines("QZ hit", 420) + &nothing((8 << 20) + 20_000)),
        (
            "disk",
            true,
            nothing(1_200_000) + &lines("disk full", 600) + &nothing(9_800_000) + &lines("die ſache", 9_000_000),
        ),
        ("[QX][ZY]", false, nothing(1_500_000) + &lines("QZ hit", 420) + &nothing(12_000_000)),
        // Parts begin and end in a long line.
        (
            "QZ|nothing at all",
            false,
            nothing(2_000_000) + &"x".repeat(9_000_000) + "\nQZ\n" + &nothing(3_000_000) + "QZ",
        ),
    ];
    for (pattern, ignore_case, text) in rows {
        let stored = stored(by(1, &place).offload(&text, &OffloadRequest::of("read_log")).unwrap());
        let source = Source::File(place.inside(&stored.file_name).to_str().unwrap().to_owned());
        let request = SearchRequest::of(pattern).ignore_case(ignore_case);
        let [one, several] = [1, 3].map(|threads| by(threads, &place).search(&source, &request).unwrap());
        assert_eq!(format!("{several:?}"), format!("{one:?}"), "{pattern}");
    }
}
