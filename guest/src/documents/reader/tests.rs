//! Pages of passages and of hits, compared with what a plain reading of the text gives.

use std::io::BufReader;

use regex::RegexBuilder;
use serde_json::{Value, json};

use super::*;
use crate::error::Error;
use crate::settings::Settings;
use crate::settings::request::{Read, Search};

/// A file of text.
fn file(text: &str) -> String {
    let lines = text.lines().count();
    let header = json!({
        "type": "lro_header", "operation": "logs", "query": null, "count": lines, "schema_version": "1.0.0",
        "timestamp": "2026-01-01T00:00:00.000Z", "estimated_tokens": 1, "detail": "full", "lro": {"kind": "text"}
    });
    format!("{header}\n{text}")
}

fn read(file: &str, request: Value) -> Result<Passage, Error> {
    let open = |offset: u64| Ok(BufReader::with_capacity(7, &file.as_bytes()[(offset as usize).min(file.len())..]));
    read_from("file", open, &Read::parse(&request.to_string())?, &Settings::default())
}

fn search(file: &str, request: Value) -> Result<Findings, Error> {
    let open = |offset: u64| Ok(BufReader::with_capacity(7, &file.as_bytes()[(offset as usize).min(file.len())..]));
    search_from("file", open, &Search::parse(&request.to_string())?, &Settings::default())
}

mod bounded;
mod last;
mod long;
mod nothing;
mod parts;
mod tokens;

const TEXTS: [&str; 8] = [
    "",
    "a",
    "a\n",
    "\n",
    "\n\na\n\n",
    "one\r\ntwo\r\nthrée\r\n",
    "日本語\nähnlich\n😀😀😀\nlast",
    "a long line that does not fit into the smallest of pages by any means\nb\nc\nd\n",
];

/// The texts of all pages of a request, and the pages.
fn all_pages(file: &str, mut request: Value) -> (String, Vec<Passage>) {
    let (mut text, mut pages) = (String::new(), Vec::new());
    loop {
        let page = read(file, request.clone()).unwrap();
        text.push_str(&page.text);
        request["next"] = page.next.clone().into();
        let is_last = page.next.is_none();
        assert!(is_last || !page.text.is_empty());
        pages.push(page);
        if is_last {
            return (text, pages);
        }
    }
}

#[test]
fn pages_of_a_range_are_the_range() {
    for text in TEXTS {
        let file = file(text);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let characters: Vec<char> = text.chars().collect();
        for max_bytes in [4, 5, 9, 100, 300_000] {
            assert_eq!(all_pages(&file, json!({"max_bytes": max_bytes})).0, text);
            for first in 1..=6 {
                for last in first..=7 {
                    let range = format!("{first}-{last}");
                    let bound = |all: usize| (first - 1).min(all)..last.min(all);
                    let expected = lines[bound(lines.len())].concat();
                    let (found, pages) = all_pages(&file, json!({"lines": range, "max_bytes": max_bytes}));
                    assert_eq!(found, expected, "lines {range} of {text:?}");
                    check_ends(&pages, first, last, lines.len());
                    let expected: String = characters[bound(characters.len())].iter().collect();
                    let (found, pages) = all_pages(&file, json!({"characters": range, "max_bytes": max_bytes}));
                    assert_eq!(found, expected, "characters {range} of {text:?}");
                    check_ends(&pages, first, last, characters.len());
                }
            }
        }
    }
}

/// The pages say where they begin and end, and the last one what there is.
fn check_ends(pages: &[Passage], first: usize, last: usize, all: usize) {
    let page = pages.last().unwrap();
    let is_beyond = first > all;
    let expected = if is_beyond { (0, 0) } else { (first, last.min(all)) };
    assert_eq!((pages[0].first as usize, page.last as usize), expected);
    assert_eq!(page.remarks.len(), usize::from(last > all), "{:?}", page.remarks);
    if last > all {
        assert_eq!(page.total, Some(all as u32));
    }
}

