//! What is decided of a result, and why.

use super::*;
use crate::fields::survey::ScoreRange;
use crate::file::instant::Instant;
use crate::offload::draft::File;

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };

/// Payloads of tests live as long as the tests.
fn decide(payload: &str, request: &request::Offload, settings: &Settings) -> Result<Assessment<'static>, Error> {
    super::decide(Box::leak(Box::new(Payload::of(Box::leak(payload.into())))), request, settings)
}

fn settings(threshold_tokens: u32) -> Settings {
    Settings { threshold_tokens, output_dir: "/out".into(), ..Settings::default() }
}

fn request(json: &str) -> request::Offload {
    request::Offload::parse(json).unwrap()
}

/// The lines after the header of the main file.
fn lines(draft: &Draft<'_>, place: usize) -> Vec<String> {
    draft.body(place).collect::<String>().lines().map(str::to_owned).collect()
}

fn file(draft: &Draft<'_>) -> File {
    let mut files = draft.at(INSTANT, &settings(0));
    files.files.swap_remove(files.main)
}

fn response(draft: &Draft<'_>) -> serde_json::Value {
    serde_json::from_str(&draft.at(INSTANT, &settings(0)).response).unwrap()
}

fn draft(payload: &str, json: &str) -> Box<Draft<'static>> {
    match decide(payload, &request(json), &settings(0)).unwrap().decision {
        Decision::Offload(draft) => draft,
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_than_the_threshold_is_offloaded_and_as_many_are_not() {
    // Two records of 8 and 9 characters: 17 / 4, rounded up, are 5 tokens.
    let payload = r#"[{"id":"a"}, {"id":"bc"}]"#;
    let rows = [(5, false), (6, false), (4, true), (0, true)];
    for (threshold, offloads) in rows {
        let settings = settings(threshold + 1);
        let decided = decide(payload, &request(r#"{"operation":"recall"}"#), &settings).unwrap();
        assert_eq!(decided.tokens, 6);
        assert_eq!(matches!(decided.decision, Decision::Offload(_)), offloads, "{threshold}");
    }
}

#[test]
fn a_threshold_in_characters_replaces_that_in_tokens() {
    // 21 characters are 6 tokens; a caller's own count of tokens does not decide.
    let payload = r#"[{"id":"é"}, {"id":"bc"}]"#;
    for (threshold, offloads) in [(21, false), (20, true), (0, true)] {
        let settings = Settings { threshold_characters: Some(threshold), ..settings(0) };
        let request = request(r#"{"operation":"recall","tokens":9}"#);
        let decided = decide(payload, &request, &settings).unwrap();
        assert_eq!(decided.tokens, 9);
        assert_eq!(matches!(decided.decision, Decision::Offload(_)), offloads, "{threshold}");
        assert_eq!(estimate(&Payload::of(payload), &request, &settings).unwrap(), 21);
    }
    let zero = Settings { threshold_characters: Some(0), ..settings(0) };
    let empty = decide("[]", &request(r#"{"operation":"recall"}"#), &zero).unwrap();
    assert!(matches!(empty.decision, Decision::Unchanged));
}

#[test]
fn an_estimate_is_what_the_decision_compares() {
    let csv = "id,name\n1,a\n2,b\n3,c\n4,d\n";
    let long = csv.to_owned() + &"5,e\n".repeat(40_000);
    let payloads = [
        csv,
        &long,
        "a=1 b=2\na=2 b=3\na=3 b=4\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n",
        "()",
        "[None, {'a': (1, 2)}]",
        "one\ntwo\n",
        "\u{feff}[1,2]",
        r#"[{"a":"\ud800"},{"a":[[]]} ]"#,
        r#"{"content":"id,name\n1,a\n2,b\n3,c\n4,d\n","more":1}"#,
        "```\nid,name\n1,a\n2,b\n3,c\n```",
    ];
    for payload in payloads {
        for json in [r#"{"operation":"x"}"#, r#"{"operation":"x","memories":true}"#] {
            let decided = decide(payload, &request(json), &settings(1_000_000)).unwrap();
            let estimated = estimate(&Payload::of(payload), &request(json), &settings(1_000_000)).unwrap();
            assert_eq!(estimated, decided.tokens, "{payload:.40}");
        }
    }
}

#[test]
fn inline_is_unchanged_projected_or_formatted() {
    let rows = [
        (r#"{"operation":"recall"}"#, None),
        (r#"{"operation":"recall","detail":"full"}"#, None),
        (r#"{"operation":"recall","detail":"light","already_projected":true}"#, None),
        (r#"{"operation":"inject","formatted":"text"}"#, Some("text")),
        (
            r#"{"operation":"recall","detail":"light"}"#,
            Some(r#"[{"id":"a","title":null,"namespace":null,"memory_type":null,"tags":[],"created":null}]"#),
        ),
    ];
    for (json, text) in rows {
        let decided = decide(r#"[ {"id":"a"} ]"#, &request(json), &settings(100)).unwrap();
        assert!(decided.events.is_empty());
        match (decided.decision, text) {
            (Decision::Unchanged, None) => {}
            (Decision::Inline(found), Some(text)) => assert_eq!(found, text),
            (decision, _) => panic!("{json}: {decision:?}"),
        }
    }
}

#[test]
fn nothing_happens_when_disabled_or_empty() {
    let disabled = Settings { enabled: false, ..settings(0) };
    let recall = request(r#"{"operation":"recall"}"#);
    for (payload, settings) in [("[1]", disabled), ("[]", settings(0)), (" \n", settings(0))] {
        let decided = decide(payload, &recall, &settings).unwrap();
        assert!(
            matches!(decided, Assessment { decision: Decision::Unchanged, tokens: 0, ref events } if events.is_empty()),
            "{payload}"
        );
    }
}

#[test]
fn memories_are_what_the_caller_calls_so() {
    let payload = r#"[{"memory":{"id": "a",  "n":1.10},"score":0.50}, {"memory":{"id":"b","n":1e3}}]"#;
    for operation in ["recall", "list", "inject", "search_memories", "vector_query"] {
        let request = format!(r#"{{"operation":"{operation}"}}"#);
        let records = lines(&draft(payload, &request), 0);
        assert_eq!(format!("[{}]", records.join(", ")), payload, "{operation}");
    }
    for caller in [r#""memories":true"#, r#""detail":"full""#, r#""detail":"light","already_projected":true"#] {
        let draft = draft(payload, &format!(r#"{{"operation":"recall",{caller}}}"#));
        assert_eq!(lines(&draft, 0), [r#"{"id": "a",  "n":1.10}"#, r#"{"id":"b","n":1e3}"#]);
        let response = response(&draft);
        assert_eq!(response["summary"]["score_range"], serde_json::json!([0.5, 0.5]));
        assert!(!response["line_schema"].to_string().contains("score"));
        let header = file(&draft).header_line;
        assert!(header.ends_with(r#""lro":{"taken":{"hits":true,"scores":["0.50",null]}}}"#), "{header}");
    }
    let refused = request::Offload::parse(r#"{"operation":"recall","detail":"full","memories":false}"#);
    assert!(refused.unwrap_err().message().contains("`memories` is false"));
}

#[test]
fn what_is_no_memory_keeps_its_score_and_has_roles() {
    let draft = draft(r#"[{"name":"x","score":3}]"#, r#"{"operation":"list_scores"}"#);
    assert_eq!(lines(&draft, 0), [r#"{"name":"x","score":3}"#]);
    let header = file(&draft).header_line;
    assert!(header.contains(r#""detail":"full","lro":{"kind":"records","roles":{"title":{"path":".name""#), "{header}");
}

#[test]
fn a_file_has_its_name_header_and_response() {
    let draft =
        draft(r#"{"id":"a","memory_type":"semantic"}"#, r#"{"operation":"recall_memories","query":"q","session":"s"}"#);
    let response = draft.at(INSTANT, &settings(0)).response;
    let file = file(&draft);
    let name = format!("atlatl-recall-{}.jsonl", INSTANT.ulid());
    assert_eq!(file.name.relative(), format!("s/{name}"));
    assert_eq!(file.public_path, format!("/out/s/{name}"));
    assert!(file.header_line.starts_with(r#"{"type":"lro_header","operation":"recall","query":"q","count":1,"#));
    assert!(response.starts_with(r#"{"offloaded":true,"summary":{"count":1,"#), "{response}");
}

#[test]
fn white_space_does_not_make_a_result_small() {
    let space = " ".repeat(4_100);
    let settings = Settings { max_inline_tokens: 1000, ..settings(500) };
    for payload in [space.clone(), format!("[1,{space}2]"), format!("[{space}]"), format!("{space}[]")] {
        let decided = decide(&payload, &request(r#"{"operation":"read"}"#), &settings).unwrap();
        assert!(matches!(decided.decision, Decision::Offload(_)), "{}", payload.trim());
        assert!(decided.tokens > 1000);
    }
}

#[test]
fn scores_must_be_as_many_as_records() {
    let error = decide("[1,2]", &request(r#"{"operation":"recall","scores":[1]}"#), &settings(0)).unwrap_err();
    assert!(error.message().contains("1 entries for 2 records"), "{error}");
    let scored = draft("[1,2]", r#"{"operation":"recall","scores":[0.5,null]}"#);
    assert_eq!(response(&scored)["summary"]["score_range"], serde_json::json!(ScoreRange(0.5, 0.5)));
}

#[test]
fn a_cursor_stops_memories_alone_and_is_data_elsewhere() {
    let payload = r#"{"memories":[{"id":"a"},{"id":"b"},{"id":"c"}],"next_cursor":"x"}"#;
    let memories = request(r#"{"operation":"recall","memories":true}"#);
    let decided = decide(payload, &memories, &settings(0)).unwrap();
    assert!(matches!(decided.decision, Decision::Unchanged));
    assert!(decided.events[1].message.contains("live cursor"));
    for operation in ["issues", "search_code", "list", "recall_memories"] {
        let issues = draft(payload, &format!(r#"{{"operation":"{operation}"}}"#));
        assert_eq!((lines(&issues, 0).len(), &response(&issues)["summary"]["partial"]), (3, &true.into()));
        assert_eq!(response(&issues)["inline"]["next_cursor"], "x");
    }
    let small = Settings { max_inline_tokens: 3, ..settings(0) };
    let decided = decide(payload, &memories, &small).unwrap();
    let Decision::Truncate(text) = decided.decision else { panic!("{decided:?}") };
    assert!(text.contains("it has a live cursor") && text.contains("ask the tool for less"), "{text}");
}

#[test]
fn a_callers_count_decides_and_scales_the_truncation() {
    let payload = r#"["aaaaaa","bbbbbb","cccccc","dddddd"]"#;
    let counted = request(r#"{"operation":"recall","tokens":16}"#);
    let decided = decide(payload, &counted, &settings(8)).unwrap();
    assert_eq!(decided.tokens, 16);
    let Decision::Offload(draft) = decided.decision else { panic!("{decided:?}") };
    let (text, event) = draft.truncated(&settings(8), "/out/x", "disk full");
    let results =
        r#""results":["aaaaaa","… [lro cut 2 of 4 records here, 16 bytes] …","dddddd"],"returned":2,"total":4}"#;
    assert!(text.ends_with(results), "{text}");
    assert_eq!(event.name, "OffloadWriteFailed");
}

#[test]
fn a_document_goes_to_a_file_for_each_list() {
    let payload =
        r#"{"total":9,"users":[{"name":"a"}],"issues":[{"title":"x","state":"open"},{"title":"y","state":"open"}]}"#;
    let draft = draft(payload, r#"{"operation":"report"}"#);
    let files = draft.at(INSTANT, &settings(0));
    assert_eq!((files.files.len(), files.main), (2, 1));
    assert_eq!(lines(&draft, 0), [r#"{"name":"a"}"#]);
    let response = response(&draft);
    assert_eq!(response["inline"], serde_json::json!({"total": 9}));
    assert_eq!(response["document"]["records"], ".issues");
    let sections: Vec<_> = response["sections"].as_array().unwrap().iter().map(|section| &section["records"]).collect();
    assert_eq!(sections, [".users", ".issues"]);
    assert_eq!(response["sections"][0]["file_path"], files.files[0].public_path.as_str());
    assert!(files.files[0].header_line.contains(r#""section":{"of":""#));
}

#[test]
fn text_goes_to_a_file_as_it_is() {
    let payload = "one\n\ntwo words";
    let draft = draft(payload, r#"{"operation":"read_log"}"#);
    assert_eq!(draft.body(0).collect::<String>(), payload);
    let file = file(&draft);
    assert!(file.name.name.ends_with(".txt") && file.header_line.contains(r#""count":3"#));
    let response = response(&draft);
    assert_eq!(response["preview"], serde_json::json!(["one", "", "two words"]));
    assert_eq!(response["summary"]["longest_line"], 9);
}

#[test]
fn a_list_that_is_not_there_is_told() {
    let decided = decide("[1,2]", &request(r#"{"operation":"x","records":".nothing"}"#), &settings(0)).unwrap();
    assert_eq!(decided.events[1].name, "RecordsNotFound");
}
