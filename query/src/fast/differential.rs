//! Plans against the general engine: random filters of the planned shapes on random records, half of them odd.
//!
//! `PROPTEST_CASES=20000` looks longer.

mod filters;
mod forms;
mod text;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use self::filters::{many, whole};
use super::{SetPlan, StreamPlan};
use crate::run::both;
use crate::run::input::{Form, Input};
use crate::run::page::PageLimits;
use crate::run::records::{Records, from_json};
use crate::testing::{compiled, query};
use crate::{Program, Shape, Value};

fn value() -> impl Strategy<Value = String> {
    const ATOMS: [&str; 38] = [
        "null",
        "true",
        "false",
        "0",
        "1",
        "2",
        "-1",
        "1.0",
        "1.50",
        "0.1",
        "1e3",
        "-0",
        "1E400",
        "12345678901234567890",
        "0.00000001",
        "\"\"",
        "\"a\"",
        "\"ab\"",
        "\"A b\"",
        "\"x/y\"",
        "\"é\"",
        "\"\\u00e9\"",
        "\"b\\nc\"",
        "\"\\\"q\\\"\"",
        "\"\\/\"",
        "\"\\ud83d\\ude00b\"",
        "\"\\u007f\"",
        "\"\u{7f}\"",
        "\"\u{212a}\"",
        "\"cab/ab\"",
        "\"\\t\\\\\"",
        "\"中\"",
        "\"ABCABC\"",
        "\"b\"",
        "\"c\"",
        "\"\\u0000\"",
        "\"\\b\\f\\r\"",
        "0.8",
    ];
    let atom = select(&ATOMS[..]).prop_map(str::to_owned);
    atom.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec((key(), inner), 0..3).prop_map(|members| object(&members, false)),
        ]
    })
}

fn key() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        12 => select(&["a", "b", "c", "d", "t"][..]),
        1 => select(&["é", "x y", "\\u0061", "\\u0064", "k\\n", "v", "\\\"a"][..]),
    ]
}

fn object(members: &[(&str, String)], spaced: bool) -> String {
    let (colon, comma) = if spaced { (": ", ", ") } else { (":", ",") };
    let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\"{colon}{value}")).collect();
    format!("{{{}}}", members.join(comma))
}

/// A line of a file: a record as a rule, now and then anything else, and no JSON at all.
pub(crate) fn line() -> impl Strategy<Value = String> {
    let usual = (value(), value(), prop::collection::vec(value(), 0..4), value(), any::<bool>());
    prop_oneof![
        12 => usual.prop_map(|(a, b, tags, d, spaced)| {
            let inner = object(&[("d", d), ("e", "1".into())], spaced);
            let tags = format!("[{}]", tags.join(if spaced { ", " } else { "," }));
            object(&[("a", a), ("b", b), ("t", tags), ("c", inner)], spaced)
        }),
        4 => (prop::collection::vec((key(), value()), 0..6), any::<bool>()).prop_map(|(m, spaced)| object(&m, spaced)),
        1 => value(),
        1 => select(&["", "not json", "{\"a\":}", "{\"a\":1}x", "\"\\ud800\"", "{\"a\":\"\t\"}", " {\"a\" : 1} "][..])
            .prop_map(str::to_owned),
    ]
}

fn lines() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 0..8).prop_map(|lines| lines.join("\n"))
}

fn variables() -> Vec<(String, Value)> {
    [("v", "\"a\""), ("n", "[1, \"b\"]")].map(|(name, json)| (name.to_owned(), from_json(json).unwrap())).into()
}

fn agree(program: Program<'_>, text: &str, limits: PageLimits) -> Result<(), TestCaseError> {
    agree_on(program, &text.as_bytes(), limits)
}

fn agree_on(program: Program<'_>, input: &dyn Input, limits: PageLimits) -> Result<(), TestCaseError> {
    let [planned, generally] = both(program, &variables(), input, limits);
    match (planned, generally) {
        (Ok(planned), Ok(generally)) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            prop_assert_eq!(text(&planned.page.text), text(&generally.page.text));
            prop_assert_eq!((planned.next, planned.total), (generally.next, generally.total));
            prop_assert_eq!((planned.failed, planned.failures), (generally.failed, generally.failures));
        }
        (Err(planned), Err(generally)) => prop_assert_eq!(planned.to_string(), generally.to_string()),
        (planned, generally) => {
            prop_assert!(false, "planned: {planned:?}\ngenerally: {generally:?}");
        }
    }
    Ok(())
}

fn limits() -> impl Strategy<Value = PageLimits> {
    (prop::option::weighted(0.2, 1..4_u32), prop::option::weighted(0.2, Just(20)))
        .prop_map(|(results, chunk_bytes)| PageLimits { results, chunk_bytes, ..PageLimits::default() })
}

