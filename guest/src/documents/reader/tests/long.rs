//! Searches in a line that is many times longer than what a page shows.

use std::cell::Cell;
use std::io::BufRead;

use super::*;

/// Words at distances that vary, some within what a hit shows of another one, in a line of so many bytes.
fn long_line(bytes: usize) -> String {
    let mut line = String::new();
    for number in 0_usize.. {
        if line.len() >= bytes {
            break;
        }
        let words = ["needle", "Needle12", "é needles", "x\"needle\":5,", "\tneedle ", "日本needle語"];
        line.push_str(words[number % words.len()]);
        line.push_str(&["-", "é", "\\n", "日 "][number % 4].repeat(number * 7919 % 900));
    }
    line
}

/// The hits of a line that no page has a bound for.
fn all_at_once(line: &str, pattern: &str) -> Vec<(u32, u32, u32)> {
    let regex = RegexBuilder::new(pattern).build().unwrap();
    let characters = |bytes: std::ops::Range<usize>| line[bytes].chars().count() as u32;
    let (mut hits, mut from) = (Vec::new(), 0);
    while let Some(found) = regex.find_at(line, from).filter(|_| from < line.len()) {
        let clip = clip::Clip::around(line.as_bytes(), &found.range(), clip::MOST_CHARACTERS).bytes;
        hits.push((characters(0..found.start()) + 1, characters(found.range()), characters(0..clip.start) + 1));
        from = clip.end.max(found.end());
    }
    hits
}

#[test]
fn pages_go_through_a_long_line_to_its_last_hit() {
    let line = long_line(150_000);
    for (before, after) in [("", ""), ("first\n", "\nlast needle\n"), ("a needle\n\n", "\r\nb\n")] {
        let file = file(&format!("{before}{line}{after}"));
        let number = before.matches('\n').count() as u32 + 1;
        for pattern in [
            "needle",
            "(?i)needle",
            r"needle\w*",
            r"\bneedle\b",
            "^.",
            "$",
            "[^n]eedles?",
            "x*",
            "needle.*$",
            r"\w+",
            "x?.*",
            r"needle[^é]{2,}",
            "(?U)n.+",
            r"(needle|n)(\d*)",
        ] {
            let wanted = all_at_once(&line, pattern);
            for (limit, context) in [(50, 2), (7, 0)] {
                let (hits, pages) = all_hits(&file, json!({"pattern": pattern, "limit": limit, "context": context}));
                let found: Vec<_> = hits
                    .iter()
                    .filter(|hit| hit.line == number)
                    .map(|hit| (hit.character, hit.length, hit.start))
                    .collect();
                assert_eq!(found, wanted, "{pattern}");
                assert!(pages.iter().all(|page| page.total == Some(hits.len() as u32)), "{pattern}");
            }
        }
        // The last hit has the lines behind it.
        if after.starts_with("\r\n") {
            let (hits, _) = all_hits(&file, json!({"pattern": "needle"}));
            assert_eq!(
                (&hits[0].after[..], &hits[hits.len() - 1].after[..]),
                (&[String::new()][..], &["b".to_owned()][..])
            );
        }
    }
}

#[test]
fn a_page_in_a_long_line_reads_no_more_than_it_needs() {
    let line = format!("{}{}", long_line(300_000), "-".repeat(3_000_000));
    let file = file(&format!("{line}\nlast\n"));
    for pattern in ["needle", "(?i)NEEDLE[0-9]{0,3}", r"needle\w*"] {
        let next = search(&file, json!({"pattern": pattern})).unwrap().next;
        let read = Cell::new(0);
        let open = |offset: u64| {
            let input = BufReader::with_capacity(4096, &file.as_bytes()[offset as usize..]);
            Ok(BufReader::with_capacity(4096, Counted(input, &read)))
        };
        let request = Search::parse(&json!({"pattern": pattern, "next": next}).to_string()).unwrap();
        let page = search_from("file", open, &request, &Settings::default()).unwrap();
        assert_eq!(page.hits.len(), 50);
        assert!(read.get() < 200_000, "{pattern}: {}", read.get());
    }
}

