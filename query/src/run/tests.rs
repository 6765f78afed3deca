//! Pages, failures and limits of a program on the lines of a file.

use super::*;
use crate::Opened;
use crate::run::page::Oversize;
use crate::testing::{program, query};

const FILE: &str = "{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n\nnot json\n{\"a\":2}\n";

fn from(program: Program<'_>, start: Position, limits: PageLimits) -> Outcome {
    let scope = Scope::all(start);
    run(program, &[], &FILE.as_bytes(), scope, limits, false, &Limits::default()).unwrap()
}

const START: Position = Position { offset: 0, line: 2, skip: 0, before: 0 };

fn results(outcome: &Outcome) -> &str {
    std::str::from_utf8(&outcome.page.text).unwrap()
}

#[test]
fn each_shape_gives_its_results() {
    let rows = [
        (".a, .b", Shape::Each, "2\n1.0\n1\n\"x\"\n2\nnull\n"),
        (
            ".a == 2, .b",
            Shape::Select,
            "{\"a\":2,\"b\": 1.0}\n{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n{\"a\":2}\n",
        ),
        (".a", Shape::Sort { descending: false }, "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\": 1.0}\n{\"a\":2}\n"),
        (".a", Shape::Sort { descending: true }, "{\"a\":2}\n{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n"),
        ("select(.b) | .a", Shape::SortSelected { descending: true }, "{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n"),
        ("length", Shape::All, "3\n"),
        ("map(.a) | unique", Shape::All, "1\n2\n"),
        ("[[1]], 2", Shape::All, "[[1]]\n2\n"),
        ("length", Shape::Whole, "3\n"),
        ("map(.a) | unique", Shape::Whole, "[1,2]\n"),
        ("sort_by(.a) | map(.a)", Shape::Whole, "[1,2,2]\n"),
        ("[[1]], 2", Shape::Whole, "[[1]]\n2\n"),
    ];
    for (filter, shape, expected) in rows {
        let outcome = from(program(filter, shape), START, PageLimits::default());
        assert_eq!(results(&outcome), expected, "{filter}");
        assert_eq!(outcome.total, Some(outcome.page.count));
        assert_eq!((outcome.failed, outcome.failures[0].line), (1, 5), "the line that is not JSON");
    }
}

#[test]
fn a_projection_keeps_the_bytes_of_its_values() {
    let project = Program { query: query("."), shape: Shape::Project, reads: Some(&["b", "a"]), raw: false };
    let outcome = from(project, START, PageLimits::default());
    assert_eq!(results(&outcome), "{\"b\":1.0,\"a\":2}\n{\"b\":\"x\",\"a\":1}\n{\"b\":null,\"a\":2}\n");
}

#[test]
fn pages_put_together_are_the_whole() {
    let shapes = [(".a, .b", Shape::Each), (".a", Shape::Sort { descending: true }), ("map(.a)", Shape::All)];
    for (filter, shape) in shapes {
        let whole = from(program(filter, shape), START, PageLimits::default());
        for most in 1..=4 {
            let limits = PageLimits { results: Some(most), ..PageLimits::default() };
            let (mut start, mut pages) = (START, String::new());
            let total = loop {
                let outcome = from(program(filter, shape), start, limits);
                pages.push_str(results(&outcome));
                match outcome.next {
                    Some(next) => start = Position::from_token(&next.to_token()).unwrap(),
                    None => break outcome.total,
                }
            };
            assert_eq!(pages, results(&whole), "{filter} by {most}");
            assert_eq!(total, whole.total);
        }
    }
}

