//! Thirty questions that a model asks of its memories, each answered by one call without jq, against the same computed in
//! Rust (EXTRACT-23). The first is the specification's open frontier.

use std::collections::BTreeMap;

use lro::{Lro, OffloadRequest, Options, Outcome, Source};
use lro_tests::corpus;
use serde_json::{Value, json};

const RECORDS: usize = 2000;

/// A question: its words, the request, and what Rust makes of all records.
type Question = (&'static str, Value, fn(&[Value]) -> Vec<Value>);

fn text<'a>(record: &'a Value, field: &str) -> &'a str {
    record[field].as_str().unwrap_or_default()
}

fn mentions(record: &Value, field: &str, word: &str) -> bool {
    text(record, field).to_lowercase().contains(&word.to_lowercase())
}

fn confidence(record: &Value) -> f64 {
    record["provenance"]["confidence"].as_f64().unwrap_or(-1.0)
}

fn tagged(record: &Value, tag: &str) -> bool {
    record["tags"].as_array().is_some_and(|tags| tags.iter().any(|other| other == tag))
}

fn count(records: &[Value], fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    vec![records.iter().filter(|record| fits(record)).count().into()]
}

/// One field of the records that fit, in their order.
fn field(records: &[Value], name: &str, fits: impl Fn(&Value) -> bool) -> Vec<Value> {
    records.iter().filter(|record| fits(record)).map(|record| json!({name: record[name]})).collect()
}

/// Values with their counts, the most first, then by value; null is before every text.
fn groups(name: &str, values: impl Iterator<Item = Option<String>>) -> Vec<Value> {
    let mut counts: BTreeMap<Option<String>, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().map(|(value, count)| json!({name: value, "count": count})).collect()
}

