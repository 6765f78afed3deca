//! What holds for any input: bytes that survive, decisions that agree, words that a shell leaves alone (LRO-05, LRO-11,
//! LRO-15, LRO-32, LRO-38, EXTRACT-07, EXTRACT-21, decisions 7 and 11).
//!
//! Everything here goes through the native crate: the component would add time and nothing else. The same cases run each
//! time; `PROPTEST_CASES` and `PROPTEST_RNG_SEED` make others.

use std::collections::BTreeSet;

use lro_guest::calls::{self, Offloading, Outcome, Page, Source, Stored};
use lro_guest::file::instant::Instant;
use lro_guest::offload::response::{MOST_TOKENS, cost};
use lro_guest::recipes;
use lro_tests::{corpus, shell};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::value::RawValue;
use serde_json::{Value, json};

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };

fn offload(payload: &str, request: &Value, settings: &Value, instant: Instant) -> Offloading {
    calls::offload(payload, &request.to_string(), &settings.to_string(), || Ok(instant)).unwrap()
}

fn extract(file: &str, request: &Value) -> Page {
    calls::extract(Source::Content(file), &request.to_string(), "", lro_guest::disk::instant).unwrap()
}

/// The response and the text of a file, with nothing written.
fn stored(payload: &str, request: &Value) -> (Value, String) {
    let settings = json!({"threshold_tokens": 0, "store": "content", "output_dir": "/output"});
    match offload(payload, request, &settings, INSTANT).outcome {
        Outcome::Offloaded(Stored { response, content: Some(content), .. }) => {
            assert!(cost(&response) <= MOST_TOKENS, "{response}");
            (serde_json::from_str(&response).unwrap(), content)
        }
        outcome => panic!("{outcome:?}"),
    }
}

/// The lines of a file behind its header.
fn records(file: &str) -> Vec<String> {
    let (_, records) = file.split_once('\n').unwrap();
    records.split_terminator('\n').map(str::to_owned).collect()
}

fn results(page: &Page) -> Vec<&str> {
    std::str::from_utf8(&page.text).unwrap().split_terminator('\n').collect()
}

/// The tool of another system, whose records are no memories.
fn other_tool() -> Value {
    json!({"operation": "list_issues"})
}

