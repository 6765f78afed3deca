//! Measures the fast path against the general engine, natively and on one core, with the recipes of a file of memories and
//! the generic recipes of a file of issues:
//! `cargo run --release -p lro-query --example paths -- MEMORIES.jsonl ISSUES.jsonl`.
//!
//! Both engines take turns, and the least time of each counts: on Linux processor time, elsewhere seconds on a clock. Their
//! answers must be the same bytes.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use lro_query::{
    Arena, Limits, Outcome, PageLimits, Position, Program, Query, Scope, Shape, Value, from_json, run,
    run_without_plans,
};

/// Runs of each recipe in each engine.
const RUNS: usize = 21;

const START: Position = Position { offset: 0, line: 1, skip: 0, before: 0 };
const UP: Shape = Shape::Sort { descending: false };
const DOWN: Shape = Shape::Sort { descending: true };

struct Recipe {
    name: &'static str,
    filter: &'static str,
    shape: Shape,
    reads: &'static [&'static str],
    raw: bool,
    /// The value of `$x`.
    x: &'static str,
}

const fn recipe(name: &'static str, shape: Shape, filter: &'static str) -> Recipe {
    Recipe { name, filter, shape, reads: &[], raw: false, x: "null" }
}

const MEMORIES: [Recipe; 10] = [
    Recipe { raw: true, ..recipe("1 title, namespace", Shape::Each, "(objects, nulls) | [.title, .namespace] | @tsv") },
    Recipe {
        x: "\"_semantic\"",
        ..recipe("2 namespace prefix", Shape::Select, ".namespace? | strings | startswith($x)")
    },
    Recipe { x: "\"keyword\"", ..recipe("3 title search", Shape::Select, r#".title? | strings | test($x; "i")"#) },
    Recipe { reads: &["id", "title", "namespace"], ..recipe("4 projection", Shape::Project, ".") },
    Recipe { x: "\"semantic\"", ..recipe("5 memory type", Shape::Select, ".memory_type? == $x") },
    Recipe {
        reads: &["namespace"],
        ..recipe(
            "6 count by namespace",
            Shape::All,
            "map(try .namespace catch null) | group_by(.) | map({namespace: .[0], count: length})",
        )
    },
    Recipe { x: "\"TAG\"", ..recipe("7 tag", Shape::Select, ".tags? | has_member($x)") },
    recipe("8 sort by created", UP, "try .created catch null"),
    recipe("9 sort by confidence", DOWN, "try .provenance.confidence catch null"),
    Recipe { x: "\"pattern\"", ..recipe("10 content search", Shape::Select, r#".content? | strings | test($x; "i")"#) },
];

const ISSUES: [Recipe; 10] = [
    Recipe { raw: true, ..recipe("1 title, state", Shape::Each, "[.title, .state] | @tsv") },
    Recipe { x: "\"cache\"", ..recipe("2 title prefix", Shape::Select, ".title | strings | startswith($x)") },
    Recipe { x: "\"error\"", ..recipe("3 title search", Shape::Select, r#".title | strings | test($x; "i")"#) },
    recipe("4 four members", Shape::Each, "{number, title, state, created_at}"),
    Recipe { x: "\"open\"", ..recipe("5 state", Shape::Select, ".state == $x") },
    recipe("6 count by state", Shape::All, "group_by(.state) | map({state: .[0].state, count: length})"),
    Recipe { x: "\"bug\"", ..recipe("7 label", Shape::Select, ".labels | arrays | index($x)") },
    recipe("8 sort by created_at", UP, ".created_at"),
    recipe("9 sort by comments", DOWN, ".comments"),
    Recipe { x: "\"timeout\"", ..recipe("10 body search", Shape::Select, r#".body | strings | test($x; "i")"#) },
];

fn main() {
    let mut files = std::env::args().skip(1);
    let mut read = || std::fs::read(files.next().expect("give two files of JSON Lines")).expect("a file is read");
    for (file, recipes) in [(read(), MEMORIES), (read(), ISSUES)] {
        println!("{} MB: recipe, fast ms, general ms, general / fast, results", file.len() / 1_000_000);
        let mut logarithms = 0.0;
        for recipe in &recipes {
            logarithms += measure(recipe, &file).ln();
        }
        println!("{:24} {:34.2}\n", "geometric mean", (logarithms / recipes.len() as f64).exp());
    }
}

/// The ratio of the times.
fn measure(recipe: &Recipe, file: &[u8]) -> f64 {
    let (arena, limits) = (Arena::default(), Limits::default());
    let query = Query::parse(recipe.filter, &arena, &limits).expect("it is jq");
    let reads = (!recipe.reads.is_empty()).then_some(recipe.reads);
    let program = Program { query: &query, shape: recipe.shape, reads, raw: recipe.raw };
    let variables: [(String, Value); 1] = [("x".to_owned(), from_json(recipe.x).expect("it is JSON"))];
    let page = PageLimits::default();
    let fast = || run(program, &variables, &file, Scope::all(START), page, false, &limits).expect("it runs");
    let general = || run_without_plans(program, &variables, &file, START, page, &limits).expect("it runs");
    let mut least = [Duration::MAX; 2];
    let mut results = 0;
    for _ in 0..RUNS {
        let [a, b]: [&dyn Fn() -> Outcome; 2] = [&fast, &general];
        let mut texts = Vec::new();
        for (least, engine) in least.iter_mut().zip([a, b]) {
            let start = now();
            let outcome = engine();
            *least = (now() - start).min(*least);
            results = outcome.page.count;
            texts.push(outcome.page.text);
        }
        assert!(texts[0] == texts[1], "{}: the engines differ", recipe.name);
    }
    let [fast, general] = least.map(|time| time.as_secs_f64() * 1000.0);
    println!("{:24} {fast:8.1} {general:8.1} {:16.2} {results:9}", recipe.name, general / fast);
    general / fast
}

/// The time that this thread has used. Linux brings the number up to date when the thread gives way.
fn now() -> Duration {
    static BEGUN: LazyLock<Instant> = LazyLock::new(Instant::now);
    std::thread::yield_now();
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = used.and_then(|used| used.split(' ').next()?.parse().ok()).map(Duration::from_nanos);
    used.unwrap_or_else(|| BEGUN.elapsed())
}