fn owned(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The first few ids in the order of a key.
fn first_ids<K: PartialOrd>(records: &[Value], most: usize, key: impl Fn(&Value) -> Option<K>) -> Vec<Value> {
    let mut keyed: Vec<(K, &Value)> = records.iter().filter_map(|record| Some((key(record)?, record))).collect();
    keyed.sort_by(|(a, _), (b, _)| a.partial_cmp(b).expect("keys are comparable"));
    keyed.into_iter().take(most).map(|(_, record)| json!({"id": record["id"]})).collect()
}

fn questions() -> Vec<Question> {
    vec![
        (
            "How many memories in namespace X have a confidence of at least Y and mention product Z in their content?",
            json!({"where": ["namespace=_semantic/knowledge", "provenance.confidence>=0.8", "content~=postgres"], "count": true}),
            |all| {
                count(all, |r| {
                    r["namespace"] == "_semantic/knowledge"
                        && confidence(r) >= 0.8
                        && mentions(r, "content", "postgres")
                })
            },
        ),
        ("How many memories are there?", json!({"count": true}), |all| vec![all.len().into()]),
        ("How many are semantic?", json!({"where": ["memory_type=semantic"], "count": true}), |all| {
            count(all, |r| r["memory_type"] == "semantic")
        }),
        ("How many are anything but semantic?", json!({"where": ["memory_type!=semantic"], "count": true}), |all| {
            count(all, |r| r["memory_type"] != "semantic")
        }),
        ("Which titles mention the cache?", json!({"where": ["title~=cache"], "select": ["title"]}), |all| {
            field(all, "title", |r| mentions(r, "title", "cache"))
        }),
        ("What is tagged `database`?", json!({"where": ["tags=database"], "select": ["id"]}), |all| {
            field(all, "id", |r| tagged(r, "database"))
        }),
        (
            "What is tagged `database` and `cache`?",
            json!({"where": ["tags=database", "tags=cache"], "select": ["id"]}),
            |all| field(all, "id", |r| tagged(r, "database") && tagged(r, "cache")),
        ),
        ("How many are not tagged `cache`?", json!({"where": ["tags!=cache"], "count": true}), |all| {
            count(all, |r| !tagged(r, "cache"))
        }),
        ("How many have no title?", json!({"where": ["!title"], "count": true}), |all| {
            count(all, |r| r["title"].is_null())
        }),
        (
            "How many have a namespace?",
            json!({"where": [{"field": "namespace", "op": "exists"}], "count": true}),
            |all| count(all, |r| !r["namespace"].is_null()),
        ),
        ("Which are from February on?", json!({"where": ["created>=2026-02"], "select": ["id"]}), |all| {
            field(all, "id", |r| text(r, "created") >= "2026-02")
        }),
        (
            "How many are from the second week of January?",
            json!({"where": ["created>=2026-01-08", "created<2026-01-15"], "count": true}),
            |all| count(all, |r| ("2026-01-08".."2026-01-15").contains(&text(r, "created"))),
        ),
        (
            "Which were modified after they had been enriched, in March?",
            json!({"where": ["modified^=2026-03", "entities"], "select": ["id"]}),
            |all| field(all, "id", |r| text(r, "modified").starts_with("2026-03") && !r["entities"].is_null()),
        ),
        (
            "How many namespaces below `_semantic` have which number of memories?",
            json!({"where": ["namespace^=_semantic/"], "group_by": "namespace"}),
            |all| {
                groups(
                    "namespace",
                    all.iter()
                        .filter(|r| text(r, "namespace").starts_with("_semantic/"))
                        .map(|r| owned(&r["namespace"])),
                )
            },
        ),
        ("How many of each type?", json!({"group_by": "memory_type"}), |all| {
            groups("memory_type", all.iter().map(|r| owned(&r["memory_type"])))
        }),
        ("Which tags are used most?", json!({"where": ["tags"], "group_by": "tags"}), |all| {
            let tags = all.iter().filter_map(|r| r["tags"].as_array()).flatten().map(owned);
            groups("tags", tags)
        }),
        (
            "Which agents wrote with a confidence above 0.9?",
            json!({"where": ["provenance.confidence>0.9"], "group_by": "provenance.agent"}),
            |all| {
                groups(
                    "provenance.agent",
                    all.iter().filter(|r| confidence(r) > 0.9).map(|r| owned(&r["provenance"]["agent"])),
                )
            },
        ),
        (
            "Of which type are the memories that mention a timeout?",
            json!({"where": ["content~=timeout"], "group_by": "memory_type"}),
            |all| {
                groups(
                    "memory_type",
                    all.iter().filter(|r| mentions(r, "content", "timeout")).map(|r| owned(&r["memory_type"])),
                )
            },
        ),
        (
            "What are the five surest memories?",
            json!({"sort_by": "-provenance.confidence", "select": ["provenance.confidence"], "limit": 5}),
            |all| {
                let mut sure: Vec<f64> = all.iter().map(confidence).collect();
                sure.sort_by(|a, b| b.total_cmp(a));
                sure.into_iter().take(5).map(|confidence| json!({"provenance.confidence": confidence})).collect()
            },
        ),
        ("What are the ten oldest?", json!({"sort_by": "created", "select": ["id"], "limit": 10}), |all| {
            first_ids(all, 10, |r| Some(text(r, "created").to_owned()))
        }),
        (
            "What are the three oldest incidents?",
            json!({"where": ["namespace=_episodic/incidents"], "sort_by": "created", "select": ["id"], "limit": 3}),
            |all| {
                first_ids(all, 3, |r| (r["namespace"] == "_episodic/incidents").then(|| text(r, "created").to_owned()))
            },
        ),
        (
            "Which were modified first, of those that were?",
            json!({"sort_by": "modified", "select": ["id"], "limit": 4}),
            |all| first_ids(all, 4, |r| owned(&r["modified"])),
        ),
        (
            "Which runbooks mention a rollback?",
            json!({"where": ["namespace in _procedural/runbooks,_procedural/patterns", "content~=rollback"], "select": ["id"]}),
            |all| {
                let places = ["_procedural/runbooks", "_procedural/patterns"];
                field(all, "id", |r| places.contains(&text(r, "namespace")) && mentions(r, "content", "rollback"))
            },
        ),
        (
            "Which titles begin with `cache` or `retry`?",
            json!({"where": ["title=~^(cache|retry)\\b"], "select": ["title"]}),
            |all| {
                field(all, "title", |r| {
                    let first = text(r, "title").split(' ').next().unwrap_or_default().to_lowercase();
                    first == "cache" || first == "retry"
                })
            },
        ),
        (
            "How many mention knowledge management in Japanese?",
            json!({"where": ["content~=知識の管理"], "count": true}),
            |all| count(all, |r| mentions(r, "content", "知識の管理")),
        ),
        (
            "How many hold a text that is hostile to shells?",
            json!({"where": [{"field": "content", "op": "contains", "value": "$(touch x)"}], "count": true}),
            |all| count(all, |r| text(r, "content").contains("$(touch x)")),
        ),
        (
            "Which relate to memory 0?",
            json!({"where": ["relationships.target=urn:mif:memory:00000000"], "select": ["id"]}),
            |all| {
                field(all, "id", |r| {
                    r["relationships"]
                        .as_array()
                        .is_some_and(|all| all.iter().any(|one| one["target"] == "urn:mif:memory:00000000"))
                })
            },
        ),
        (
            "What are the entities of the memories by people that mention a migration?",
            json!({"where": ["provenance.agent=human", "content~=migration", "entities"], "select": ["id", "entities.name"]}),
            |all| {
                let fits = |r: &&Value| {
                    r["provenance"]["agent"] == "human"
                        && mentions(r, "content", "migration")
                        && !r["entities"].is_null()
                };
                let names = |r: &Value| {
                    r["entities"].as_array().into_iter().flatten().map(|one| one["name"].clone()).collect::<Vec<_>>()
                };
                all.iter().filter(fits).map(|r| json!({"id": r["id"], "entities.name": names(r)})).collect()
            },
        ),
        ("Which one is memory 1234?", json!({"where": ["id=urn:mif:memory:00001234"]}), |all| vec![all[1234].clone()]),
        (
            "How many are sure, tagged, titled, recent, and of people?",
            json!({"where": ["provenance.confidence>=0.5", "tags", "title", "created>2026-01-15", "provenance.agent=human"], "count": true}),
            |all| {
                count(all, |r| {
                    confidence(r) >= 0.5
                        && r["tags"].as_array().is_some_and(|tags| !tags.is_empty())
                        && !r["title"].is_null()
                        && text(r, "created") > "2026-01-15"
                        // A date stands for its whole day.
                        && !text(r, "created").starts_with("2026-01-15")
                        && r["provenance"]["agent"] == "human"
                })
            },
        ),
    ]
}

#[test]
fn every_question_is_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let lro = Lro::open(&Options::of(folder.path())).unwrap();
    let corpus = corpus::synthetic(1, RECORDS);
    let answer = lro.offload(&corpus, &OffloadRequest::of("recall")).unwrap();
    let Outcome::Offloaded(stored) = answer.outcome else { panic!("it is too small") };
    let records: Vec<Value> = serde_json::from_str(&corpus).unwrap();

    let questions = questions();
    assert!(questions.len() >= 30, "only {} questions are asked", questions.len());
    for (question, request, compute) in questions {
        let request = request.as_object().unwrap().clone();
        let page = lro.extract(&Source::File(stored.file_name.clone()), &request.into()).unwrap();
        let found: Vec<Value> = page.results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let expected = compute(&records);
        assert!(!expected.is_empty() && expected != [json!(0)], "nothing answers: {question}");
        assert_eq!(found, expected, "{question}");
        // A record counts for each of its tags.
        let remarks = usize::from(question == "Which tags are used most?");
        assert_eq!((page.failed, page.remarks.len()), (0, remarks), "{question}");
    }
}
