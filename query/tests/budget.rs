//! Filters that have no end, or make values that have none, end with the limit that they come to.

use std::cell::Cell;

use lro_query::{Budget, Error, Gauge, Limits, Spent, from_json, outputs};

fn budget() -> Budget {
    Budget {
        steps: 200_000,
        milliseconds: 60_000,
        memory_bytes: 1 << 30,
        stack_bytes: 512 << 10,
        gauge: Gauge::default,
    }
}

fn run(filter: &str, budget: Budget) -> Result<Vec<String>, Error> {
    budget
        .within(|| outputs(filter, from_json("null").expect("null is JSON"), &Limits::default()))
        .map(|(results, _)| results)
}

fn limit(filter: &str) -> String {
    match run(filter, budget()) {
        Err(Error::Spent(Spent::Steps(_))) => "steps".to_owned(),
        Err(Error::Spent(Spent::Stack(_))) => "stack".to_owned(),
        Err(Error::Spent(Spent::Nesting(_))) => "nesting".to_owned(),
        Err(Error::Spent(Spent::Memory(_))) => "memory".to_owned(),
        other => format!("{other:?}").chars().take(200).collect(),
    }
}

/// Filters with the limits that end them.
const ENDLESS: [(&str, &str); 63] = [
    // Loops.
    ("def f: f; f", "steps"),
    ("def f: .+1 | f; f", "steps"),
    ("def f: try f catch f; f", "stack"),
    ("def f: f?; f", "stack"),
    ("def f: f // f; f", "stack"),
    ("def f: g; def g: f; f", "unknown"),
    ("def f: def g: f; g; f", "steps"),
    ("def f(g): f(g); f(.)", "stack"),
    ("def f(g): f(g | g); f(.)", "stack"),
    ("def f(g): def h(k): f(k); h(g); f(.)", "stack"),
    ("def f($n): f($n + 1); f(0)", "steps"),
    ("def f: f; path(f)", "steps"),
    ("def f: .[0] | f; path(f)", "nesting"),
    ("def f: f; f |= 1", "steps"),
    ("last(repeat(1))", "steps"),
    ("[repeat(1)]", "steps"),
    ("first(empty | repeat(.))", "ends"),
    ("first(repeat(.) | empty)", "steps"),
    ("[limit(1e12; repeat(1))]", "steps"),
    ("label $x | repeat(.) | empty", "steps"),
    ("[label $x | repeat(.)]", "steps"),
    ("until(false; .)", "steps"),
    ("last(while(true; .))", "steps"),
    ("[range(1e12)]", "steps"),
    ("last(range(1e12))", "steps"),
    ("reduce range(1e12) as $i (0; $i)", "steps"),
    ("last(foreach range(1e12) as $i (0; $i; .))", "steps"),
    ("last(foreach range(1e12) as $i (0; empty, .; .))", "steps"),
    ("try last(range(1e12)) catch 1", "steps"),
    ("(last(range(1e12)) // 1)", "steps"),
    ("isvalid(last(range(1e12)))", "steps"),
    ("[range(100) | [range(100)]] | first(combinations | select(. == 1))", "steps"),
    ("last([range(9)] | combinations(30))", "steps"),
    ("def a: .,.; def b: a|a|a|a; def c: b|b|b|b; def d: c|c|c|c; last(d|d)", "steps"),
    ("[range(1000)] | last(.[] as $a | .[] as $b | .[] as $c | 1)", "steps"),
    ("[range(1000)] | any(.[] as $a | .[] as $b | .[]; . == -1)", "steps"),
    ("[recurse(if . < 100000 then . + 1 else empty end)] | length", "steps"),
    ("[recurse(.)]", "steps"),
    // Values too large.
    ("\"x\" * 1e9", "ends"),
    ("\"x\" * 5e8", "steps"),
    (".[1e9] = 1", "ends"),
    (".[5e8] = 1", "steps"),
    ("reduce range(100) as $i (\"x\"; . + .)", "steps"),
    ("reduce range(100) as $i ([1]; . + .) | length", "steps"),
    ("reduce range(100) as $i (1; [., .]) | tojson | length", "steps"),
    ("reduce range(100) as $i (1; [., .]) | flatten", "steps"),
    ("reduce range(100) as $i (1; [., .]) | [paths] | length", "steps"),
    ("reduce range(100) as $i (1; [., .]) | [..] | length", "steps"),
    ("reduce range(100) as $i (1; {a: ., b: .}) | walk(.) | 1", "stack"),
    ("[range(2) | reduce range(100) as $i (1; [., .])] | .[0] == .[1]", "steps"),
    ("[range(3) | reduce range(100) as $i (1; [., .])] | sort | 1", "steps"),
    ("[range(3) | {a: reduce range(100) as $i (1; {a: ., b: .})}] | group_by(.a) | 1", "steps"),
    ("[range(2) | reduce range(100) as $i (1; {a: ., b: .})] | .[0] * .[1] | 1", "steps"),
    ("[range(2) | reduce range(100) as $i (1; {a: ., b: .})] | .[0] | contains({}) | 1", "ends"),
    ("\"a\" * 200000 | [match(\"a\"; \"g\")] | length", "steps"),
    ("\"a\" * 100000 | gsub(\"\"; \"x\" * 1000) | length", "steps"),
    ("[range(1e6) | tostring | test(.)] | length", "steps"),
    ("[range(20000) | 0] | indices([range(10000) | 0] + [1]) | length", "steps"),
    ("\"0\" * 20000 | until(false; if test(\"[01]*1x\") then 1 else . end)", "steps"),
    // Values too deep.
    ("reduce range(100000) as $i (null; [.])", "nesting"),
    ("reduce range(2000) as $i (null; {a: .}) | tojson | length", "nesting"),
    ("def f: 1 + f; f", "stack"),
    ("def f: [f]; f", "stack"),
];