fn program(filter: &str, shape: Shape) -> Program<'static> {
    Program { query: query(filter), shape, reads: None, raw: filter.len().is_multiple_of(2) }
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, max_shrink_iters: 2000, ..Config::default() })]

    #[test]
    fn a_plan_on_each_record_says_what_the_engine_says(filter in many(), text in lines(), limits in limits()) {
        agree(program(&filter, Shape::Each), &text, limits)?;
        agree(program(&filter, Shape::Select), &text, limits)?;
    }

    #[test]
    fn a_plan_on_the_whole_set_says_what_the_engine_says(filter in whole(), text in lines(), limits in limits()) {
        // A set that is in memory is not cut into chunks.
        let limits = PageLimits { chunk_bytes: None, ..limits };
        agree(program(&filter, Shape::All), &text, limits)?;
        agree(program(&filter, Shape::Whole), &text, limits)?;
    }

    #[test]
    fn a_plan_that_sorts_says_what_the_engine_says(key in many(), text in lines(), descending: bool) {
        agree(program(&key, Shape::Sort { descending }), &text, PageLimits::default())?;
        let selected = format!("select({key}) | [{key}]");
        agree(program(&selected, Shape::SortSelected { descending }), &text, PageLimits::default())?;
    }

    #[test]
    fn keys_that_are_read_are_all_that_matters(filter in many(), line in line()) {
        // Not all of the filters are jq: `.é` is none.
        let reads = query(&filter).reads().map(<[String]>::to_vec);
        let Ok(filter) = compiled(&filter, &variables()) else { return Ok(()) };
        let value = |reads| Records::new(reads, 128).value(line.as_bytes());
        if let (Ok(whole), Ok(read)) = (value(None), value(reads)) {
            let outputs =
                |value| filter.run(value).map(|output| output.map(|value| value.to_json())).collect::<Vec<_>>();
            prop_assert_eq!(outputs(read), outputs(whole));
        }
    }

    #[test]
    fn a_projection_says_what_the_engine_says(text in lines()) {
        let project = Program { reads: Some(&["b", "é", "a"]), ..program(".", Shape::Project) };
        agree(project, &text, PageLimits::default())?;
    }
}

#[test]
fn what_should_be_planned_is_planned() {
    let streams = [
        ".",
        "select(.memory_type == \"semantic\")",
        "select(.title | test(\"cache\"; \"i\"))",
        "select(.tags | index(\"adr\")) | {id, title}",
        "[.title, .namespace] | @tsv",
        "objects | [.title, (try .provenance.confidence catch null)] | @tsv",
        "select(.provenance.confidence > 0.80 and (.tags | length) >= 2) | .title",
        "\"\\(.id): \\(.title)\"",
        ".tags[]",
        "if type == \"object\" then keys_unsorted else [] end",
        ".tags as $tags | {id, first: $tags[0], count: ($tags | length)}",
        ". as {$id, title: $t} | \"\\($id) \\($t)\"",
        "reduce .tags[] as $tag (0; . + ($tag | length))",
        "[range(0; (.tags | length)) as $i | .tags[$i]] | join(\" \")",
        "first(.tags[] | select(contains(\"a\"))) // \"none\"",
        ".a |= ascii_upcase | .b.c += 1 | .d //= [] | del(.e, .f.g)",
        "with_entries(select(.value != null))",
        "{id} + {words: (.content | split(\" \") | length)}",
        ".content | gsub(\"(?<word>[a-z]+)\"; \"<\\(.word)>\")",
        ".created | sub(\"\\\\.[0-9]+\"; \"\") | fromdateiso8601? | strftime(\"%Y-%m\")",
    ];
    for filter in streams {
        assert!(StreamPlan::of(program(filter, Shape::Each), &variables(), 128, Form::Json).is_some(), "{filter}");
    }
    let wholes = [
        "length",
        "map(.namespace) | unique | length",
        "sort_by(.created) | reverse | .[:10] | map({id, title})",
        "group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)",
        "[.[] | select(.a == 1)] | length",
        "map(select(.a == 1)) | [map(.n | if type == \"array\" then .[] else . end), length] | .[0] | add",
        "map({k: (.a | if type == \"array\" then .[] else . end), v: [.n]}) | group_by([.k]) | map({k: .[0].k, v: map(.v[])})",
        ".[] | .a",
        "max_by(.provenance.confidence) | .title",
        "sort_by(.created)[-1].title",
        "sort_by(.created)[].id",
    ];
    for filter in wholes {
        for shape in [Shape::All, Shape::Whole] {
            assert!(SetPlan::of(program(filter, shape), &variables()).is_some(), "{filter}");
        }
    }
    let unplanned = ["def select(f): .; select(.a)", "test(1; 2; 3)", "length(1)", ".[0] |= 1", "nosuch", "$unknown"];
    for filter in unplanned {
        assert!(StreamPlan::of(program(filter, Shape::Each), &variables(), 128, Form::Json).is_none(), "{filter}");
    }
}

#[test]
fn what_walks_through_a_record_again_and_again_is_left_to_the_engine() {
    let numbers = (0..30_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    let line = format!("{{\"a\":[{numbers}],\"b\":\"{}\"}}", "x".repeat(100_000));
    let knows = |filter: &str, shape| {
        let plan = StreamPlan::of(program(filter, shape), &variables(), 128, Form::Json);
        plan.unwrap_or_else(|| panic!("{filter}")).knows(line.as_bytes())
    };
    let once = [
        ".a[]",
        ".a | length",
        "[.a[] | . + 1] | add",
        "[range(20) as $i | .a | length] | add",
        "[.b, .b, .b] | join(\",\")",
    ];
    for filter in once {
        assert!(knows(filter, Shape::Each), "{filter}");
    }
    let again = [
        ". as $all | [.a[] | . / ($all.a | length)] | add",
        "[range(3000) as $i | .a] | sort_by(length) | length",
        "[range(3000) as $i | .b] | join(\",\") | length",
        "[range(3000) as $i | .b] | add | length",
        "[range(3000) as $i | .b] | @csv",
        "[range(3000) as $i | {b}] | tojson | length",
        "range(1000000000)",
        ".b as $b | range(100000) | $b",
    ];
    for filter in again {
        assert!(!knows(filter, Shape::Each), "{filter}");
    }
    assert!(!knows("range(1000000000) | . > 5", Shape::Select));
}
