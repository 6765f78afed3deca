use super::*;
use crate::offload::{Decision, decide, payload_of};
use crate::settings::Settings;
use crate::settings::request;
use crate::settings::tokens::Tokenizer;

fn ends(passages: &[Passage<'_>], most: u32) -> Ends {
    Ends::of(passages, Budget::tokens(Tokenizer::Chars, most))
}

/// What the mode `truncate` makes of a result; `None` if it stays.
fn truncated(payload: &str, settings: &str) -> Option<String> {
    let settings = Settings { mode: crate::settings::Mode::Truncate, ..Settings::parse(settings).unwrap() };
    let request = request::Offload::parse(r#"{"operation":"list"}"#).unwrap();
    match decide(&payload_of(payload, &request), &request, &settings).unwrap().decision {
        Decision::Truncate(text) => Some(text),
        Decision::Unchanged => None,
        other => panic!("{other:?}"),
    }
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A list of records of about 50 bytes.
fn list(count: usize) -> String {
    let records: Vec<String> =
        (0..count).map(|id| format!(r#"{{"id": {id}, "title": "title {id} of some words", "n": 1.0}}"#)).collect();
    format!("[{}]", records.join(", "))
}

const SMALL_WINDOW: &str = r#"{"context_tokens":8192}"#;

#[test]
fn a_list_keeps_whole_records_of_both_ends_and_fits_the_window() {
    let payload = list(1000);
    let text = truncated(&payload, SMALL_WINDOW).unwrap();
    assert!(text.len() <= 8192 && text.len() > 8000, "{}", text.len());
    let value = parsed(&text);
    let results = value["results"].as_array().unwrap();
    let notice = results.iter().position(Value::is_string).unwrap();
    assert_eq!(results[0]["id"], 0);
    assert_eq!(results.last().unwrap()["id"], 999);
    let gone = 1000 - (results.len() - 1);
    assert!(results[notice].as_str().unwrap().starts_with(&format!("… [lro cut {gone} of 1000 records here, ")));
    assert_eq!((&value["returned"], &value["total"]), (&(results.len() - 1).into(), &1000.into()));
    assert!(notice > 2 * (results.len() - notice), "three quarters are head");
    assert!(text.contains(r#"{"id": 999, "title": "title 999 of some words", "n": 1.0}"#), "records keep their bytes");
    let warning = value["warning"].as_str().unwrap();
    assert!(warning.contains("gate per_output") && warning.ends_with(ADVICE), "{warning}");
}

#[test]
fn what_is_truncated_is_final() {
    for settings in
        [SMALL_WINDOW, r#"{"threshold_tokens":500}"#, r#"{"threshold_tokens":20}"#, r#"{"threshold_tokens":0}"#]
    {
        for payload in [
            list(1000),
            list(1),
            "a line of a log\n".repeat(2000),
            "x".repeat(9000),
            format!("[\"{}\"]", "y".repeat(9000)),
        ] {
            let Some(text) = truncated(&payload, settings) else {
                assert!(payload.len() < 400, "{settings}");
                continue;
            };
            assert_eq!(truncated(&text, settings), None, "{settings} {text:.200}");
            assert!(text.len() < payload.len());
        }
    }
    let long = format!(r#"{{"offloaded":false,"warning":"","results":[{}],"returned":1,"total":1}}"#, list(1000));
    assert!(truncated(&long, SMALL_WINDOW).is_some(), "who poses as truncated is cut");
}

#[test]
fn a_text_is_cut_at_the_ends_of_its_lines() {
    let payload: String = (0..3000).map(|n| format!("line {n} \"é\" of a log\n")).collect();
    let text = truncated(&payload, SMALL_WINDOW).unwrap();
    assert!(text.len() <= 8192, "{}", text.len());
    let value = parsed(&text);
    let lines = value["results"].as_array().unwrap();
    assert_eq!(lines[0], "line 0 \"é\" of a log");
    assert_eq!(lines.last().unwrap(), "line 2999 \"é\" of a log");
    assert!(lines.iter().any(|line| line.as_str().unwrap().starts_with("… [lro cut ")));
    assert_eq!((&value["returned"], &value["total"]), (&(lines.len() - 1).into(), &3000.into()));
}

#[test]
fn one_large_record_gives_its_head_and_tail() {
    let payload = format!(r#"[{{"id":1,"text":"{}","end":"z"}}]"#, "é".repeat(20_000));
    let text = truncated(&payload, SMALL_WINDOW).unwrap();
    assert!(text.len() <= 8192, "{}", text.len());
    let value = parsed(&text);
    let results = value["results"].as_array().unwrap();
    assert_eq!(results.len(), 3);
    assert!(results[0].as_str().unwrap().starts_with("{\"id\":1,\"text\":\"éé"));
    assert!(results[2].as_str().unwrap().ends_with("é\",\"end\":\"z\"}"));
    assert_eq!((&value["returned"], &value["total"]), (&0.into(), &1.into()));
}

#[test]
fn a_document_keeps_what_is_beside_its_list() {
    let payload = format!(r#"{{"total": 1.50, "users": [{{"name":"a"}}], "items": {}}}"#, list(1000));
    let text = truncated(&payload, SMALL_WINDOW).unwrap();
    assert!(text.len() <= 8192 && text.contains(r#""inline":{"total":1.50"#), "{text:.400}");
    assert!(parsed(&text)["warning"].as_str().unwrap().contains(" of 1000 of .items"));
    let bulky = format!(r#"{{"note": "{}", "items": {}}}"#, "n".repeat(6000), list(1000));
    let text = truncated(&bulky, SMALL_WINDOW).unwrap();
    assert!(text.len() <= 8192 && text.contains("without the rest of the document"), "{text:.900}");
}

#[test]
fn members_with_long_keys_do_not_push_each_other_out() {
    let member = |n: usize| format!(r#""{}{n}":"{}""#, "k".repeat(60), "v".repeat(200));
    let members: Vec<String> = (0..18).map(member).collect();
    let cursor = format!("\"{}\"", "c".repeat(498));
    let payload = format!(r#"{{{},"next_cursor":{cursor},"items": {}}}"#, members.join(","), list(1000));
    let text = truncated(&payload, SMALL_WINDOW).unwrap();
    let inline = parsed(&text)["inline"].to_string();
    assert!(text.len() <= 8192 && inline.contains("…\"") && inline.contains("next_cursor"), "{text:.600}");
}

#[test]
fn a_table_is_truncated_as_the_text_that_it_is() {
    let payload = "id,name\n".to_owned() + &(0..3000).map(|n| format!("{n},name {n}\n")).collect::<String>();
    let value = parsed(&truncated(&payload, SMALL_WINDOW).unwrap());
    assert_eq!((&value["results"][0], &value["total"]), (&"id,name".into(), &3001.into()));
}

#[test]
fn a_failed_write_keeps_both_ends_of_the_records() {
    let settings = Settings { threshold_tokens: 9, ..Settings::default() };
    let request = request::Offload::parse(r#"{"operation":"list"}"#).unwrap();
    let answer = |payload: &str| match decide(&payload_of(payload, &request), &request, &settings).unwrap().decision {
        Decision::Offload(draft) => parsed(&draft.truncated(&settings, "/out/x", "no space left").0),
        other => panic!("{other:?}"),
    };
    let value = answer(r#"[{"id": 1.0},{"id": 2.0},{"id": 3.0},{"id": 4.0}]"#);
    assert_eq!(value["offloaded"], false);
    assert_eq!(value["warning"], "Offloading failed (no space left); the results are truncated to 3 of 4.");
    assert_eq!((&value["returned"], &value["total"]), (&3.into(), &4.into()));
    assert_eq!(value["results"][2], "… [lro cut 1 of 4 records here, 11 bytes] …");
    let document = format!(r#"{{"{}":[{}1]}}"#, "k".repeat(100_000), "1,".repeat(99_999));
    assert!(answer(&document)["warning"].as_str().unwrap().len() < 600);
}

#[test]
fn what_is_beside_a_list_counts_and_nothing_is_cut_without_need() {
    let settings = |threshold_tokens| Settings { threshold_tokens, tokenizer: Tokenizer::Chars, ..Settings::default() };
    let request = request::Offload::parse(r#"{"operation":"list"}"#).unwrap();
    let payload = format!(r#"{{"note":"{}","items":{}}}"#, "n".repeat(90), list(100));
    let payload = payload_of(&payload, &request);
    let Decision::Offload(draft) = decide(&payload, &request, &settings(9)).unwrap().decision else { panic!() };
    let answer = |threshold| parsed(&draft.truncated(&settings(threshold), "/out/x", "full").0);
    let value = answer(200);
    let records: Vec<&Value> = value["results"].as_array().unwrap().iter().filter(|item| item.is_object()).collect();
    assert_eq!(value["inline"]["note"].as_str().map(str::len), Some(90));
    // A token has four characters: a quarter of a hundred for the note, and some twelve for each record.
    assert!((10..=14).contains(&records.len()), "{}", records.len());
    let whole = answer(9000);
    assert_eq!((whole["results"].as_array().unwrap().len(), &whole["returned"]), (100, &100.into()));
}

#[test]
fn a_map_is_truncated_as_its_records() {
    let members: Vec<String> = (0..1000).map(|n| format!(r#""k{n}":{{"id":{n},"name":"name {n}"}}"#)).collect();
    let value = parsed(&truncated(&format!("{{{}}}", members.join(",")), SMALL_WINDOW).unwrap());
    assert_eq!((&value["results"][0]["key"], &value["total"]), (&"k0".into(), &1000.into()));
}

#[test]
fn a_reason_of_others_is_cut() {
    assert!(failed(&"r".repeat(1_000_000)).len() < 400);
}

#[test]
fn the_ends_of_a_text_fit_the_budget() {
    let text: String = (0..1000).map(|n| format!("{n:04}")).collect();
    let ends = ends(&[Passage::Plain(&text)], 8);
    assert_eq!((ends.head.as_str(), ends.tail.as_str()), ("000000010002000300040005", "09980999"));
    assert_eq!(ends.notice(), "… [lro cut 3968 of 4000 bytes here] …");
    let answer = render_ends(&ends, 1, &failed("too slow"), None);
    let value = parsed(&answer);
    assert_eq!(value["results"], serde_json::json!([ends.head, ends.notice(), ends.tail]));
    assert!(
        value["warning"]
            .as_str()
            .unwrap()
            .starts_with("Offloading failed (too slow); the result is truncated: of 4000 bytes")
    );
}

#[test]
fn ends_are_at_line_ends_where_little_is_lost() {
    let text = "0123456789\n".repeat(1000);
    let found = ends(&[Passage::Plain(&text)], 80);
    assert!(found.head.ends_with("9\n") && found.head.len() > 200, "{found:?}");
    assert!(found.tail.starts_with('0') && found.tail.len() > 60, "{found:?}");
}

#[test]
fn passages_follow_each_other() {
    let passages = [Passage::Plain("ab"), Passage::Literal(r#""c\"d""#), Passage::Plain("ef")];
    let ends = ends(&passages, 4);
    assert_eq!((ends.head.as_str(), ends.tail.as_str()), ("abc\"def", "def"));
}

#[test]
fn escapes_are_not_torn() {
    let literal = format!("\"{}\"", r"\u00e9\\\n😀\ud800".repeat(200));
    for budget in 1..60 {
        let ends = ends(&[Passage::Literal(&literal)], budget);
        for text in [&ends.head, &ends.tail] {
            assert!(text.chars().all(|c| "é\\\n😀\u{fffd}0123456789abcdefu".contains(c)), "{text}");
        }
        assert!(ends.head.starts_with("é\\\n😀"[..].get(..2).unwrap_or_default()) || ends.head.is_empty());
    }
}

#[test]
fn no_cluster_is_torn_at_any_budget() {
    let family = "👩\u{200d}👩\u{200d}👧";
    for most in 1..200 {
        let text = family.repeat(400);
        let ends = Ends::of(&[Passage::Plain(&text)], Budget::tokens(Tokenizer::Chars, most));
        assert!(
            ends.head.len().is_multiple_of(family.len()) && ends.tail.len().is_multiple_of(family.len()),
            "{most}: {ends:?}"
        );
        let flags = "🇩🇪".repeat(2000);
        let ends = Ends::of(&[Passage::Plain(&flags)], Budget::tokens(Tokenizer::Chars, most));
        assert!(ends.head.len().is_multiple_of(8) && ends.tail.len().is_multiple_of(8), "{most}: {ends:?}");
    }
}

#[test]
fn control_characters_cost_what_they_are_written_with() {
    let text = "\u{1}".repeat(1000);
    let ends = ends(&[Passage::Plain(&text)], 12);
    assert_eq!((ends.head.len(), ends.tail.len()), (6, 2));
}

#[test]
fn only_a_truncated_answer_is_one() {
    let answer = r#"{"offloaded":false,"warning":"w","results":[],"returned":0,"total":0}"#;
    let rows = [
        (answer.to_owned(), true),
        (format!(" {answer}\n"), true),
        (answer.replace("\"results\"", "\"inline\":{},\"results\""), true),
        (answer.replace("\"w\"", "1"), false),
        (answer.replace("\"total\":0", "\"total\":"), false),
        (answer.replace("\"total\"", "\"more\""), false),
    ];
    for (text, expected) in rows {
        assert_eq!(is_answer(&text), expected, "{text}");
    }
}
