//! The ten recipes against the real jq: what a printed command gives in a real shell is what `extract` gives, wherever
//! jq succeeds (LRO-26 to LRO-32, LRO-36, EXTRACT-02, EXTRACT-06, EXTRACT-07, EXTRACT-18, decisions 6 to 8 and 26).
//!
//! Everything goes through the component, as a host sees it. A test lists all differences that it finds.

use lro_guest::offload::response::{bound, cost};
use lro_guest::settings::GuidanceKind;
use lro_tests::{corpus, jq};
use serde_json::{Value, json};

mod oracle {
    pub(crate) mod cases;
    pub(crate) mod compare;
    pub(crate) mod offloaded;
    mod text;
}

use oracle::cases::{DETAILS, all, at_each_detail, generic, synthetic};
use oracle::compare::{
    OCCURRING, announced, difference_of_results, difference_with_parameter, differences, differences_by_record, inner,
    is_remark, theirs_by_record,
};
use oracle::offloaded::{Case, Offloaded, Recipe};

#[test]
fn real_memories_give_what_jq_gives() {
    report(at_each_detail("real", corpus::REAL, "current").iter().flat_map(differences));
}

#[test]
fn synthetic_memories_give_what_jq_gives() {
    report(at_each_detail("synthetic", &synthetic(), "current").iter().flat_map(differences));
}

#[test]
fn the_early_recipes_give_what_jq_gives() {
    let cases = [("real", corpus::REAL), ("synthetic", &synthetic())];
    report(
        cases.iter().flat_map(|(name, payload)| at_each_detail(name, payload, "early")).flat_map(|c| differences(&c)),
    );
}

/// Decision 26: generic recipes never fail, so jq has nothing to report, and a description nothing to announce.
#[test]
fn records_of_other_tools_give_what_jq_gives() {
    for case in generic() {
        report(differences(&case));
        let announcing = case.offload().recipes.into_iter().filter(|recipe| announced(&recipe.description) > 0);
        report(announcing.map(|recipe| format!("{}: `{}`", case.name, recipe.description)));
    }
}

/// What is offloaded to a folder whose name a shell would read differently.
#[test]
fn commands_hold_in_a_folder_of_any_name() {
    let case = at_each_detail("hostile folder", &corpus::synthetic(2, 20), "current").remove(2);
    report(differences(&Case { directory: "it's a \"$(touch x)\" `touch y`; touch z\n* \\", ..case }));
}

/// Whether a confidence is missing in a provenance, or the provenance itself: jq then fails on two early recipes.
#[test]
fn a_missing_confidence_is_announced() {
    let whole = r#"{"id":"1","provenance":{"confidence":0.5}}"#;
    let others = [
        whole,
        r#"{"id":"2"}"#,
        r#"{"id":"2","provenance":{}}"#,
        r#"{"id":"2","provenance":{"confidence":null}}"#,
        r#"{"id":"2","provenance":{"confidence":1,"confidence":null}}"#,
    ];
    report(others.iter().flat_map(|other| {
        let request = json!({"operation": "recall", "detail": "full"});
        let payload = corpus::array(&[whole, other]);
        differences(&Case::new(other, &payload, request, json!({"profile": "early"})))
    }));
}

/// Record by record: odd ones give what jq gives on them alone, wherever jq succeeds, and never fail.
#[test]
fn odd_records_give_what_jq_gives_on_each() {
    let projected = at_each_detail("odd", &corpus::odd(), "current");
    let early = at_each_detail("odd", &corpus::odd(), "early").remove(2);
    report(projected.iter().chain([&early]).flat_map(differences_by_record));
}

/// Decision 26: where a description says how many records jq reports, so many it reports, whatever the records are.
#[test]
fn remarks_are_true_of_odd_records() {
    report(at_each_detail("odd", &corpus::odd(), "current").iter().flat_map(|case| {
        let file = case.offload();
        let untrue = |recipe: &Recipe| {
            let reports = jq::reports(&jq::command(&recipe.command, file.folder.path()));
            let is_true = [0, reports].contains(&announced(&recipe.description));
            (!is_true).then(|| format!("{}: `{}`, but jq reports {reports}", case.name, recipe.description))
        };
        file.recipes.iter().filter_map(untrue).collect::<Vec<_>>()
    }));
}

/// What slurps odd records: ours takes all of them, and gives what jq gives on those that it takes one by one.
#[test]
fn odd_records_give_what_jq_gives_on_all() {
    let early = at_each_detail("odd", &corpus::odd(), "early").remove(2);
    report(at_each_detail("odd", &corpus::odd(), "current").iter().chain([&early]).flat_map(|case| {
        let file = case.offload();
        let difference = |recipe: &Recipe| {
            let on_all = difference_of_results(&file, recipe);
            let taken = of_taken_records(case, &file, recipe);
            let difference =
                on_all.and_then(|_| difference_of_results(&taken, &taken.recipes[recipe.number - 1])).err()?;
            Some(format!("{}, recipe {}: {difference}", case.name, recipe.number))
        };
        file.recipes.iter().filter(|recipe| recipe.slurps()).filter_map(difference).collect::<Vec<_>>()
    }));
}