#[test]
fn endless_filters_come_to_a_limit() {
    let mut wrong = Vec::new();
    for (filter, expected) in ENDLESS {
        let seen = limit(filter);
        let is_right = match expected {
            "ends" => seen.starts_with("Ok"),
            "unknown" => seen.contains("Unknown"),
            expected => seen == expected,
        };
        if !is_right {
            wrong.push(format!("{filter}: {seen}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_ends_is_not_stopped() {
    let filters = [
        ("[range(10000)] | length", "10000"),
        ("[limit(5; repeat(1))]", "[1,1,1,1,1]"),
        ("reduce range(10000) as $i (0; . + $i)", "49995000"),
        ("def f: if . < 10000 then . + 1 | f else . end; 0 | f", "10000"),
        ("0 | until(. == 5000; . + 1)", "5000"),
        ("reduce range(500) as $i (null; [.]) | tojson | length", "1004"),
        ("def f(g): if . < 100 then g | f(g) else . end; 0 | f(. + 1)", "100"),
        ("[\"a\" * 5000 | match(\"a\"; \"g\")] | length", "5000"),
        ("\"a\" * 5000 | gsub(\"a\"; \"bb\") | length", "10000"),
        ("[range(2000) | {k: (. % 7), v: [.]}] | group_by(.k) | map(length) | add", "2000"),
    ];
    for (filter, expected) in filters {
        assert_eq!(run(filter, budget()).unwrap_or_else(|error| panic!("{filter}: {error}")), [expected], "{filter}");
    }
}

thread_local! {
    static NOW: Cell<u64> = const { Cell::new(0) };
}

#[test]
fn time_and_memory_are_looked_at() {
    fn ticking() -> Gauge {
        NOW.set(NOW.get() + 3);
        Gauge { milliseconds: NOW.get(), memory_bytes: 0 }
    }
    fn growing() -> Gauge {
        NOW.set(NOW.get() + (1 << 20));
        Gauge { milliseconds: 0, memory_bytes: NOW.get() }
    }
    let slow = run("last(repeat(1))", Budget { steps: 9_000_000, milliseconds: 100, gauge: ticking, ..budget() });
    assert!(matches!(slow, Err(Error::Spent(Spent::Milliseconds(100)))), "{slow:?}");
    let large = run("last(repeat(1))", Budget { steps: 9_000_000, memory_bytes: 64 << 20, gauge: growing, ..budget() });
    assert!(matches!(large, Err(Error::Spent(Spent::Memory(67_108_864)))), "{large:?}");
    assert!(run("1", budget()).is_ok(), "a call after one that was stopped has a budget of its own");
}

#[test]
fn a_clock_that_is_set_ends_nothing() {
    thread_local!(static DAYS: Cell<u64> = const { Cell::new(0) });
    fn set_at_each_look() -> Gauge {
        DAYS.set(DAYS.get() + 1);
        Gauge { milliseconds: DAYS.get() % 3 * 86_400_000, memory_bytes: 0 }
    }
    let ended =
        run("last(range(100000))", Budget { steps: 900_000, milliseconds: 100, gauge: set_at_each_look, ..budget() });
    assert!(ended.is_ok() && DAYS.get() > 20, "{ended:?} after {} looks", DAYS.get());
}

#[test]
fn a_pattern_that_takes_long_ends_in_time() {
    fn clock() -> Gauge {
        thread_local!(static BEGUN: std::time::Instant = std::time::Instant::now());
        Gauge { milliseconds: BEGUN.with(|begun| begun.elapsed().as_millis() as u64), memory_bytes: 0 }
    }
    let limits = Budget { steps: u64::MAX, milliseconds: 200, gauge: clock, ..budget() };
    let begun = std::time::Instant::now();
    for matching in ["test($p)", "[match($p; \"g\")]", "gsub($p; \"\")"] {
        let filter = format!("\"[01]*1([01]{{300}}){{9}}x\" as $p | \"0010001\" * 100000 | {matching}");
        let ended = run(&filter, limits);
        assert!(matches!(ended, Err(Error::Spent(Spent::Milliseconds(200)))), "{matching}: {ended:?}");
    }
    // Natively and without optimisation; a piece is a second of optimised code.
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
}
