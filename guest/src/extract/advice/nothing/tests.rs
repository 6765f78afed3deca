use serde_json::{Value, json};

use crate::extract::run::extract_from;
use crate::settings::Settings;
use crate::settings::request::Extract;

/// The remarks on a request on lines of a kind.
pub(super) fn remarks(kind: &str, lines: &[String], request: &Value) -> Vec<String> {
    remarks_on(&file(json!({"kind": kind}), lines), request)
}

/// A file of lines, with what its header says of their kind and their fields.
pub(super) fn file(lro: Value, lines: &[String]) -> String {
    let header = json!({
        "type": "lro_header", "operation": "x", "query": null, "count": lines.len(), "schema_version": "1.0.0",
        "timestamp": "", "estimated_tokens": 9, "detail": "full", "lro": lro
    });
    format!("{header}\n{}\n", lines.join("\n"))
}

pub(super) fn remarks_on(file: &str, request: &Value) -> Vec<String> {
    let open = |offset: u64| Ok(&file.as_bytes()[offset as usize..]);
    let asked = Extract::parse(&request.to_string()).unwrap();
    extract_from("file", open, &asked, &Settings::default(), "").unwrap().remarks
}

#[test]
fn a_single_condition_was_asked_of_all_lines() {
    let lines: Vec<String> = (0..2100).map(|n| format!("line {n}")).collect();
    let rows = [
        (json!(["line~=x"]), "`line~=x` matches no line (this remark looked at the first 2000)"),
        (
            json!(["line~=x", "line~=7"]),
            "none of the first 2000 lines meets all conditions; those that meet one: `line~=x` (0 of the first 2000), \
             `line~=7` (542 of the first 2000)",
        ),
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
fn a_field_alone_asks_whether_it_is_there() {
    let lines = [json!({"draft": false}).to_string(), json!({"draft": false}).to_string()];
    let said = |condition: &str| remarks("records", &lines, &json!({"where": [condition]}));
    assert_eq!(
        said("!draft"),
        ["`!draft` finds records in which it is missing; for its value, write `draft=false` (2)"]
    );
    let there = "`draft` finds records in which it is there, with true or false; for its value, write `draft=true` (0)";
    assert_eq!(said("draft"), [there]);
    let counts = [json!({"children": 0}).to_string(), json!({"children": 3}).to_string()];
    let of_count = |condition: &str| remarks("records", &counts, &json!({"where": [condition]}));
    let there = "`children` finds records in which it is there, with 0 or more; for its value, write `children>0` (1)";
    assert_eq!(of_count("children"), [there]);
    let missing = "`!children` finds records in which it is missing; for its value, write `children=0` (1)";
    assert_eq!(of_count("!children"), [missing]);
    assert_eq!(said("draft=false"), Vec::<String>::new());
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
        let is_of_made = |one: &String| ["`.value`", "`.n`", "`.offset`"].iter().any(|made| one.contains(made));
        assert!(!said.iter().any(is_of_made), "{query}: {said:?}");
    }
}

/// Records, a request, and what is told.
const ROWS: &[(&str, &str, &str)] = &[
    // Words with an order.
    (
        r#"{"s":["low","medium","high","critical","low"]}"#,
        r#"{"where":["s>=high"]}"#,
        r#"`s>=high` compares letter by letter; write `s in high,critical` (2)"#,
    ),
    (
        r#"{"s":["LOW","MODERATE","HIGH"]}"#,
        r#"{"where":["s>low"]}"#,
        r#"`s>low` compares letter by letter; write `s in MODERATE,HIGH` (2)"#,
    ),
    (
        r#"{"s":["info","warning","error"]}"#,
        r#"{"where":["s>=warning"]}"#,
        r#"`s>=warning` compares letter by letter; write `s in warning,error` (2)"#,
    ),
    (
        r#"{"s":["low","medium","high"]}"#,
        r#"{"where":["s>critical"]}"#,
        r#"`s>critical` compares letter by letter: `s` has "high" (1), "low" (1), "medium" (1)"#,
    ),
    (
        r#"{"s":["low","medium","high"]}"#,
        r#"{"sort_by":"-s"}"#,
        r#"the records are sorted letter by letter; run the query `sort_by(.s as $s | ["low","medium","high"] | index($s)) | reverse | .[]` with `slurp`"#,
    ),
    (
        r#"{"s":["low","medium","high"]}"#,
        r#"{"aggregate":["max(s)"]}"#,
        r#"`max(s)` compares letter by letter; run the query `[.[] | .s | strings] | max_by(. as $s | ["low","medium","high"] | index($s))` with `slurp`"#,
    ),
    (
        r#"{"s":["low","medium","high"]}"#,
        r#"{"group_by":"s","aggregate":["max(s)"]}"#,
        r#"`max(s)` compares letter by letter; `max_by(. as $s | ["low","medium","high"] | index($s))` in a query compares ranks"#,
    ),
    (r#"{"s":["P0","P1","P3"]}"#, r#"{"sort_by":"-s"}"#, ""),
    (r#"{"s":["P0","P1","P3"]}"#, r#"{"where":["s>=P1"]}"#, ""),
    (
        r#"{"s":["high","low"]}"#,
        r#"{"sort_by":"s"}"#,
        r#"the records are sorted letter by letter; run the query `sort_by(.s as $s | ["low","high"] | index($s)) | .[]` with `slurp`"#,
    ),
    (r#"{"s":["low tide","high tide","ebb"]}"#, r#"{"where":["s>high"]}"#, ""),
    // Lengths.
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":["d.length>2"]}"#,
        r#"`d.length>2`: a condition cannot ask for a length; for the length, run the query `select((.d | length) > 2)` (1)"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":["len(d)>2"]}"#,
        r#"`len(d)>2`: a condition cannot ask for a length; for the length, run the query `select((.d | length) > 2)` (1)"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":["length(d)>2"]}"#,
        r#"`length(d)>2`: a condition cannot ask for a length; for the length, run the query `select((.d | length) > 2)` (1)"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":[".d|length>2"]}"#,
        r#"`d|length>2`: a condition cannot ask for a length; for the length, run the query `select((.d | length) > 2)` (1)"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":["d>2"],"count":true}"#,
        r#"`d>2`: it compares the elements of the list; for the length, run the query `select((.d | length) > 2)` (1)"#,
    ),
    (
        r#"{"d":[[{"e":1},{"e":2}],[]]}"#,
        r#"{"where":["d>1"]}"#,
        r#"`d>1`: it compares the elements of the list; for the length, run the query `select((.d | length) > 1)` (1)"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"where":["len(d)>20"]}"#,
        r#"`len(d)>20`: a condition cannot ask for a length; `.d` has lengths from 0 to 3"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"sort_by":"-d"}"#,
        r#"`d` has lists, which are ordered by their elements; for the lengths, run the query `sort_by(.d | length) | reverse | .[]` with `slurp`"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"sort_by":"len(d)"}"#,
        r#"`len(d)`: an order cannot ask for a length; for the lengths, run the query `sort_by(.d | length) | .[]` with `slurp`"#,
    ),
    (
        r#"{"d":[["a","b","c"],["a"],[]]}"#,
        r#"{"aggregate":["max(len(d))"]}"#,
        "`max(len(d))`: an aggregate cannot ask for a length; run the query `[.[] | .d | length] | max` with `slurp`",
    ),
    (
        r#"{"version":["1.20","1.9","1.29"]}"#,
        r#"{"sort_by":"-version"}"#,
        r#"the records are sorted letter by letter: `.version` has versions like "1.9"; run the query `sort_by((.version | [scan("[0-9]+") | tonumber])?) | reverse | .[]` with `slurp`"#,
    ),
    (
        r#"{"version":["1.20","1.9","1.29"]}"#,
        r#"{"aggregate":["max(version)"]}"#,
        r#"`max(version)` compares letter by letter: `.version` has versions like "1.9"; run the query `[.[] | .version | {v: ([scan("[0-9]+") | tonumber])?, t: .}] | max_by(.v) | .t` with `slurp`"#,
    ),
    (r#"{"d":[[1,2,3],[4],[]]}"#, r#"{"where":["d>2"]}"#, ""),
    // Null beside numbers.
    (
        r#"{"x":[1,70,null]}"#,
        r#"{"query":"select(.x < 60)"}"#,
        r#"`.x` is null or missing in some records, and null is less than every number: add `.x != null and`"#,
    ),
    (
        r#"{"x":[1,70,null]}"#,
        r#"{"query":"select(60 >= .x)"}"#,
        r#"`.x` is null or missing in some records, and null is less than every number: add `.x != null and`"#,
    ),
    (r#"{"x":[1,70,null]}"#, r#"{"query":"select(.x > 0 and .x < 60)"}"#, ""),
    (r#"{"x":[1,70,null]}"#, r#"{"query":"select(.x != null and .x < 60)"}"#, ""),
    (r#"{"x":[1,70,null]}"#, r#"{"query":"select(.x > 60)"}"#, ""),
    (r#"{"x":[1,70,2]}"#, r#"{"query":"select(.x < 60)"}"#, ""),
    // What stands for nothing.
    (r#"{"a":["x",null,"y"]}"#, r#"{"where":["a=none"]}"#, r#"`a=none` matches no record: write `!a` (1)"#),
    (r#"{"a":[[],["x"],[]]}"#, r#"{"where":["a=[]"]}"#, r#"`a=[]` matches no record: write `!a` (2)"#),
    (r#"{"a":[[],["x"],[]]}"#, r#"{"where":["a=empty"]}"#, r#"`a=empty` matches no record: write `!a` (2)"#),
    (
        r#"{"a":["x","y"]}"#,
        r#"{"where":["a=null"]}"#,
        r#"`a=null` matches no record: each has a value, "x" (1), "y" (1)"#,
    ),
    (r#"{"a":[null,null]}"#, r#"{"where":["a=none"]}"#, r#"no record has a value at `.a`: `!a` matches all"#),
    (
        r#"{"a":["None","y"]}"#,
        r#"{"where":["a=none"]}"#,
        r#"`a=none` matches no record: `a` has "None"; write `a=None` (1)"#,
    ),
    // True and false.
    (
        r#"{"a":[true,false,true]}"#,
        r#"{"where":["a=False"]}"#,
        r#"`a=False` matches no record: `a` has true (2), false (1); write `a=false` (1)"#,
    ),
    (
        r#"{"a":[true,true]}"#,
        r#"{"where":["a=False"]}"#,
        r#"`a=False` matches no record, and neither does `a=false`: `a` has true (2)"#,
    ),
    (r#"{"a":[true,true]}"#, r#"{"where":["a=false"]}"#, r#"`a=false` matches no record: `a` has true (2)"#),
    (
        r#"{"a":[true,false]}"#,
        r#"{"where":["a=yes"]}"#,
        r#"`a=yes` matches no record: `a` has false (1), true (1); write `a=true` (1)"#,
    ),
    // Few values are listed.
    (
        r#"{"a":["AM","MM","D"]}"#,
        r#"{"where":["a=M"]}"#,
        r#"`a=M` matches no record: `a` has "AM" (1), "D" (1), "MM" (1)"#,
    ),
    (r#"{"a":["036","040"]}"#, r#"{"where":["a=36"]}"#, r#"`a=36` matches no record: `a` has "036" (1), "040" (1)"#),
    (
        r#"{"a":["open","closed"],"b":["it is deleted","x"]}"#,
        r#"{"where":["a=deleted"]}"#,
        r#"`a=deleted` matches no record: `a` has "closed" (1), "open" (1)"#,
    ),
    (
        r#"{"a":["fix the redis cache","closed"]}"#,
        r#"{"where":["a=redis"]}"#,
        r#"`a=redis` matches no record: longer texts have it inside; write `a~=redis` (1)"#,
    ),
    (r#"{"a":["R","PG-13"],"b":["a-13","x-12"]}"#, r#"{"where":["a=~-..$"],"count":true}"#, ""),
    (
        r#"{"a":["R","PG"],"b":["a-13","x-12"]}"#,
        r#"{"where":["a=~-..$"]}"#,
        r#"`a=~-..$` matches no record: `a` has "PG" (1), "R" (1)"#,
    ),
    // Several values, and quotes.
    (
        r#"{"a":["al","bo","cy"]}"#,
        r#"{"where":["a!=al,bo"]}"#,
        r#"`a!=al,bo`: `!=` takes one value; write `!a in al,bo` (1)"#,
    ),
    (
        r#"{"a":["al","bo","cy"]}"#,
        r#"{"where":["a!=“al”"]}"#,
        r#"`a!=“al”`: the quotes are taken literally; write `!a=al` (2)"#,
    ),
    (r#"{"a":["al","bo,cy"]}"#, r#"{"where":["a!=bo,cy"]}"#, ""),
    (
        r#"{"a":["F401","F841","E5"]}"#,
        r#"{"where":["a=F401|F841"]}"#,
        r#"`a=F401|F841` matches no record: `=` takes one value, `in` several; write `a in F401,F841` (2)"#,
    ),
    (
        r#"{"a":["  915 x","7"]}"#,
        r#"{"where":["a^=9"]}"#,
        r#"`a^=9` matches no record: `a` has "  915 x"; write `a^="  9"` (1)"#,
    ),
    (
        r#"{"a":["libs","x"]}"#,
        r#"{"where":["a ^= 'libs'"]}"#,
        r#"`a^='libs'` matches no record: the quotes are taken literally; write `a^=libs` (1)"#,
    ),
    (
        r#"{"a":["libs","x"]}"#,
        r#"{"where":[{"field":"a","op":"in","value":["'libs'","'y'"]}]}"#,
        r#"`a in "'libs'","'y'"` matches no record: the quotes are taken literally; write `a in libs,y` (1)"#,
    ),
    (
        r#"{"a":[5,1500,3000000]}"#,
        r#"{"where":["a>1,000"]}"#,
        r#"`a>1,000` matches no record: the value is not a number; write `a>1000` (2)"#,
    ),
    (
        r#"{"a":[5,1500,3000000]}"#,
        r#"{"where":["a>1MB"]}"#,
        r#"`a>1MB` matches no record: the value is not a number; write `a>1000000` (1)"#,
    ),
    (
        r#"{"a":[5,1500,3000000]}"#,
        r#"{"where":["a>300 million"]}"#,
        r#"`a>300 million` matches no record, and neither does `a>300000000`: `a` has 1500 (1), 3000000 (1), 5 (1)"#,
    ),
    // Texts are looked for in numbers.
    (
        r#"{"a":[133,40,3.5]}"#,
        r#"{"where":["a~=33"]}"#,
        r#"`a~=33` matches no record: it looks at texts, and `a` has 133 (1), 3.5 (1), 40 (1); run the query `select(.a | tostring | contains("33"))` (1)"#,
    ),
    (
        r#"{"a":[133,40,3.5]}"#,
        r#"{"where":["a^=4"],"count":true}"#,
        r#"`a^=4` matches no record: it looks at texts, and `a` has 133 (1), 3.5 (1), 40 (1); run the query `select(.a | tostring | startswith("4"))` (1)"#,
    ),
    (
        r#"{"a":[[133,4],[40]]}"#,
        r#"{"where":["a=~^1"]}"#,
        r#"`a=~^1` matches no record: it looks at texts, and `a` has 133 (1), 4 (1), 40 (1); run the query `select(any(.a[]?; tostring | test("^1")))` (1)"#,
    ),
    (
        r#"{"a":[133,40,3.5]}"#,
        r#"{"where":["a~=77"]}"#,
        r#"`a~=77` matches no record: it looks at texts, and `a` has 133 (1), 3.5 (1), 40 (1)"#,
    ),
];

#[test]
fn remarks_say_what_to_write() {
    let mut wrong = Vec::new();
    for (columns, request, expected) in ROWS {
        let columns: Value = serde_json::from_str(columns).unwrap();
        let columns = columns.as_object().unwrap();
        let count = columns.values().map(|column| column.as_array().unwrap().len()).max().unwrap();
        let record = |at: usize| {
            let members = columns.iter().map(|(key, column)| (key.clone(), column[at].clone()));
            Value::Object(members.collect()).to_string()
        };
        let records: Vec<String> = (0..count).map(record).collect();
        let said = remarks("records", &records, &serde_json::from_str(request).unwrap()).join("\n");
        if said != *expected {
            wrong.push(format!("{columns:?} {request}\n  {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