fn config() -> ProptestConfig {
    let given = ProptestConfig::default();
    ProptestConfig {
        cases: given.cases / 4,
        rng_seed: if given.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { given.rng_seed },
        failure_persistence: None,
        ..given
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn records_survive_byte_for_byte(texts in texts(any_scalar()), space in "[ \t\r\n]{0,3}") {
        let array = format!("{space}[{space}{}{space}]{space}", texts.join(&format!("{space},{space}")));
        prop_assert_eq!(&records(&stored(&array, &other_tool()).1), &texts);
        if texts.len() > 1 {
            let lines = format!("{space}{}\n{space}", texts.join("\n"));
            prop_assert_eq!(&records(&stored(&lines, &other_tool()).1), &texts);
        }
    }

    #[test]
    fn pretty_records_become_one_line_and_stay_equal(texts in texts(scalar())) {
        let values: Vec<Value> = texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        let (_, file) = stored(&serde_json::to_string_pretty(&values).unwrap(), &other_tool());
        let lines: Vec<Value> = records(&file).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(lines, values);
    }

    /// LRO-32: whatever the records are, each is as the schema says; and the response is small.
    #[test]
    fn lines_are_as_the_schema_says(texts in texts(scalar()), memories in any::<bool>()) {
        let request = if memories { json!({"operation": "recall", "detail": "full"}) } else { other_tool() };
        let (response, file) = stored(&corpus::array(&texts), &request);
        let validator = jsonschema::validator_for(&response["line_schema"]).unwrap();
        for line in records(&file) {
            let valid = validator.is_valid(&serde_json::from_str(&line).unwrap());
            prop_assert!(valid, "{} is not as {}", line, response["line_schema"]);
        }
    }

    /// LRO-05, and the rule of `offloader.wit`: the estimate alone decides.
    #[test]
    fn an_estimate_above_the_threshold_offloads(
        texts in texts(scalar()),
        operation in prop::sample::select(vec!["recall", "search_code", "inject", "list_issues"]),
        detail in prop::sample::select(vec![Value::Null, "light".into(), "medium".into(), "full".into()]),
        tokens in prop::option::weighted(0.2, 0..100_u32),
        above in 0..3_u32,
        tokenizer in prop::sample::select(vec!["chars", "mixed"]),
        store in prop::sample::select(vec!["content", "file"]),
    ) {
        let request = json!({"operation": operation, "detail": detail, "tokens": tokens});
        // There is no directory "missing": what should be written is truncated instead.
        let mut settings = json!({"tokenizer": tokenizer, "store": store, "output_dir": "missing"});
        let payload = corpus::array(&texts);
        let estimate = calls::estimate(&payload, &request.to_string(), &settings.to_string()).unwrap();
        let threshold = (estimate + above).saturating_sub(1);
        settings["threshold_tokens"] = threshold.into();
        let answer = offload(&payload, &request, &settings, INSTANT);
        let offloads = matches!(answer.outcome, Outcome::Offloaded(_) | Outcome::Truncated(_));
        prop_assert_eq!((answer.estimated_tokens, offloads), (estimate, estimate > threshold));
    }

    /// LRO-15.
    #[test]
    fn names_are_unique_and_ordered_by_time(
        instants in prop::collection::btree_set((prop_oneof![0..3_u64, 0..200_000_000_000_000_u64], 0_u128..1 << 80), 2..20)
    ) {
        let settings = json!({"threshold_tokens": 0, "store": "content"});
        let name = |&(milliseconds, random): &(u64, u128)| {
            match offload("[1]", &other_tool(), &settings, Instant { milliseconds, random }).outcome {
                Outcome::Offloaded(stored) => stored.file_name,
                outcome => panic!("{outcome:?}"),
            }
        };
        let names: Vec<String> = instants.iter().map(name).collect();
        prop_assert!(names.is_sorted(), "{:?}", names);
        prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), instants.len());
        for name in names {
            let ulid = name.strip_prefix("atlatl-list_issues-").and_then(|name| name.strip_suffix(".jsonl")).unwrap();
            prop_assert!(ulid.len() == 26 && ulid.chars().all(|c| "0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(c)));
        }
    }

    /// LRO-38, decision 11.
    #[test]
    fn truncation_keeps_whole_records_of_both_ends_within_the_budget(
        texts in texts(any_scalar()),
        threshold in 0..40_u32,
        tokenizer in prop::sample::select(vec!["chars", "mixed"]),
    ) {
        #[derive(serde::Deserialize)]
        struct Truncated<'a> {
            #[serde(borrow)]
            results: Vec<&'a RawValue>,
            returned: usize,
            total: usize,
        }
        let settings = json!({"threshold_tokens": threshold, "tokenizer": tokenizer, "output_dir": "missing"});
        let cost = |records: &[String]| {
            calls::estimate(&corpus::array(records), &other_tool().to_string(), &settings.to_string()).unwrap()
        };
        let Outcome::Truncated(text) = offload(&corpus::array(&texts), &other_tool(), &settings, INSTANT).outcome else {
            prop_assert!(cost(&texts) <= threshold);
            return Ok(());
        };
        let answer: Truncated<'_> = serde_json::from_str(&text).unwrap();
        let kept: Vec<String> = answer.results.iter().map(|record| record.get().to_owned()).collect();
        prop_assert_eq!(answer.total, texts.len());
        if answer.returned == 0 && !kept.is_empty() {
            // Neither the first record fits nor the last: the two ends do, with what stands between them.
            prop_assert!(kept.len() == 3 && kept[1].contains("[lro cut "));
            prop_assert!(cost(&texts[..1]) > threshold && cost(&texts[texts.len() - 1..]) > threshold);
            prop_assert!(cost(&[kept[0].clone(), kept[2].clone()]) <= threshold + 4, "only the four quotes come on top");
            return Ok(());
        }
        if kept.is_empty() {
            prop_assert!(answer.returned == 0 && cost(&texts[..1]) > threshold);
            return Ok(());
        }
        prop_assert_eq!(answer.returned + 1, kept.len());
        let head = kept.iter().zip(&texts).take_while(|(kept, text)| kept == text).count();
        let (notice, tail) = (&kept[head], &kept[head + 1..]);
        prop_assert!(notice.contains("[lro cut "), "{}", notice);
        prop_assert_eq!(tail, &texts[texts.len() - tail.len()..]);
        prop_assert!(cost(&kept[..head]) + cost(tail) <= threshold);
        prop_assert!(cost(&texts[..=head]) + cost(tail) > threshold, "the head takes what is left");
    }

    /// Decision 7.
    #[test]
    fn a_quoted_path_is_one_plain_word_of_a_shell(path in path()) {
        let folder = tempfile::tempdir().unwrap();
        let printed = shell::run(&format!("printf %s {}", recipes::shell_quote(&path)), folder.path());
        prop_assert_eq!((printed.stdout, printed.stderr, printed.status), (path, String::new(), Some(0)));
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    /// EXTRACT-07: whatever a parameter is, the results are those of the same plain filter in Rust.
    #[test]
    fn a_parameter_is_data(values in prop::collection::vec(hostile_text(), 1..6), chosen in any::<prop::sample::Index>()) {
        let value = chosen.get(&values);
        let memory = |(id, text): (usize, &String)| {
            json!({"id": id, "title": text, "namespace": text, "memory_type": text, "tags": [text], "content": text})
        };
        let memories: Vec<String> = values.iter().enumerate().map(|memory_of| memory(memory_of).to_string()).collect();
        let (_, file) = stored(&corpus::array(&memories), &json!({"operation": "recall", "detail": "full"}));
        let contains = |text: &str| text.to_lowercase().contains(&value.to_lowercase());
        type Keeps<'a> = &'a dyn Fn(&str) -> bool;
        let rows: [(u32, &str, String, Keeps<'_>); 5] = [
            (2, "namespace", value.clone(), &|text| text.starts_with(value.as_str())),
            (3, "keyword", as_pattern(value), &contains),
            (5, "memory_type", value.clone(), &|text| text == value),
            (7, "tag", value.clone(), &|text| text == value),
            (10, "pattern", as_pattern(value), &contains),
        ];
        for (recipe, name, parameter, keeps) in rows {
            let page = extract(&file, &json!({"recipe": recipe, "params": {name: parameter}}));
            let kept = values.iter().zip(&memories).filter(|(text, _)| keeps(text));
            let expected: Vec<&str> = kept.map(|(_, memory)| memory.as_str()).collect();
            prop_assert_eq!(results(&page), expected, "recipe {}, {} = {:?}", recipe, name, value);
        }
    }

    /// EXTRACT-21.
    #[test]
    fn pages_put_together_are_the_whole(
        request in prop::sample::select(paged()),
        limit in prop::option::of(1..9_u32),
        fits in prop::option::of((0..12_usize, 0..2_usize)),
        chunk in prop::option::of(1..3000_u32),
    ) {
        let (_, file) = stored(&corpus::memories(12), &json!({"operation": "recall", "detail": "full"}));
        let whole = extract(&file, &request);
        let lengths: Vec<usize> = results(&whole).iter().map(|result| result.len() + 1).collect();
        // So many results just fit, or just do not; but each alone does.
        let most = fits.map(|(count, less)| {
            let fitting: usize = lengths.iter().take(count).sum();
            fitting.saturating_sub(less).max(lengths.iter().copied().max().unwrap_or(1))
        });
        let mut asked = request.clone();
        asked["limit"] = limit.into();
        asked["max_bytes"] = most.into();
        asked["chunk_bytes"] = chunk.into();
        let mut together = Vec::new();
        let total = loop {
            let page = extract(&file, &asked);
            prop_assert!(limit.is_none_or(|limit| page.count <= limit));
            prop_assert!(most.is_none_or(|most| page.text.len() <= most));
            prop_assert_eq!(results(&page).len(), page.count as usize);
            together.extend(page.text);
            match page.next {
                Some(next) => asked["next"] = next.into(),
                None => break page.total,
            }
        };
        prop_assert_eq!(String::from_utf8(together).unwrap(), String::from_utf8(whole.text).unwrap());
        prop_assert_eq!(total, Some(whole.count));
    }
}

/// Decision 7, character by character, in a folder that has something to match.
#[test]
fn a_quoted_path_may_have_any_ascii_character() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a"), "").unwrap();
    let paths = ('\u{1}'..='\u{7f}').flat_map(|c| [c.to_string(), format!("~{c}a"), format!("a{c}b")]);
    let paths: Vec<String> = paths.collect();
    let words: Vec<String> = paths.iter().map(|path| recipes::shell_quote(path)).collect();
    let printed = shell::run(&format!("printf '%s\\0' {}", words.join(" ")), folder.path());
    assert_eq!(printed.stdout.split_terminator('\0').collect::<Vec<_>>(), paths);
}

/// The ten recipes, and filters with none, one or several results a record or a set.
fn paged() -> Vec<Value> {
    let queries = [
        json!({"query": ".tags[]?"}),
        json!({"query": "select(false)"}),
        json!({"query": ".title", "raw": true}),
        json!({"query": "map(.id)", "slurp": true}),
        json!({"query": "group_by(.memory_type)[] | map(.id)", "slurp": true}),
    ];
    (1..=10).map(|recipe| json!({"recipe": recipe})).chain(queries).collect()
}

/// Records as JSON texts on one line.
fn texts(scalar: BoxedStrategy<String>) -> impl Strategy<Value = Vec<String>> {
    let nested = scalar.prop_recursive(4, 24, 4, |inner| {
        let space = prop::sample::select(vec!["", "", " ", "\t "]);
        let elements = prop::collection::vec(inner.clone(), 0..4);
        let members = prop::collection::vec((key(), inner), 0..5);
        let array = (elements, space.clone())
            .prop_map(|(elements, space)| format!("[{space}{}{space}]", elements.join(&format!("{space},{space}"))));
        let object = (members, space).prop_map(|(members, space)| {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{key}{space}:{space}{value}")).collect();
            format!("{{{space}{}{space}}}", members.join(&format!("{space},{space}")))
        });
        prop_oneof![1 => array, 2 => object]
    });
    prop::collection::vec(nested, 1..8)
}

/// Any spelling of what is not nested.
fn any_scalar() -> BoxedStrategy<String> {
    // No text of Unicode, so not every JSON library reads them; kept they must be all the same.
    prop_oneof![19 => scalar(), 1 => prop::sample::select(vec![r#""\ud800""#.to_owned(), "1e999".to_owned()])].boxed()
}

/// Any spelling of what is not nested and is read by every JSON library.
fn scalar() -> BoxedStrategy<String> {
    let spelled = [r#""\ud83d\ude00\u0041\/\u0000""#, r#""\u2028""#, "-0", "1.10", "1E+2", "9007199254740993"];
    prop_oneof![
        prop::sample::select(vec!["null", "true", "false"]).prop_map(str::to_owned),
        prop::sample::select(spelled.to_vec()).prop_map(str::to_owned),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,8})?([eE][+-]?[0-9]{1,2})?",
        hostile_text().prop_map(|text| json!(text).to_string()),
    ]
    .boxed()
}

/// Keys, some of them of memories, and few enough to come twice.
fn key() -> impl Strategy<Value = String> {
    let few = [r#""a""#, r#""b""#, r#""""#, r#""\u0061""#, r#""title""#, r#""provenance""#, r#""confidence""#];
    prop_oneof![
        4 => prop::sample::select(few.to_vec()).prop_map(str::to_owned),
        1 => hostile_text().prop_map(|text| json!(text).to_string()),
    ]
}

/// Text with more quotes, escapes and syntax in it than there would be by chance.
fn hostile_text() -> impl Strategy<Value = String> {
    let syntax = [
        "\"",
        "\\",
        "\\(env)",
        "'",
        "$(touch x)",
        "`touch x`",
        "; touch x\n",
        "$ENV",
        "$__prog_args",
        "\" | halt",
        "*",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "#",
        "\u{0}",
        "\r\n",
        "\t",
        "日本",
        "😀",
        "a",
        "B",
    ];
    let part = prop_oneof![2 => prop::sample::select(syntax.to_vec()).prop_map(str::to_owned), 1 => "\\PC{1,3}"];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

/// What can be a path: any text without NUL.
fn path() -> impl Strategy<Value = String> {
    let text = prop_oneof![3 => hostile_text(), 1 => any::<String>(), 1 => "[A-Za-z0-9_./:@%+=,-]{1,20}"];
    text.prop_map(|text| text.replace('\0', ""))
}

/// A regular expression that matches a text and nothing else.
fn as_pattern(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_punctuation() { format!("\\x{:02x}", u32::from(c)) } else { c.to_string() })
        .collect()
}