/// Another file, with the records on which jq alone does not fail.
fn of_taken_records(case: &Case, file: &Offloaded, recipe: &Recipe) -> Offloaded {
    let by_jq = theirs_by_record(recipe, &file.lines);
    let taken: Vec<&String> = file.lines.iter().zip(by_jq).filter_map(|(line, given)| given.and(Some(line))).collect();
    assert!(taken.len() > 2, "{}: recipe {} is compared on {} records", case.name, recipe.number, taken.len());
    let mut request = case.request.clone();
    request["already_projected"] = true.into();
    Case { payload: corpus::array(&taken), request, ..case.clone() }.offload()
}

/// EXTRACT-06, EXTRACT-07: a parameter is what the literal in the printed filter is, and never more than data.
#[test]
fn parameters_give_what_jq_gives_with_another_literal() {
    let memory = |text: &str| json!({"id": text, "title": text, "namespace": text, "memory_type": text, "tags": [text], "content": text});
    let record = |text: &str| json!({"first": text, "list": [text], "deep": {"er": [text]}});
    let memories =
        format!("[{},{}]", PARAMETERS.map(|text| memory(text).to_string()).join(","), inner(&corpus::synthetic(4, 60)));
    let records = corpus::array(&PARAMETERS.map(|text| record(text).to_string()));
    let full = json!({"operation": "recall", "detail": "full"});
    let current = Case::new("memories", &memories, full.clone(), json!({}));
    let early = Case::new("early", &memories, full, json!({"profile": "early"}));
    let generic = Case::new("records", &records, json!({"operation": "list_issues"}), json!({}));
    let rows = [
        (&current, 2, "namespace", "_semantic"),
        (&current, 3, "keyword", "keyword"),
        (&current, 5, "memory_type", "semantic"),
        (&current, 7, "tag", "TAG"),
        (&current, 10, "pattern", "pattern"),
        (&current, 10, "keyword", "pattern"),
        (&early, 6, "memory_type", "semantic"),
        (&generic, 2, "prefix", OCCURRING),
        (&generic, 3, "keyword", OCCURRING),
        (&generic, 5, "value", OCCURRING),
        (&generic, 7, "member", OCCURRING),
        (&generic, 10, "pattern", OCCURRING),
    ];
    report(rows.iter().flat_map(|(case, number, name, literal)| {
        let file = case.offload();
        let difference = |value: &&str| {
            let difference = difference_with_parameter(&file, *number, name, literal, value).err()?;
            Some(format!("{}, recipe {number}, {name} = {value:?}: {difference}", case.name))
        };
        PARAMETERS.iter().filter_map(difference).collect::<Vec<_>>()
    }));
}

/// Values that are plain, and values that would do harm if they were anything but data.
const PARAMETERS: [&str; 14] = [
    "_episodic",
    "on call",
    "episodic",
    "知識",
    "C:\\temp",
    "(cache|queue)[a-z]*\\b",
    "it's $(touch x) `touch y`",
    "\" or true or \"",
    "\\(env)",
    "\"; halt",
    "\") | env | (\"",
    "$__prog_args",
    "$ENV.PATH",
    "",
];

/// LRO-27, LRO-28, EARLY-02, decision 6: the text of descriptions and commands.
#[test]
fn the_text_is_the_specifications() {
    report(DETAILS.iter().zip(ADAPTIVE).flat_map(|(detail, adaptive)| {
        let recipes = |profile: &str| {
            let request = json!({"operation": "recall", "detail": detail});
            Case::new(detail, &corpus::synthetic(1, 3), request, json!({"profile": profile})).offload()
        };
        let current: Vec<_> = UNIVERSAL.into_iter().chain(adaptive).collect();
        [(recipes("current"), current), (recipes("early"), EARLY.into())].into_iter().flat_map(|(file, expected)| {
            let differs = |(recipe, (description, command)): (&Recipe, (&str, &str))| {
                let remark = recipe.description.strip_prefix(description);
                let is_said = remark.is_some_and(|remark| remark.is_empty() || is_remark(remark));
                let equal = recipe.command == command.replace("{file}", &file.path) && is_said;
                (!equal).then(|| format!("{}: {}: {}", recipe.number, recipe.description, recipe.command))
            };
            assert_eq!(file.recipes.len(), expected.len());
            file.recipes.iter().zip(expected).filter_map(differs).collect::<Vec<_>>()
        })
    }));
}

