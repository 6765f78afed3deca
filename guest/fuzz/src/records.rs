//! Any bytes as the lines of a file: every line that is not empty has a result or is told as failed, and results are JSON.

use lro_guest::extract::advice::Fields;
use lro_query::{Arena, Limits, PageLimits, Position, Program, Query, Scope, Shape};

const PROGRAMS: [(&str, Shape); 8] = [
    (".", Shape::Each),
    ("[.id?, .a?]", Shape::Each),
    ("{a: (.a? // null)}", Shape::Each),
    ("tojson | fromjson", Shape::Each),
    ("true", Shape::Select),
    ("try .id catch null", Shape::Sort { descending: true }),
    ("map([.])", Shape::All),
    ("map([try .a catch null]) | sort", Shape::All),
];

/// Runs the target.
pub fn run(lines: &[u8]) {
    let (arena, limits) = (Arena::default(), Limits::default());
    let start = Position { offset: 0, line: 2, skip: 0, before: 0 };
    let expected = lines.split(|byte| *byte == b'\n').filter(|line| !matches!(*line, b"" | b"\r")).count();
    for (filter, shape) in PROGRAMS {
        let query = Query::parse(filter, &arena, &limits).expect("the filter parses");
        let program = Program { query: &query, shape, reads: None, raw: false };
        let scope = Scope::all(start);
        let Ok(outcome) = lro_query::run(program, &[], &lines, scope, PageLimits::default(), false, &limits) else {
            continue;
        };
        assert_eq!(outcome.page.count as usize + outcome.failed as usize, expected, "{filter}");
        if shape != Shape::Select {
            let text = std::str::from_utf8(&outcome.page.text).expect("results are text");
            let is_json = |line: &str| serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok();
            assert!(text.lines().all(is_json), "{filter}");
        }
    }
    assert!(Fields::sample(lines).is_ok());
}
