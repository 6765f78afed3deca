use serde_json::{Value, json};

use crate::extract::run::extract_from;
use crate::settings::Settings;
use crate::settings::request::Extract;

/// The remarks on a request on lines of a kind.
fn remarks(kind: &str, lines: &[String], request: &Value) -> Vec<String> {
    remarks_on(&file(json!({"kind": kind}), lines), request)
}

/// A file of lines, with what its header says of their kind and their fields.
fn file(lro: Value, lines: &[String]) -> String {
    let header = json!({
        "type": "lro_header", "operation": "x", "query": null, "count": lines.len(), "schema_version": "1.0.0",
        "timestamp": "", "estimated_tokens": 9, "detail": "full", "lro": lro
    });
    format!("{header}\n{}\n", lines.join("\n"))
}

fn remarks_on(file: &str, request: &Value) -> Vec<String> {
    let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
    let asked = Extract::parse(&request.to_string()).unwrap();
    extract_from("file", open, &asked, &Settings::default(), "").unwrap().remarks
}

#[test]
fn a_single_condition_was_asked_of_all_lines() {
    let lines: Vec<String> = (0..2100).map(|n| format!("line {n}")).collect();
    let rows = [
        (json!(["line~=x"]), "`line~=x` matches no line (this remark looked at the first 2000)"),
        (json!(["line~=x", "line~=7"]), "`line~=x` matches none of the first 2000 lines"),
    ];
    for (conditions, expected) in rows {
        assert_eq!(remarks("text", &lines, &json!({"where": conditions})), [expected]);
    }
}

#[test]
fn a_recipe_that_sorts_by_numbers_is_not_told_of_dates() {
    let time = |n: u32| format!("{:02}/{}/2026:10:00:00 +0000", n + 1, if n.is_multiple_of(2) { "Mar" } else { "Feb" });
    let line = |n: u32| json!({"time": time(n), "time_ms": n}).to_string();
    let roles = json!({"time": {"path": ".time"}, "number": {"path": ".time_ms"}});
    let file = file(json!({"kind": "records", "roles": roles}), &(0..9).map(line).collect::<Vec<_>>());
    assert_eq!(remarks_on(&file, &json!({"recipe": 9})), Vec::<String>::new());
    let said = remarks_on(&file, &json!({"recipe": 8}));
    assert!(said[0].starts_with("the records are sorted letter by letter: `.time` has dates like "), "{said:?}");
}

#[test]
fn an_exact_text_before_a_line_end_is_escaped() {
    let lines = ["GET /a.b (1)\r", "GET /axb 11\r"].map(str::to_owned);
    let said = |condition: &str| remarks("text", &lines, &json!({"where": [condition]}));
    let expected = r"lines end with a carriage return; write `line=~/a\.b \(1\)\r?$` (1)";
    assert_eq!(said("line~=/a.b (1)$"), [format!("`line~=/a.b (1)$` matches no line: {expected}")]);
    let expected = r"lines end with a carriage return; write `line=~a.b.+1\r?$` (1)";
    assert_eq!(said("line=~a.b.+1$"), [format!("`line=~a.b.+1$` matches no line: {expected}")]);
}

#[test]
fn groups_of_objects_are_said_to_be_objects() {
    let lines = [json!({"a": {"b": 1}}).to_string(), json!({"c": 1}).to_string()];
    let said = remarks("records", &lines, &json!({"group_by": "a"}));
    assert_eq!(said, ["the group null counts the records without a value at `.a`; others have objects"]);
}

#[test]
fn a_few_of_many_fields_are_named() {
    let lines: Vec<String> = (0..9).map(|n| json!({format!("a{n}"): {"id": n}, "x": 1}).to_string()).collect();
    let said = remarks("records", &lines, &json!({"where": ["id=77"]}));
    assert_eq!(said, ["no record has `.id`: did you mean `.a0.id`, `.a1.id`, `.a2.id` or `.a3.id`?"]);
}

#[test]
fn keys_that_a_filter_makes_are_not_missing() {
    let lines = [json!({"a": "v1"}).to_string()];
    for query in [
        "to_entries | map(.value) | .[] | select(. == 5)",
        ".a | capture(\"(?<n>x)\") | .n",
        "[.a | match(\"x\") | .offset] | .[]",
    ] {
        let said = remarks("records", &lines, &json!({"query": query}));
        assert!(!said.iter().any(|one| one.contains("no record has")), "{query}: {said:?}");
    }
}

#[test]
fn texts_and_numbers_are_said_to_have_no_fields() {
    let texts = ["\"beta\"", "\"alpha\"", "\"gamma\""].map(str::to_owned);
    let rows = [
        (json!({"where": ["name=alpha"]}), "; run the query `select(. == \"alpha\")` (1)"),
        (json!({"where": ["name~=LPH"]}), "; run the query `select(strings | test(\"LPH\"; \"i\"))` (1)"),
        (json!({"where": ["name~=^g"]}), "; run the query `select(strings | test(\"^g\"; \"i\"))` (1)"),
        (json!({"where": ["name=no"]}), "; to look into them, run the query `select(startswith(\"beta\"))` (1)"),
        (json!({"sort_by": "-name"}), "; run the query `sort | reverse | .[]` with `slurp`"),
    ];
    for (request, run) in rows {
        let expected = format!("no record has `.name`: the records are texts, which have no fields{run}");
        assert_eq!(remarks("records", &texts, &request), [expected], "{request}");
    }
    let mixed = ["\"beta\"", "{\"name\":1}"].map(str::to_owned);
    assert!(!remarks("records", &mixed, &json!({"where": ["title=x"]})).concat().contains("have no fields"));
    let lists = ["[1,2]", "[3,4]"].map(str::to_owned);
    assert!(remarks("records", &lists, &json!({"where": ["title=x"]})).concat().contains("records are arrays of 2"));
}
