//! Pages that are bounded in bytes as they are written in an answer to a model.

use super::*;

#[test]
fn a_passage_is_bounded_as_it_is_written() {
    let file = file(&"\"quoted\"\n".repeat(100));
    let page = |request: Value| {
        let request = Read { bounds_the_answer: true, ..Read::parse(&request.to_string()).unwrap() };
        read_from("file", |offset| Ok(&file.as_bytes()[offset as usize..]), &request, &Settings::default()).unwrap()
    };
    // Eight lines have 72 bytes: 96 with the escapes of quotes and newlines, and as many in base64.
    let raw = page(json!({"max_bytes": 100}));
    assert_eq!((raw.text.len(), raw.last), (72, 8));
    let base64 = page(json!({"max_bytes": 100, "encoding": "base64"}));
    assert_eq!((base64.text.len(), base64.last), (96, 8));
}

#[test]
fn a_page_has_whole_lines_if_one_fits() {
    let file = file("aaaa\nbbbb\ncccc\n");
    for (max_bytes, text) in [(14, "aaaa\nbbbb\n"), (9, "aaaa\n"), (4, "aaaa"), (15, "aaaa\nbbbb\ncccc\n")] {
        assert_eq!(read(&file, json!({"max_bytes": max_bytes})).unwrap().text, text, "{max_bytes}");
    }
}

/// What a line costs of the room of an answer.
fn cost(text: &str) -> usize {
    serde_json::to_string(text).unwrap().len() - 2 + 24
}

#[test]
fn hits_are_bounded_as_they_are_written_and_none_is_lost() {
    let lines: Vec<String> =
        (0..60).map(|n| if n % 4 == 0 { format!("\"hit\" {n}") } else { "\t".repeat(n) }).collect();
    let file = file(&(lines.join("\n") + "\n"));
    for (max_bytes, context) in [(60, 0), (60, 1), (100, 2), (400, 1), (1000, 3), (100_000, 3)] {
        let (mut found, mut next, mut left_out) = (Vec::new(), Value::Null, false);
        loop {
            let asked = json!({"pattern": "hit", "context": context, "max_bytes": max_bytes, "next": next});
            let request = Search { bounds_the_answer: true, ..Search::parse(&asked.to_string()).unwrap() };
            let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
            let page = search_from("file", open, &request, &Settings::default()).unwrap();
            let shown = |hit: &Hit| hit.before.iter().chain(&hit.after).chain([&hit.text]).map(|line| cost(line)).sum();
            let costs: Vec<usize> = page.hits.iter().map(shown).collect();
            assert!(costs.iter().sum::<usize>() <= max_bytes, "{max_bytes}: {costs:?}");
            // The page is as full as it can be: the next hit has no room with all that is around it.
            let is_last = page.next.is_none();
            let after = found.len() + page.hits.len();
            let around = cost(&lines[(4 * after + 3).min(59)]) * 2 * context;
            assert!(is_last || costs.iter().sum::<usize>() + cost("\"hit\" 00") + around >= max_bytes);
            left_out |= !page.remarks.is_empty();
            assert_eq!(page.total, Some(15));
            next = page.next.clone().into();
            found.extend(page.hits.into_iter().map(|hit| (hit.line, hit.text, hit.before.len() + hit.after.len())));
            if is_last {
                break;
            }
        }
        let expected: Vec<(u32, String)> = (0..15).map(|n| (4 * n + 1, lines[4 * n as usize].clone())).collect();
        assert_eq!(found.iter().map(|hit| (hit.0, hit.1.clone())).collect::<Vec<_>>(), expected);
        // All lines around the hits are shown, or it is said that some are not.
        let all = (0..60).filter(|n| n % 4 != 0 && (n % 4 <= context || 4 - n % 4 <= context && n / 4 < 14)).count();
        let around: usize = found.iter().map(|hit| hit.2).sum();
        assert_eq!(around < all, left_out, "{max_bytes}: {around} of {all}");
    }
}

#[test]
fn a_hit_that_is_too_long_for_the_page_is_shown_in_part() {
    let file = file(&format!("{}NEEDLE{}\n", "\t".repeat(300), "\t".repeat(300)));
    for (max_bytes, characters) in [(600, 100), (240, 40), (60, 40), (2400, 400)] {
        let asked = json!({"pattern": "NEEDLE", "max_bytes": max_bytes}).to_string();
        let request = Search { bounds_the_answer: true, ..Search::parse(&asked).unwrap() };
        let page =
            search_from("file", |offset| Ok(&file.as_bytes()[offset as usize..]), &request, &Settings::default());
        let hits = page.unwrap().hits;
        assert_eq!((hits.len(), hits[0].text.chars().count()), (1, characters + 2), "{max_bytes}");
        assert!(hits[0].text.contains("NEEDLE") && hits[0].character == 301);
    }
}

