use serde_json::{Value, json};

use crate::extract::run::extract_from;
use crate::settings::Settings;
use crate::settings::request::Extract;

/// The results of a request on records with these values of `a b`, and the remarks on it.
fn answer(texts: &[&str], request: &Value) -> (String, Vec<String>) {
    let records: Vec<Value> = texts.iter().map(|text| json!({"a b": text})).collect();
    answer_of(&records, request)
}

/// The results of a request on records, and the remarks on it.
fn answer_of(records: &[Value], request: &Value) -> (String, Vec<String>) {
    let header = r#"{"type":"lro_header","operation":"x","query":null,"count":COUNT,"schema_version":"1.0.0","timestamp":"","estimated_tokens":9,"detail":"full","lro":{"kind":"records"}}"#;
    let header = header.replace("COUNT", &records.len().to_string());
    let records: String = records.iter().map(|record| format!("{record}\n")).collect();
    let file = format!("{header}\n{records}");
    let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
    let asked = Extract::parse(&request.to_string()).unwrap();
    let page = extract_from("file", open, &asked, &Settings::default(), "").unwrap();
    assert_eq!((page.failed, page.is_piece), (0, false));
    (String::from_utf8(page.text).unwrap(), page.remarks)
}

/// What stands between a phrase and the last backtick before another one.
fn quoted<'r>(remark: &'r str, phrase: &str, end: &str) -> &'r str {
    let rest = remark.split_once(phrase).unwrap_or_else(|| panic!("no {phrase:?} in {remark}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} in {remark}")).0
}

#[test]
fn an_order_of_letters_is_told_with_the_one_that_was_meant() {
    // In their order, and what the greatest is compared with.
    let rows: [&[&str]; 34] = [
        &["9", "10"],
        &["9 km", "10 km"],
        &["9.5°C", "21°C"],
        &["7 req/s", "130 req/s"],
        &["96K", "1.2M", "35M"],
        &["900 kB", "2 MB", "3 GB"],
        &["700Mi", "3Gi"],
        &["6%", "99%", "100%"],
        &["12ms", "3.5s", "2m", "9d"],
        &["45s", "2m30s", "10m", "3h"],
        &["9:30", "10:05"],
        &["1.9.0", "1.10.0"],
        &["3", "14 (5m ago)", "60"],
        &["9.9", "10.1-2", "1:2.3", "1:2.10-1"],
        &["590-2", "1:1.2.3", "2:1.2.3p4"],
        &["2 minutes ago", "45 minutes ago", "About an hour ago", "9 hours ago", "3 days ago"],
        &["9.1.1.1", "10.1.1.1"],
        &["v1.9.0", "v1.10.0-rc1"],
        &["800", "1,200"],
        &["8,00", "599,50", "1.234,50"],
        &["$90", "$1,200"],
        &["90 €", "1,200 €"],
        &["17", "985", "1 017"],
        &["985", "1\u{a0}017", "12345"],
        &["800,5", "1\u{202f}017,25"],
        &["90 €", "1 200 €"],
        &["Jun 12 1998", "Jan 1 2008"],
        &["Jun 12 1998", "Jun 13 1998", "Jan 1 2008"],
        &["May 12 1998", "May 1 2008"],
        &["12 June 1998", "1 January 2008"],
        &["25/11/2025", "13/01/2026"],
        &["11/25/2025", "01/13/2026"],
        &["24.12.2025", "01.02.2026"],
        &["2026-11-26T01:30:00+02:00", "2026-11-25T20:30:00-05:00"],
    ];
    for texts in rows {
        let (first, last) = (texts[0], texts[texts.len() - 1]);
        let reversed: Vec<&str> = texts.iter().rev().copied().collect();
        let (_, remarks) = answer(&reversed, &json!({"sort_by": "a b"}));
        let filter = quoted(&remarks[0], "run the query `", "` with");
        assert!(filter.len() < 240, "{filter}");
        let (sorted, _) = answer(&reversed, &json!({"query": filter, "slurp": true}));
        let expected: String = texts.iter().map(|text| json!({"a b": text}).to_string() + "\n").collect();
        assert_eq!(sorted, expected, "{filter}");

        let (_, remarks) = answer(texts, &json!({"where": [{"field": "a b", "op": "gt", "value": first}]}));
        if let Some(remark) = remarks.first() {
            let query = quoted(remark, "run the query `", "`");
            let (found, _) = answer(texts, &json!({"query": format!("{query} | .[\"a b\"]")}));
            let expected: String = texts[1..].iter().map(|text| format!("{}\n", json!(text))).collect();
            assert_eq!(found, expected, "{query}");
        }
        assert!(!remarks.is_empty() || first < texts[1], "{texts:?}");

        let (_, remarks) = answer(texts, &json!({"aggregate": ["max(a b)"]}));
        let query = quoted(&remarks[0], "run the query `", "` with");
        assert_eq!(answer(texts, &json!({"query": query, "slurp": true})).0, format!("{}\n", json!(last)), "{query}");
    }
}