const UNIVERSAL: [(&str, &str); 8] = [
    ("List titles with namespaces", "tail -n +2 {file} | jq -r '[.title, .namespace] | @tsv'"),
    ("Filter by namespace prefix", r#"tail -n +2 {file} | jq 'select(.namespace | startswith("_semantic"))'"#),
    ("Search titles by keyword", r#"tail -n +2 {file} | jq 'select(.title | test("keyword"; "i"))'"#),
    ("Extract IDs and titles only", "tail -n +2 {file} | jq '{id, title, namespace}'"),
    ("Filter by memory type", r#"tail -n +2 {file} | jq 'select(.memory_type == "semantic")'"#),
    (
        "Count by namespace",
        "tail -n +2 {file} | jq -s 'group_by(.namespace) | map({namespace: .[0].namespace, count: length})'",
    ),
    ("Filter by tag", r#"tail -n +2 {file} | jq 'select(.tags | index("TAG"))'"#),
    ("Sort by created date", "tail -n +2 {file} | jq -s 'sort_by(.created)'"),
];

/// Recipes 9 and 10 at light, medium and full detail.
const ADAPTIVE: [[(&str, &str); 2]; 3] = [
    [
        ("List unique namespaces", "tail -n +2 {file} | jq -s 'map(.namespace) | unique'"),
        (
            "Count by memory_type",
            "tail -n +2 {file} | jq -s 'group_by(.memory_type) | map({memory_type: .[0].memory_type, count: length})'",
        ),
    ],
    [
        ("Sort by confidence desc", "tail -n +2 {file} | jq -s 'sort_by(.confidence) | reverse'"),
        ("Full-text search in content", r#"tail -n +2 {file} | jq 'select(.content | test("pattern"; "i"))'"#),
    ],
    [
        ("Sort by confidence desc", "tail -n +2 {file} | jq -s 'sort_by(.provenance.confidence) | reverse'"),
        ("Full-text search in content", r#"tail -n +2 {file} | jq 'select(.content | test("pattern"; "i"))'"#),
    ],
];

const EARLY: [(&str, &str); 10] = [
    ("List all titles with scores", "tail -n +2 {file} | jq -r '[.title, .provenance.confidence] | @tsv'"),
    ("Filter by namespace prefix", r#"tail -n +2 {file} | jq 'select(.namespace | startswith("_semantic"))'"#),
    ("Search titles by keyword", r#"tail -n +2 {file} | jq 'select(.title | test("keyword"; "i"))'"#),
    ("Sort by confidence (descending)", "tail -n +2 {file} | jq -s 'sort_by(-.provenance.confidence)'"),
    ("Extract IDs and titles only", "tail -n +2 {file} | jq '{id, title, namespace}'"),
    ("Filter by memory type", r#"tail -n +2 {file} | jq 'select(.memory_type == "semantic")'"#),
    ("Get memories with entities", "tail -n +2 {file} | jq 'select(.entities | length > 0)'"),
    (
        "Count by namespace",
        "tail -n +2 {file} | jq -s 'group_by(.namespace) | map({namespace: .[0].namespace, count: length}) | sort_by(-.count)'",
    ),
    ("Get top N by score", "tail -n +2 {file} | jq -s 'sort_by(-.provenance.confidence) | .[:10]'"),
    ("Full-text search in content", r#"tail -n +2 {file} | jq 'select(.content | test("pattern"; "i"))'"#),
];

/// LRO-32, and what a response may cost.
#[test]
fn lines_are_as_the_schema_says_and_responses_stay_small() {
    report(all().iter().flat_map(|case| {
        let file = case.offload();
        let response: Value = serde_json::from_str(&file.response).unwrap();
        let schema = &response["line_schema"];
        assert!(jsonschema::meta::is_valid(schema), "{}: {schema}", case.name);
        let validator = jsonschema::validator_for(schema).unwrap();
        let invalid = file.lines.iter().filter_map(|line| {
            let value = serde_json::from_str(line).unwrap();
            let error = validator.iter_errors(&value).next()?.to_string();
            Some(format!("{}: {line:.200}: {error:.200}", case.name))
        });
        let mut found: Vec<String> = invalid.take(3).collect();
        assert!(file.path.len() < 60 + "/atlatl-list_issues-01ARZ3NDEKTSV4RRFFQ69G5FAV.jsonl".len(), "{}", file.path);
        let tokens = cost(&file.response);
        let guidance =
            if case.name.ends_with("the tool's guidance") { GuidanceKind::Tool } else { GuidanceKind::Shell };
        if tokens > bound(guidance, "", 1) {
            found.push(format!("{}: the response has {tokens} tokens", case.name));
        }
        found
    }));
}

/// Fails with all that was found.
fn report(found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}