#[test]
fn a_page_has_two_hundred_lines_and_256_kib() {
    let many = file(&"line\n".repeat(450));
    let (_, pages) = all_pages(&many, json!({}));
    let ends: Vec<(u32, u32)> = pages.iter().map(|page| (page.first, page.last)).collect();
    assert_eq!(ends, [(1, 200), (201, 400), (401, 450)]);
    assert!(pages.iter().all(|page| page.total == Some(450)));
    let exact = file(&"line\n".repeat(200));
    assert_eq!(all_pages(&exact, json!({})).1.len(), 1);

    let long = file(&"é".repeat(300_000));
    for request in [json!({}), json!({"characters": "1-"}), json!({"lines": 1, "max_bytes": 999_999})] {
        let (text, pages) = all_pages(&long, request);
        assert_eq!(text.len(), 600_000);
        let bytes: Vec<usize> = pages.iter().map(|page| page.text.len()).collect();
        assert_eq!(bytes, [262_144, 262_144, 75_712]);
    }
}

#[test]
fn zero_is_taken_for_one_and_the_header_can_be_counted() {
    let file = file("a\nb\nc\n");
    let page = read(&file, json!({"lines": "0-2"})).unwrap();
    assert_eq!((page.text.as_str(), page.first, page.last, page.total), ("a\nb\n", 1, 2, Some(3)));
    assert_eq!(page.remarks, ["lines are counted from 1: 0 is taken for 1"]);
    let page = read(&file, json!({"characters": "0-3"})).unwrap();
    assert_eq!((page.text.as_str(), page.remarks.len()), ("a\nb", 1));
    let page = read(&file, json!({"lines": "1-2", "header": true})).unwrap();
    assert!(page.text.starts_with(r#"{"type":"lro_header""#) && page.text.ends_with("\na\n"), "{}", page.text);
    assert_eq!((page.first, page.last, page.total), (1, 2, Some(4)));
    let page = read(&file, json!({"lines": "9-"})).unwrap();
    assert_eq!((page.text.as_str(), page.first, page.total), ("", 0, Some(3)));
    assert_eq!(page.remarks, ["the file has 3 lines, so nothing begins at line 9; ask for lines up to 3"]);
    let page = read(&file, json!({"lines": "2-9"})).unwrap();
    assert_eq!(page.remarks, ["the file has 3 lines: the range ends there, not at 9"]);
}

/// The lines of a text that match, by the plain regular expression on each of them.
fn expected(text: &str, pattern: &str) -> Vec<(u32, u32, u32, String)> {
    let regex = RegexBuilder::new(pattern).multi_line(true).build().unwrap();
    let lines = text.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let hit = |(place, line): (usize, &str)| {
        let found = regex.find(line)?;
        let characters = |range: std::ops::Range<usize>| line[range].chars().count() as u32;
        Some((place as u32 + 1, characters(0..found.start()) + 1, characters(found.range()), line.to_owned()))
    };
    lines.enumerate().filter_map(hit).collect()
}

/// All hits of a request, and their pages.
fn all_hits(file: &str, mut request: Value) -> (Vec<Hit>, Vec<Findings>) {
    let (mut hits, mut pages) = (Vec::new(), Vec::new());
    loop {
        let mut page = search(file, request.clone()).unwrap();
        request["next"] = page.next.clone().into();
        hits.append(&mut page.hits);
        let is_last = page.next.is_none();
        pages.push(page);
        if is_last {
            return (hits, pages);
        }
    }
}

#[test]
fn hits_are_the_lines_that_match_one_by_one() {
    let log = "ok\nERROR one\n\nwarn \r\nerror two\r\nok ok\n日本 error\n\n\nend\terror";
    let patterns = [
        "error",
        "(?i)error",
        "^",
        "$",
        "^$",
        "x*",
        "o",
        r"\s",
        r"\s$",
        r"[^a]",
        r"\w+ \w+",
        "ok$",
        r"\Aok",
        r"ok\z",
        "(?-m)^e",
        "a\nb",
        "(?s)n.+o",
        r"\bone\b",
        r"\b\w{3}\b",
        r"\Bo",
        "日.",
        "[[:^alpha:]]",
        r"(?s-m:.$)",
        "é",
        "o$|^e",
        "^get.*done$",
        "%.get|^e",
        "%$",
        r"two\z",
    ];
    let progress = "get 10%\rget 20%\rdone\nok done\r\nget done\n\rend\r\r\n";
    for text in TEXTS.iter().chain([&log, &progress]) {
        let file = file(text);
        for pattern in patterns {
            let wanted = expected(text, pattern);
            for limit in [1, 2, 50] {
                for context in [0, 1, 2] {
                    let request = json!({"pattern": pattern, "limit": limit, "context": context});
                    let (hits, pages) = all_hits(&file, request);
                    let found: Vec<_> =
                        hits.iter().map(|hit| (hit.line, hit.character, hit.length, hit.text.clone())).collect();
                    assert_eq!(found, wanted, "{pattern:?} in {text:?}");
                    assert!(pages.iter().all(|page| page.total == Some(wanted.len() as u32)));
                    check_context(text, &hits, context);
                }
            }
        }
    }
}

#[test]
fn hits_in_many_blocks_are_counted_and_paged() {
    let line = |n: usize| match n % 7 {
        0 => format!("{n} Error in {}", "x".repeat(n % 500)),
        3 => format!("{n} fatal: é disk {n}"),
        _ => format!("{n} nothing to see here, ok"),
    };
    let text: String = (0..20_000).map(|n| line(n) + "\n").collect();
    let file = file(&text);
    for (pattern, plain, ignores_case) in [
        ("error|FATAL", "(?i)error|fatal", true),
        ("Error", "Error", false),
        (r"disk \d*7$", r"disk \d*7$", false),
        (r"^\d*99 ", r"^\d*99 ", false),
    ] {
        let wanted = expected(&text, plain);
        let request = json!({"pattern": pattern, "ignore_case": ignores_case, "context": 0});
        let first = search(&file, request.clone()).unwrap();
        assert_eq!((first.total, first.hits.len()), (Some(wanted.len() as u32), 50), "{pattern}");
        let (hits, _) = all_hits(&file, request);
        assert!(hits.iter().zip(&wanted).all(|(hit, wanted)| (hit.line, hit.character) == (wanted.0, wanted.1)));
        // Long lines have a hit for each match, and these have one each.
        assert_eq!(hits.len(), wanted.len(), "{pattern}");
    }
}

/// Each line around a hit is shown once, and none is missing.
fn check_context(text: &str, hits: &[Hit], context: usize) {
    let lines: Vec<&str> = text.split_terminator('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let matching: Vec<usize> = hits.iter().map(|hit| hit.line as usize - 1).collect();
    let mut shown = Vec::new();
    for hit in hits {
        let at = hit.line as usize - 1;
        for (place, line) in (at - hit.before.len()..).zip(&hit.before) {
            shown.push((place, line.as_str()));
        }
        for (place, line) in (at + 1..).zip(&hit.after) {
            shown.push((place, line.as_str()));
        }
    }
    let is_near = |place: &usize| matching.iter().any(|at| at.abs_diff(*place) <= context);
    let wanted: Vec<_> = (0..lines.len())
        .filter(|place| is_near(place) && !matching.contains(place))
        .map(|place| (place, lines[place]))
        .collect();
    assert_eq!(shown, wanted, "around {matching:?} in {text:?}");
}

#[test]
fn a_long_line_has_a_hit_for_each_match_that_is_not_shown() {
    let line = format!("{}NEEDLE{}NEEDLE b NEEDLE{}", "é".repeat(1000), "x".repeat(1000), "y".repeat(500));
    let file = file(&format!("first\n{line}\nlast NEEDLE\n"));
    for limit in [1, 2, 50] {
        let (hits, pages) = all_hits(&file, json!({"pattern": "NEEDLE", "limit": limit, "context": 1}));
        let places: Vec<(u32, u32, u32)> = hits.iter().map(|hit| (hit.line, hit.character, hit.start)).collect();
        assert_eq!(places, [(2, 1001, 804), (2, 2007, 1810), (3, 6, 1)]);
        assert!(hits[..2].iter().all(|hit| hit.text.chars().count() == 402 && hit.text.starts_with('…')));
        assert_eq!((&hits[0].before[..], hits[1].before.len()), (&["first".to_owned()][..], 0));
        assert!(pages.iter().all(|page| page.total == Some(3)));
    }
}

#[test]
fn an_invalid_pattern_is_an_error_with_its_place_and_a_way_out() {
    let file = file("a\n");
    let rows = [
        ("a(b", "unclosed group at character 2, `(b`", r"or write `a\(b`"),
        ("é[z-a]", "invalid character class range", "literal: true"),
        ("*a", "repetition operator missing expression at character 1", "literal: true"),
        ("(?=a)", "look-around", "literal: true"),
        (r"(a)\1", "backreferences are not supported at character 4", "literal: true"),
        (r"(\w{900}){900}", "it repeats too much", "smaller repetitions"),
    ];
    let error = search(&file, json!({"pattern": "x".repeat(8193)})).unwrap_err();
    assert_eq!((error.case(), error.hint()), ("limit-reached", "search for a part of it"));
    for (pattern, message, hint) in rows {
        let error = search(&file, json!({"pattern": pattern})).unwrap_err();
        assert!(error.message().contains(message) && error.hint().contains(hint), "{error} / {}", error.hint());
    }
}

#[test]
fn patterns_that_explode_elsewhere_take_no_time() {
    let file = file(&format!("{}!\n", "a".repeat(50_000)));
    for pattern in ["(a+)+$", "(a|aa)+$", "^(a|a)*$", "(.*)*x", "((a*)*)*b", "^(a?){60}a{60}$"] {
        assert_eq!(search(&file, json!({"pattern": pattern})).unwrap().total, Some(0), "{pattern}");
    }
}

#[test]
fn a_search_that_takes_too_long_stops_in_time() {
    // Each byte keeps thousands of places of the expression busy, in short lines and in a long one.
    let digit = |n: u32| if n.wrapping_mul(0x9E37_79B1) >> 19 & 1 == 1 { '1' } else { '0' };
    let long = format!("{}\n", (0..400_000).map(|n| digit(n ^ n >> 7)).collect::<String>());
    let short = long.as_bytes().chunks(500).map(|line| String::from_utf8_lossy(line) + "\n").collect::<String>();
    let budget = lro_query::Budget {
        steps: u64::MAX,
        milliseconds: 200,
        memory_bytes: u64::MAX >> 4,
        stack_bytes: 1 << 20,
        gauge: crate::disk::gauge,
    };
    for (text, pattern) in [(long, "[01]*1[01]{3000}x"), (short, "[01]*1[01]{400}x")] {
        let file = file(&text);
        let found = budget.within(|| search(&file, json!({"pattern": pattern})));
        let error = found.unwrap_err();
        assert!(
            matches!(&error, crate::error::Error::LimitReached { limit: "max_milliseconds", value: 200, .. }),
            "{error}"
        );
        assert_eq!(error.message(), "cannot read `file`: it ran longer than 200 ms");
    }
}

#[test]
fn an_expression_of_thousands_of_classes_is_refused_at_once() {
    let file = file("a\n");
    let error = search(&file, json!({"pattern": r"\w".repeat(4000)})).unwrap_err();
    assert!(error.message().contains("it repeats too much"), "{error}");
}
