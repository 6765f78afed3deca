//! Steps and milliseconds of filters: `steps FILTERS FILE` runs each filter on each record of an offloaded file, and those
//! behind a line `# all` on all records. How many steps that takes is seen to 4,096.
use std::cell::Cell;
use std::time::Instant;

use lro_query::{Arena, Budget, Error, Gauge, Limits, PageLimits, Position, Program, Query, Scope, Shape, run};

/// So many steps lie between two looks at the gauges.
const BLOCK: u64 = 4096;

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let filters = std::fs::read_to_string(arguments.next().expect("filters")).expect("filters");
    let text = std::fs::read(arguments.next().expect("a file")).expect("a file");
    let header = text.iter().position(|byte| *byte == b'\n').map_or(0, |newline| newline as u64 + 1);
    let mut shape = Shape::Each;
    for filter in filters.lines().filter(|line| !line.is_empty()) {
        if filter == "# all" {
            shape = Shape::All;
        }
        if !filter.starts_with('#') {
            let begun = Instant::now();
            LOOKS.set(0);
            let ended = ended(filter, shape, &text, header);
            let (steps, time) = (LOOKS.get() * BLOCK / 1000, begun.elapsed().as_millis());
            println!("{steps:>9} thousand steps {time:>7} ms  {ended:<12} {shape:?} {filter}");
        }
    }
}

/// How the run of a filter ends.
fn ended(filter: &str, shape: Shape, text: &[u8], header: u64) -> String {
    let (arena, limits) = (Arena::default(), Limits::default());
    let query = match Query::parse(filter, &arena, &limits) {
        Ok(query) => query,
        Err(error) => return error.to_string(),
    };
    let program = Program { query: &query, shape, reads: None, raw: false };
    let start = Position { offset: header, line: 2, skip: 0, before: 0 };
    let budget = Budget {
        steps: 4_000_000 + 4 * text.len() as u64,
        milliseconds: u64::MAX,
        memory_bytes: 1 << 40,
        stack_bytes: 1 << 20,
        gauge: || {
            LOOKS.set(LOOKS.get() + 1);
            Gauge::default()
        },
    };
    let page = || run(program, &[], &text, Scope::all(start), PageLimits::default(), false, &limits);
    match budget.within(page) {
        Ok(outcome) => format!("{} results", outcome.page.count),
        Err(Error::Spent(spent)) => format!("{spent:?}"),
        Err(error) => error.to_string().chars().take(60).collect(),
    }
}
