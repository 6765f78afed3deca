//! Plans against the general engine on lines of text, with filters as models write them.

use std::io::BufRead;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use super::{agree_on, limits, many};
use crate::run::input::{Form, Opened};
use crate::run::page::PageLimits;
use crate::testing::program;
use crate::{Program, Shape};

const ON_TEXT: [&str; 20] = [
    ".",
    "length",
    ".[0:2]",
    "split(\" \")",
    "split(\" \")[0]",
    "split(\" \")[-1]",
    "split(\" \")[1:3]",
    "split(\" \") | .[2] | length",
    "test(\"error|b\"; \"i\")",
    "test(\"error|fatal|c\")",
    "test(\"a k|é\"; \"i\")",
    "startswith(\"a\")",
    "tojson",
    "ascii_downcase",
    "[.] | @tsv",
    "{a: ., n: length}",
    "select(contains(\"b\"))",
    "select(length > 3) | .[0:3]",
    "if test(\"error\"; \"i\") then \"e\" else . end",
    "\"\\(.)|\\(length)\"",
];

fn line_of_text() -> impl Strategy<Value = String> {
    const WORDS: [&str; 18] = [
        "a",
        "b",
        "c",
        "ab",
        "ERROR",
        "error",
        "a K",
        "\u{212a}",
        "É",
        "\"q\"",
        "\\",
        "\t",
        "\r",
        "\u{7f}",
        "\u{1}",
        "中文",
        "😀",
        "{\"a\":1}",
    ];
    prop::collection::vec(select(&WORDS[..]), 0..6).prop_map(|words| words.join(" "))
}

fn lines_of_text() -> impl Strategy<Value = String> {
    let long = line_of_text().prop_map(|line| line.repeat(4));
    prop::collection::vec(prop_oneof![5 => line_of_text(), 1 => long], 0..12).prop_map(|lines| lines.join("\n"))
}

fn on_text() -> impl Strategy<Value = String> {
    let one = || select(&ON_TEXT[..]);
    prop_oneof![
        (one(), select(&["", " | reverse"][..]), select(&["", " | .[:2]", " | .[:3] | map(.[0:4])"][..]))
            .prop_map(|(key, reverse, most)| format!("sort_by({key}){reverse}{most}")),
        select(&["sort", "sort | reverse", "unique", "length", "sort | .[:3]", "sort | length"][..])
            .prop_map(str::to_owned),
        (one(), one()).prop_map(|(first, then)| format!("map({first}) | {then}")),
        one().prop_map(|key| format!("group_by({key}) | map({{key: (.[0] | {key}), count: length}})")),
        one().prop_map(|each| format!("map({each}) | sort")),
        one().prop_map(|each| format!("[.[] | {each}] | group_by(.) | map({{it: .[0], n: length}}) | sort_by(-.n)")),
        (one(), select(&["min_by", "max_by", "unique_by"][..])).prop_map(|(key, best)| format!("{best}({key})")),
    ]
}

fn agree_on_text(program: Program<'_>, text: &str, limits: PageLimits) -> Result<(), TestCaseError> {
    let open = |offset: u64| Ok(Box::new(&text.as_bytes()[offset as usize..]) as Box<dyn BufRead>);
    agree_on(program, &Opened(&open, Form::Text), limits)
}

proptest! {
    #![proptest_config(Config { failure_persistence: None, max_shrink_iters: 2000, ..Config::default() })]

    #[test]
    fn a_plan_on_text_says_what_the_engine_says(
        each in select(&ON_TEXT[..]),
        any in many(),
        whole in on_text(),
        text in lines_of_text(),
        limits in limits(),
        raw: bool,
    ) {
        let limits = PageLimits { chunk_bytes: None, ..limits };
        for (filter, shape) in [(each, Shape::Each), (each, Shape::Select), (&any, Shape::Each), (&whole, Shape::All)] {
            agree_on_text(Program { raw, ..program(filter, shape) }, &text, limits)?;
        }
        for descending in [true, false] {
            let program = Program { raw, ..program(each, Shape::Sort { descending }) };
            agree_on_text(program, &text, limits)?;
        }
    }
}