#[test]
fn an_order_of_letters_that_is_the_right_one_is_not_told() {
    let rows: [(&[&str], &str, &str); 7] = [
        (&["1.85.0", "1.95.0", "1.70"], "ge", "1.85"),
        (&["2026-01-01", "2026-02-01"], "ge", "2026-01-15"),
        (&["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"], "ge", "2026-01-15"),
        (&["10", "20"], "gt", "15"),
        (&["2M", "3M"], "gt", "1M"),
        (&["item 9", "item 10"], "gt", "item 1"),
        (&["09:30", "10:05"], "gt", "09:00"),
    ];
    for (texts, op, value) in rows {
        let (_, remarks) = answer(texts, &json!({"where": [{"field": "a b", "op": op, "value": value}]}));
        assert_eq!(remarks, [""; 0], "{texts:?}");
        assert_eq!(answer(texts, &json!({"sort_by": "a b"})).1, [""; 0], "{texts:?}");
    }
}

#[test]
fn dates_that_can_be_read_in_two_ways_are_only_told() {
    let (_, remarks) = answer(&["02/01/2025", "01/02/2026"], &json!({"sort_by": "a b"}));
    assert_eq!(remarks, ["the records are sorted letter by letter: `.\"a b\"` has dates like \"01/02/2026\""]);
}

#[test]
fn what_does_not_compare_is_only_told() {
    let (_, remarks) = answer(&["90 EUR", "1,200 USD"], &json!({"where": ["a b>100 EUR"]}));
    assert_eq!(remarks, ["`a b>100 EUR` compares letter by letter: `a b` has numbers like \"1,200 USD\""]);
    let (_, remarks) = answer(&["12ms", "9s"], &json!({"where": ["a b>5"]}));
    assert_eq!(
        remarks,
        ["`a b>5` compares letter by letter: `a b` has durations like \"12ms\"; run the query `select((.\"a b\" | \
          capture(\"(?<n>[0-9.]+) *(?<u>[a-zµ]+)\") | (.n | tonumber) * {ms: 0.001, s: 1}[.u])? > 5)`, which counts \
          seconds"]
    );
}

