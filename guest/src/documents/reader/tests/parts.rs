//! Hits of a file that is searched in parts.

use super::tokens::searching;
use super::*;

/// Searches parts of so many bytes, one after the other, and puts their pages together.
fn in_parts(file: &str, request: &Value, part_bytes: usize) -> (Vec<Hit>, u32, u32) {
    let (mut hits, mut lines, mut shown, mut total) = (Vec::<Hit>::new(), 0, 0, 0);
    let (mut from, mut until) = (0, file.find('\n').unwrap() + part_bytes);
    while from < file.len() {
        let mut asked = request.clone();
        asked["part"] = json!({"from": from, "until": until});
        (from, until) = (until, until + part_bytes);
        asked["so_far"] = json!({"lines": lines, "shown": shown, "hits": hits.len()});
        let page = search(file, asked).unwrap();
        assert!(page.remarks.is_empty() && page.next.is_none());
        lines += page.lines.unwrap();
        total = page.total.unwrap();
        hits.extend(page.hits);
        shown = hits.last().map_or(0, |hit| hit.line + hit.after.len() as u32);
    }
    (hits, lines, total)
}

#[test]
fn parts_are_the_whole() {
    let long = format!("{}needle{}\n", "é".repeat(5_000), "x".repeat(500));
    let many = "a\nb\n\nthe third\r\nb a\nc\n".repeat(2);
    for text in TEXTS.iter().copied().chain([many.as_str(), &format!("a\nb\n{long}b\nc\na\n{long}")]) {
        let file = file(text);
        for pattern in ["a", "b", "^$", "(?i)Needle", "b|the", "[0-9]", r"\b[ac]\b"] {
            for context in [0, 2, 20] {
                let request = json!({"pattern": pattern, "context": context});
                let whole = search(&file, request.clone()).unwrap();
                let sizes: &[usize] = if file.len() < 1000 { &[1, 4, 30] } else { &[900, 12_000] };
                for bytes in sizes {
                    let (hits, lines, total) = in_parts(&file, &request, *bytes);
                    assert_eq!(hits, whole.hits, "{pattern} {context} {bytes} {text:.80}");
                    assert_eq!((Some(lines), Some(total)), (whole.lines, whole.total));
                }
            }
        }
    }
}

#[test]
fn a_page_that_parts_have_filled_goes_on_in_the_rest() {
    let text: String = (0..300).map(|number| format!("line {number}\n")).collect();
    let file = file(&text);
    let whole = search(&file, json!({"pattern": "[05]$", "limit": 20})).unwrap();
    let at = file.find("line 40\n").unwrap();
    // Eight hits are before the place, the last of them on line 36, which shows line 38.
    let so_far = json!({"lines": 40, "shown": 38, "hits": 8});
    let rest = search(&file, json!({"pattern": "[05]$", "limit": 20, "part": {"from": at}, "so_far": so_far})).unwrap();
    assert_eq!(rest.hits, whole.hits[8..]);
    assert_eq!((rest.next, rest.total), (whole.next, whole.total));
    // What has been counted is not counted again, and what is full gets nothing more.
    let so_far = json!({"lines": 40, "shown": 38, "hits": 20, "total": 60});
    let rest = search(&file, json!({"pattern": "[05]$", "limit": 20, "part": {"from": at}, "so_far": so_far})).unwrap();
    assert_eq!(
        (rest.hits.len(), rest.total, rest.next),
        (0, Some(60), Some(searching(&file, "[05]$", &[39, 483, 0, 20, 61])))
    );
}

#[test]
fn a_part_whose_page_is_full_counts_what_is_looked_for_as_a_text() {
    let file = file(&"an error\n".repeat(100));
    let part = json!({"from": 0, "until": file.len() - 90});
    let count = |pattern: &str| {
        let page = search(&file, json!({"pattern": pattern, "limit": 2, "part": part})).unwrap();
        (page.hits.len(), page.total, page.lines)
    };
    assert_eq!(count("error"), (2, Some(90), None));
    assert_eq!(count("[e-r]{2}"), (2, None, None));
}

#[test]
fn a_part_has_no_next() {
    let error = search(&file("a\n"), json!({"pattern": "a", "next": "s1.1.0.0.0", "part": {"from": 1}})).unwrap_err();
    assert!(error.message().contains("`next` leads to a place, and `part` and `so_far` to another"), "{error}");
}

#[test]
fn lines_behind_a_part_match_as_those_in_it() {
    let text = "one\r\nHIT here\r\nan error\r\nan error\r\nlast\r\n";
    let file = file(text);
    let until = file.find("an error").unwrap();
    for pattern in ["HIT|error$", r"HIT|error\z", "(?-R)HIT|error$"] {
        let whole = search(&file, json!({"pattern": pattern})).unwrap();
        let part = search(&file, json!({"pattern": pattern, "part": {"until": until}})).unwrap();
        assert_eq!(part.hits[..], whole.hits[..1], "{pattern}");
    }
}

#[test]
fn a_part_far_away_is_empty() {
    let file = file(&"a line\n".repeat(100));
    for from in [file.len() as u64, 1 << 40, u64::MAX] {
        for until in [None, Some(u64::MAX)] {
            let asked = json!({"pattern": "a", "part": {"from": from, "until": until}});
            let page = search(&file, asked).unwrap();
            assert_eq!((page.hits.len(), page.total, page.lines), (0, Some(0), Some(0)), "{from}");
        }
    }
    let asked = json!({"pattern": "a", "so_far": {"lines": u32::MAX, "shown": u32::MAX, "hits": 3, "total": u32::MAX}});
    assert_eq!(search(&file, asked).unwrap().hits.len(), 47);
}

#[test]
fn hits_are_counted_in_as_many_bytes_wherever_a_page_is_full() {
    // Blocks begin elsewhere for each of these.
    for lines in 0..7 {
        let front = "x\n".repeat(lines);
        let counted = |bytes: usize| {
            let text = format!("{front}{}{}\n", "QZ\n".repeat(3), "-\n".repeat(bytes / 2));
            search(&file(&text), json!({"pattern": "[QX][ZY]", "limit": 2, "context": 0})).unwrap().total
        };
        assert_eq!((counted((8 << 20) - 100), counted((8 << 20) + 100)), (Some(3), None));
    }
}
