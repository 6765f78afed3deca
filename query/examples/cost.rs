//! Instructions of filters: `cost FILTERS RECORDS` runs each filter on each record, and on all, with plans where it has
//! them. RECORDS is how many are made, or a file of them.
use lro_query::{Arena, Limits, PageLimits, Position, Program, Query, Scope, Shape, run};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let filters = std::fs::read_to_string(arguments.next().expect("filters")).expect("filters");
    let records = arguments.next().expect("records");
    let only: Option<usize> = arguments.next().map(|n| n.parse().expect("a number"));
    let text: String = match records.parse::<u32>() {
        Ok(records) => (0_u32..records).map(|i| format!("{{\"id\":\"m{i}\",\"title\":\"Topic cache {i}\",\"provenance\":{{\"confidence\":0.7,\"source\":\"x\"}},\"confidence\":0.5,\"content\":\"Some text about topic {i} and ERROR or WARN number {i}\",\"namespace\":\"ns_{}\",\"tags\":[\"a\",\"b{}\",\"tag\"],\"importance\":0.{},\"created_at\":\"2026-01-0{}T00:00:00Z\",\"metadata\":{{\"memory_type\":\"semantic\",\"score\":{}}}}}\n", i % 7, i % 5, i % 10, i % 9 + 1, i)).collect(),
        Err(_) => std::fs::read_to_string(records).expect("a number or a file"),
    };
    let bounds = Limits::default();
    for (number, filter) in filters.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).enumerate() {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        let filter = filter.split('\t').next().unwrap_or(filter);
        let arena = Arena::default();
        let Ok(query) = Query::parse(filter, &arena, &bounds) else { continue };
        for shape in [Shape::Each, Shape::All] {
            let program = Program { query: &query, shape, reads: None, raw: false };
            let start = Position { offset: 0, line: 2, skip: 0, before: 0 };
            let bytes: &[u8] = text.as_bytes();
            let work = || {
                run(program, &[], &bytes, Scope::all(start), PageLimits::default(), false, &bounds)
                    .map_or(0, |outcome| outcome.page.count)
            };
            let count = within(work);
            println!("{number} {shape:?} {count} {filter}");
        }
    }
}
fn within(work: impl FnOnce() -> u32) -> u32 {
    lro_query::Budget {
        steps: 1 << 40,
        milliseconds: 1 << 40,
        memory_bytes: 1 << 40,
        stack_bytes: 1 << 20,
        gauge: lro_query::Gauge::default,
    }
    .within(work)
}
