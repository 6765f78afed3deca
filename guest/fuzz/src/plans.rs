//! Filters from a grammar on records from a grammar: a plan on bytes gives what the general engine gives, in every shape.

use arbitrary::{Result, Unstructured};
use lro_query::{Arena, Limits, Outcome, PageLimits, Position, Program, Query, Scope, Shape, run_without_plans};

use crate::grammar;

const START: Position = Position { offset: 0, line: 2, skip: 0, before: 0 };
const SHAPES: [Shape; 5] =
    [Shape::Each, Shape::Select, Shape::All, Shape::Sort { descending: true }, Shape::Sort { descending: false }];

/// Runs the target. Bytes that run out end the last filter early.
pub fn run(data: &[u8]) {
    _ = compare(&mut Unstructured::new(data));
}

fn compare(bytes: &mut Unstructured<'_>) -> Result<()> {
    let shape = *bytes.choose(&SHAPES)?;
    let limits = PageLimits { results: bytes.ratio(1, 3)?.then_some(2), ..PageLimits::default() };
    let raw = bytes.ratio(1, 4)?;
    let lines: Result<Vec<String>> = (0..bytes.int_in_range(1..=4_u8)?).map(|_| grammar::record(bytes)).collect();
    let filter = grammar::filter(bytes, 4)?;
    let (arena, bounds, text) = (Arena::default(), Limits::default(), lines?.join("\n"));
    let Ok(query) = Query::parse(&filter, &arena, &bounds) else { return Ok(()) };
    let program = Program { query: &query, shape, reads: None, raw };
    let input = &text.as_bytes();
    let planned = lro_query::run(program, &[], input, Scope::all(START), limits, false, &bounds);
    let general = run_without_plans(program, &[], input, START, limits, &bounds);
    match (planned, general) {
        (Ok(planned), Ok(general)) => assert_eq!(seen(&planned), seen(&general), "{filter} as {shape:?} on {text}"),
        (Err(planned), Err(general)) => {
            assert_eq!(format!("{planned:?}"), format!("{general:?}"), "{filter} on {text}")
        }
        (planned, general) => panic!("{filter} as {shape:?} on {text}: {planned:?} and {general:?}"),
    }
    Ok(())
}

/// What a caller sees of an outcome.
fn seen(outcome: &Outcome) -> (String, u32, Option<Position>, u32, Vec<u32>) {
    let failures = outcome.failures.iter().map(|record| record.line).collect();
    (
        String::from_utf8_lossy(&outcome.page.text).into_owned(),
        outcome.page.count,
        outcome.next,
        outcome.failed,
        failures,
    )
}