/// Counts what is read.
struct Counted<'a, R>(R, &'a Cell<usize>);

impl<R: BufRead> std::io::Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.0.read(buffer)?;
        self.1.set(self.1.get() + bytes);
        Ok(bytes)
    }
}

#[test]
fn a_line_of_a_megabyte_is_searched_and_read_to_its_end() {
    let file = file(&format!("{}END\nlast\n", "0123456789".repeat(100_000)));
    let first = search(&file, json!({"pattern": "9", "limit": 1})).unwrap();
    assert_eq!((first.hits[0].character, first.hits[0].start), (10, 1));
    let second = search(&file, json!({"pattern": "9", "limit": 1, "next": first.next})).unwrap();
    let hit = &second.hits[0];
    assert_eq!((hit.line, hit.character, hit.start, hit.before.len()), (1, 410, 211, 0));
    assert_eq!(hit.text, format!("…{}…", "0123456789".repeat(40)));
    let counted = search(&file, json!({"pattern": "9[0-9]", "limit": 1, "context": 0})).unwrap();
    assert_eq!(counted.total, Some(4761));
    let last = search(&file, json!({"pattern": "end$", "ignore_case": true})).unwrap();
    let hit = &last.hits[0];
    assert_eq!(
        (hit.character, hit.length, hit.start, &hit.after[..]),
        (1_000_001, 3, 999_604, &["last".to_owned()][..])
    );
    let page = read(&file, json!({"characters": "999999-1000004"})).unwrap();
    assert_eq!((page.text.as_str(), page.next), ("89END\n", None));
    let (text, pages) = all_pages(&file, json!({"lines": 1}));
    assert_eq!((text.len(), pages.len()), (1_000_004, 4));
    assert!(pages.iter().all(|page| (page.first, page.last) == (1, 1)));
}

#[test]
fn a_carriage_return_in_a_long_line_changes_no_page() {
    let line = long_line(100_000).replace('-', "\r");
    let file = file(&format!("{line}\n"));
    for pattern in ["needle", "needle.", r"needle\s"] {
        let wanted = all_at_once(&line, pattern);
        let (hits, _) = all_hits(&file, json!({"pattern": pattern, "limit": 5}));
        let found: Vec<_> = hits.iter().map(|hit| (hit.character, hit.length, hit.start)).collect();
        assert_eq!(found, wanted, "{pattern}");
    }
}

#[test]
fn a_page_ends_in_a_long_line_when_much_of_the_time_has_passed() {
    // Each match of the expression looks through the rest of the line for an end that is not there. Of an expression with so
    // many places, a line of 100 KB is long.
    let line = format!("{}\n", "a needle in the line, ".repeat(5000));
    let file = file(&line);
    thread_local!(static NOW: Cell<u64> = const { Cell::new(0) });
    let gauge = || {
        // Each look at the clock takes a millisecond.
        NOW.set(NOW.get() + 1);
        lro_query::Gauge { milliseconds: NOW.get(), memory_bytes: 0 }
    };
    let budget = lro_query::Budget {
        steps: u64::MAX,
        milliseconds: 300,
        memory_bytes: u64::MAX >> 4,
        stack_bytes: 1 << 20,
        gauge,
    };
    let request = json!({"pattern": "needle.*(END){300}|needle"});
    let first = budget.within(|| search(&file, request.clone())).unwrap();
    assert!((1..50).contains(&first.hits.len()) && first.total.is_none() && first.next.is_some(), "{first:?}");
    let (mut hits, mut next) = (first.hits.len(), first.next);
    while let Some(token) = next.take() {
        let mut request = request.clone();
        request["next"] = token.into();
        let page = budget.within(|| search(&file, request)).unwrap();
        hits += page.hits.len();
        next = page.next;
    }
    assert_eq!(hits, all_at_once(line.trim_end(), "needle").len());
}