#[test]
fn hits_are_bounded_with_the_ends_of_their_lines() {
    let file = file(&"hit\n".repeat(9));
    for (max_bytes, hits) in [(7, 1), (8, 2), (11, 2), (12, 3)] {
        assert_eq!(search(&file, json!({"pattern": "h", "max_bytes": max_bytes})).unwrap().hits.len(), hits);
    }
}

/// The lines that pages show, in order: the number of each, and the character for a hit.
fn shown_on(file: &str, mut asked: Value, is_written: bool) -> (Vec<(u32, Option<u32>)>, bool) {
    let (mut shown, mut left_out) = (Vec::new(), false);
    loop {
        let request = Search { bounds_the_answer: is_written, ..Search::parse(&asked.to_string()).unwrap() };
        let open = |offset: u64| Ok(BufReader::with_capacity(50, &file.as_bytes()[offset as usize..]));
        let page = search_from("file", open, &request, &Settings::default()).unwrap();
        for hit in &page.hits {
            let before = hit.line - hit.before.len() as u32;
            shown.extend((before..hit.line).map(|line| (line, None)));
            shown.push((hit.line, Some(hit.character)));
            shown.extend((1..=hit.after.len() as u32).map(|place| (hit.line + place, None)));
        }
        left_out |= page.remarks.iter().any(|remark| remark.contains("left out"));
        asked["next"] = page.next.clone().into();
        if page.next.is_none() {
            return (shown, left_out);
        }
        assert!(!page.hits.is_empty());
    }
}

#[test]
fn lines_that_match_are_counted_in_the_whole_file() {
    let long = format!("{}\n", "needle ".repeat(1000));
    let text = [long.as_str(), "a needle\n", &"hay\n".repeat(3 << 20), "needle", "\n", &long].concat();
    let file = file(&text);
    for (pattern, total) in [("needle", 4), ("^[mn]ee", 3), ("nothing", 0), ("[xz]", 0)] {
        let asked = Search::parse(&json!({"pattern": pattern}).to_string()).unwrap();
        let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
        let request = Search { counts_only: true, ..asked };
        let page = search_from("file", open, &request, &Settings::default()).unwrap();
        assert_eq!((page.hits.len(), page.matching_lines), (0, Some(total)), "{pattern}");
    }
    let first = search(&file, json!({"pattern": "needle"})).unwrap();
    assert_eq!(first.matching_lines, Some(4));
    assert!(first.total > Some(4));
}

proptest::proptest! {
    #[test]
    fn pages_together_show_what_one_page_shows(
        lines in proptest::collection::vec("(hit )?[a-c\"\t]{0,30}(hit|end)?|x{390,450}hit[yé]{0,420}hit", 0..50),
        pattern in proptest::sample::select(vec!["hit", "^hit", "[ab]c", "hit$", "^$", "^[^h]*$"]),
        before in 0_u32..5,
        after in 0_u32..5,
        limit in 1_u32..9,
        max_bytes in 20_u32..9000,
        is_written: bool,
    ) {
        let file = file(&lines.iter().map(|line| format!("{line}\n")).collect::<String>());
        let asked = json!({"pattern": pattern, "before": before, "after": after});
        let (whole, _) = shown_on(&file, asked.clone(), false);
        let bounded = |max_bytes: u32| {
            let mut asked = asked.clone();
            asked["limit"] = limit.into();
            asked["max_bytes"] = max_bytes.into();
            shown_on(&file, asked, is_written)
        };
        // A page has room for a hit with all that is around it: a clip has at most 402 characters of two bytes.
        let most = (before + after + 1) * (402 * 2 + 24);
        let (shown, left_out) = bounded(max_bytes.max(most));
        proptest::prop_assert_eq!(&shown, &whole);
        proptest::prop_assert!(!left_out);
        // In less room, lines are left out, and it is said.
        let (shown, left_out) = bounded(max_bytes);
        let hits = |shown: &[(u32, Option<u32>)]| shown.iter().filter(|line| line.1.is_some()).count();
        proptest::prop_assert!(shown == whole || left_out || hits(&shown) > hits(&whole), "{:?} {:?}", shown, whole);
        proptest::prop_assert!(shown.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", shown);
    }
}