#[test]
fn a_recipe_that_sorts_is_told_as_well() {
    let header = r#"{"type":"lro_header","operation":"x","query":null,"count":2,"schema_version":"1.0.0","timestamp":"","estimated_tokens":9,"detail":"full","lro":{"kind":"records","roles":{"time":{"path":".d"}}}}"#;
    let file = format!("{header}\n{{\"d\":\"25/11/2025\"}}\n{{\"d\":\"03/01/2026\"}}\n");
    let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
    let asked = Extract::parse(r#"{"recipe": 8}"#).unwrap();
    let page = extract_from("file", open, &asked, &Settings::default(), "").unwrap();
    assert_eq!(
        page.remarks,
        ["the records are sorted letter by letter: `.d` has dates like \"25/11/2025\"; run the query \
          `sort_by((.d | strptime(\"%d/%m/%Y\") | strftime(\"%F\"))?) | .[]` with `slurp`"]
    );
}

#[test]
fn a_date_with_a_slip_does_not_hide_the_format() {
    let texts = ["Jan 32 2001", "Jun 12 1998", "Jan 01 2008", "Mar 03 2005"];
    let (_, remarks) = answer(&texts, &json!({"sort_by": "a b"}));
    assert!(remarks[0].contains("strptime(\"%b %d %Y\")"), "{remarks:?}");
}

#[test]
fn dates_of_another_notation_are_compared_in_jq() {
    let texts = ["Jun 12 1998", "Jan 01 2008", "Mar 03 2005"];
    let (_, remarks) = answer(&texts, &json!({"where": ["a b>=2005-01-01"]}));
    let query = quoted(&remarks[0], "run the query `", "`");
    let (found, _) = answer(&texts, &json!({"query": format!("{query} | .[\"a b\"]")}));
    assert_eq!(found, "\"Jan 01 2008\"\n\"Mar 03 2005\"\n");
}

#[test]
fn a_query_finds_what_a_condition_means() {
    // Values of `a`, the condition, and how many meet what it means.
    let rows = [
        (json!(["3", "14 (5m ago)", "60", "7"]), "a>12", 2),
        (json!([3, "14 (5m ago)", 60, "7"]), "a>6", 3),
        (json!(["7", "N/A", "10", "60", null]), "a<50", 2),
        (json!(["1.0", "1.9", "1.20", "1.29"]), "version<1.10", 2),
        (json!(["1.0", "1.9", "1.20", "1.29"]), "Version>=1.9", 3),
        (json!(["1:2.3.1-1", "2.3.1", "1.10-2", "0.9"]), "a>=1.9", 3),
        (json!(["9 hours ago", "3 days ago", "4 weeks ago"]), "a>10 hours ago", 2),
        (json!(["2026-11-27T07:00:00Z", "2026-11-27T04:00:00Z"]), "a>=2026-11-27T10:00:00+05:00", 1),
        (json!(["2026-11-27T10:30:00+08:00", "2026-11-27T06:00:00Z"]), "a>=2026-11-27T10:00:00+05:00", 1),
        (json!(["2026-11-27 08:00:00+05:00", "2026-11-27 06:00:00Z"]), "a>=2026-11-27 10:00:00+05:00", 1),
        (json!([["5K", "20M"], ["900K", "6K"], []]), "a>1M", 1),
        (json!([[{"b": "5K"}, {"b": "20M"}], [{"b": "900K"}, {"b": 6}], null]), "a.b>1M", 1),
    ];
    for (values, condition, expected) in rows {
        let key = condition.split(['<', '>', '.']).next().unwrap();
        let records: Vec<Value> = values.as_array().unwrap().iter().map(|value| json!({key: value})).collect();
        let (_, remarks) = answer_of(&records, &json!({"where": [condition]}));
        let query = quoted(remarks.first().unwrap_or_else(|| panic!("no remark on {condition}")), "the query `", "`");
        let (found, _) = answer_of(&records, &json!({"query": query, "count": true}));
        assert_eq!(found, format!("{expected}\n"), "{condition}: {query}");
    }
}

#[test]
fn a_query_that_would_leave_records_out_is_not_offered() {
    let rows = [
        (json!(["9", "10", "x7"]), "a>8", "texts like \"10\""),
        (json!([["5K", "20M"], "900K"]), "a>1M", "sizes like \"20M\""),
    ];
    for (values, condition, has) in rows {
        let records: Vec<Value> = values.as_array().unwrap().iter().map(|value| json!({"a": value})).collect();
        let (_, remarks) = answer_of(&records, &json!({"where": [condition]}));
        assert_eq!(remarks, [format!("`{condition}` compares letter by letter: `a` has {has}")]);
    }
}

#[test]
fn digits_in_groups_are_not_read_by_their_first_word() {
    let said = |texts: &[&str]| answer(texts, &json!({"sort_by": "-a b"})).1.concat();
    // A number with words behind it, commas beside points, and groups of fewer than three digits: no query is proposed.
    for texts in [["985", "1 017", "3 100 (2h ago)"], ["985", "1 017,5", "2 017.5"], ["9", "10 2", "9 (1h ago)"]] {
        let said = said(&texts);
        assert!(!said.contains("run the query"), "{said}");
    }
}