#[test]
fn parts_put_together_are_the_whole() {
    let (before, header) = ("{\"header\":1}\n", 13);
    let file = format!("{before}{FILE}");
    let start = Position { offset: header, ..START };
    let at = |scope, program| {
        run(program, &[], &file.as_bytes(), scope, PageLimits::default(), false, &Limits::default()).unwrap()
    };
    for (filter, shape) in [(".a, .b", Shape::Each), (".a", Shape::Sort { descending: true }), ("length", Shape::All)] {
        let program = program(filter, shape);
        let whole = at(Scope::all(start), program);
        for cut in 1..=file.len() as u64 {
            let front = at(Scope { until: Some(cut), ..Scope::all(start) }, program);
            let inside = Position { offset: cut - 1, line: 1, ..START };
            let rest = at(Scope { start: inside, from: Some(cut), until: None }, program);
            assert_eq!(results(&front).to_owned() + results(&rest), results(&whole), "{filter} cut at {cut}");
            let failures: Vec<_> = front.failures.into_iter().chain(rest.failures).collect();
            assert_eq!(failures, whole.failures, "{filter} cut at {cut}");
        }
    }
}

/// Lines of text, one of which is empty and one of which could be JSON.
const TEXT: &str = "b \"q\"\n\n{\"a\":1}\r\nb\tc\u{7f}\nand é";

fn text(program: Program<'_>, scope: Scope, limits: PageLimits) -> Outcome {
    let open =
        |offset| Input::open(&TEXT.as_bytes(), offset).map(|_| Box::new(&TEXT.as_bytes()[offset as usize..]) as _);
    let input = Opened(&open, Form::Text);
    run(program, &[], &input, scope, limits, false, &Limits::default()).unwrap()
}

#[test]
fn lines_of_text_are_strings() {
    let sorted = Shape::Sort { descending: false };
    let rows = [
        (".", Shape::Each, false, "\"b \\\"q\\\"\"\n\"\"\n\"{\\\"a\\\":1}\\r\"\n\"b\\tc\\u007f\"\n\"and é\"\n"),
        (".[0:1]", Shape::Each, true, "b\n\n{\nb\na\n"),
        ("startswith(\"b\")", Shape::Select, true, "b \"q\"\nb\tc\u{7f}\n"),
        ("startswith(\"b\")", Shape::Select, false, "\"b \\\"q\\\"\"\n\"b\\tc\\u007f\"\n"),
        ("sort", Shape::All, true, "\nand é\nb\tc\u{7f}\nb \"q\"\n{\"a\":1}\r\n"),
        ("length", sorted, true, "\nb\tc\u{7f}\nb \"q\"\nand é\n{\"a\":1}\r\n"),
        ("sort_by(length) | reverse | .[:2]", Shape::All, false, "\"{\\\"a\\\":1}\\r\"\n\"and é\"\n"),
        ("map(explode | length) | add", Shape::All, false, "22\n"),
    ];
    for (filter, shape, raw, expected) in rows {
        let program = Program { raw, ..program(filter, shape) };
        let outcome = text(program, Scope::all(Position { offset: 0, ..START }), PageLimits::default());
        assert_eq!(results(&outcome), expected, "{filter}");
        assert_eq!(outcome.end, Some(End { lines: 5, is_open: true }));
    }
}

#[test]
fn parts_of_a_text_put_together_are_the_whole() {
    let start = Position { offset: 0, ..START };
    let sort = ("sort_by(length)", Shape::All);
    for (filter, shape) in [(".", Shape::Each), sort, (".", Shape::Sort { descending: true }), ("length", Shape::All)] {
        for raw in [true, false] {
            let program = Program { raw, ..program(filter, shape) };
            let at = |scope| text(program, scope, PageLimits::default());
            let whole = at(Scope::all(start));
            for cut in 1..=TEXT.len() as u64 {
                let front = at(Scope { until: Some(cut), ..Scope::all(start) });
                let inside = Position { offset: cut - 1, line: 1, ..START };
                let rest = at(Scope { start: inside, from: Some(cut), until: None });
                assert_eq!(results(&front).to_owned() + results(&rest), results(&whole), "{filter} cut at {cut}");
            }
        }
    }
}

#[test]
fn a_page_of_a_text_goes_on_where_the_last_one_ended() {
    for (filter, shape) in [(".", Shape::Each), ("sort", Shape::All), ("sort_by(length)", Shape::All)] {
        let program = program(filter, shape);
        let (mut start, mut pages) = (START, String::new());
        loop {
            let outcome = text(program, Scope::all(start), PageLimits { results: Some(2), ..PageLimits::default() });
            pages.push_str(results(&outcome));
            let Some(next) = outcome.next else { break };
            start = next;
        }
        assert_eq!(pages, results(&text(program, Scope::all(START), PageLimits::default())), "{filter}");
    }
}

#[test]
fn a_chunk_ends_between_records() {
    let limits = PageLimits { chunk_bytes: Some(1), ..PageLimits::default() };
    let first = from(program(".a, .b", Shape::Each), START, limits);
    assert_eq!(results(&first), "2\n1.0\n");
    let second = from(program(".a, .b", Shape::Each), first.next.unwrap(), limits);
    assert_eq!(results(&second), "1\n\"x\"\n");
}

#[test]
fn strict_fails_on_the_first_and_all_failing_is_an_error() {
    let run = |filter, strict| {
        let (scope, settings) = (Scope::all(START), Limits::default());
        run(program(filter, Shape::Each), &[], &FILE.as_bytes(), scope, PageLimits::default(), strict, &settings)
    };
    let strict = run(".a", true);
    assert!(strict.unwrap_err().to_string().contains("line 5"));
    let all = run(".a.c", false);
    assert!(all.unwrap_err().to_string().contains("failed on every record; the first is line 2"));
}

#[test]
fn results_are_counted_whatever_bounds_a_page() {
    let limits =
        PageLimits { counts: true, results: Some(1), bytes: Some(1), chunk_bytes: Some(1), ..PageLimits::default() };
    let rows = [
        (".a, .b", Shape::Each, "6\n"),
        (".a == 2, .b", Shape::Select, "4\n"),
        ("tojson", Shape::Each, "3\n"),
        (".a", Shape::Sort { descending: false }, "3\n"),
        ("map(.a) | unique", Shape::All, "2\n"),
        ("empty", Shape::Each, "0\n"),
        ("empty", Shape::All, "0\n"),
    ];
    for (filter, shape, expected) in rows {
        let outcome = from(program(filter, shape), START, limits);
        assert_eq!((results(&outcome), outcome.next), (expected, None), "{filter}");
        assert_eq!((outcome.page.count, outcome.total, outcome.failed), (1, Some(1), 1), "{filter}");
        let later = Scope { from: Some(3), ..Scope::all(START) };
        let later =
            run(program(filter, shape), &[], &FILE.as_bytes(), later, limits, false, &Limits::default()).unwrap();
        assert_eq!((results(&later), later.page.count), ("", 0), "{filter}: the first part has the count");
    }
}

#[test]
fn every_shape_goes_on_behind_a_stub() {
    let large = |key: u32| format!("{{\"a\":{key},\"text\":\"{}\"}}", "word ".repeat(300));
    let file = format!("{{\"a\":3}}\n{}\n{{\"a\":1}}\n{}\n", large(2), large(0));
    let limits = PageLimits { bytes: Some(1200), oversize: Oversize::Stub, ..PageLimits::default() };
    let shapes = [
        ("true", Shape::Select),
        (".", Shape::Each),
        ("tojson | fromjson", Shape::Each),
        (".a", Shape::Sort { descending: false }),
        ("sort_by(.a)", Shape::All),
        ("map(.text // 1)", Shape::All),
        ("map(.) | .[:9]", Shape::All),
    ];
    for (filter, shape) in shapes {
        let at = |scope, limits| {
            run(program(filter, shape), &[], &file.as_bytes(), scope, limits, false, &Limits::default()).unwrap()
        };
        let (mut next, mut lines, mut stubs) = (Some(START), Vec::new(), 0);
        while let Some(start) = next {
            let outcome = at(Scope::all(start), limits);
            lines.extend(results(&outcome).lines().map(str::to_owned));
            stubs += outcome.page.stubs;
            next = outcome.next;
        }
        assert_eq!((lines.len(), stubs), (4, 2), "{filter}");
        let whole = at(Scope::all(START), PageLimits::default());
        for (line, whole) in lines.iter().zip(results(&whole).lines()) {
            assert!(line == whole || line.contains(&format!("\"bytes\":{}", whole.len())), "{filter}: {line}");
        }
    }
}
