//! Alternatives, ranges, aggregates and groups against the real jq: each request beside the filter that a person would
//! write, on memories, on issues, and on records with gaps, nulls, mixed types, lists and large numbers. The pages of a
//! request are the same as its whole (EXTRACT-23).

use std::fs;
use std::path::Path;

use lro_tests::{jq, native};
use serde_json::{Value, json};

const ODD: &str = r#"[
    {"id": 1, "kind": "a", "size": 10, "tags": ["x", "y"], "day": "2026-03-01", "by": {"name": "Ann"}},
    {"id": 2, "kind": "b", "size": null, "tags": [], "day": "2026-03-31T23:59:59Z", "by": {"name": "Bob"}},
    {"id": 3, "kind": "a", "size": "12", "tags": ["x", "x"], "day": "2026-04-01", "by": null},
    {"id": 4, "kind": "a", "size": 2.5, "tags": "y", "by": "Ann"},
    {"id": 5, "kind": null, "size": [1, 2, "3", null], "day": 20260301, "by": {"name": ["Ann", "Cid"]}},
    {"id": 6, "size": {"of": 1}, "kind": "b", "day": "2026-03"},
    {"id": 7, "kind": "c", "size": 9007199254740993, "tags": [null, "z"]},
    {"id": 8, "kind": "c", "size": 9007199254740993, "big": 123456789012345678901234567890},
    {"id": 9, "kind": "c", "size": 0.1, "big": 1e308}, {"id": 10, "kind": "c", "size": 0.2, "big": 1e308},
    {"id": 11, "kind": true, "size": -0.0, "tags": [["x"], "x"]},
    {"id": 12, "kind": ["a", "b"], "size": false, "tags": {"x": 1}},
    {"id": 13, "kind": "größe", "size": 1e-7, "title": "this or that"},
    7, null, "text", [1]
]"#;

/// Requests on the odd records with what jq makes of the array of them.
const OF_ODD: &[(&str, &str)] = &[
    (r#"{"aggregate":["sum(size)"],"where":["id<=4"]}"#, r#"{"sum(size)": 12.5}"#),
    (
        r#"{"aggregate":["sum(size)","avg(size)","count(size)","count"]}"#,
        r#"[.[] | objects | .size | if type == "array" then .[] else . end] | [.[] | numbers] as $n | {"sum(size)": ($n | add), "avg(size)": (($n | add) / ($n | length)), "count(size)": (map(select(. != null)) | length), "count": 17}"#,
    ),
    (
        r#"{"aggregate":["min(size)","max(size)","count_distinct(size)","min(nothing)","avg(nothing)","sum(nothing)","count_distinct(nothing)"]}"#,
        r#"[.[] | objects | .size | if type == "array" then .[] else . end | select(. != null)] | {"min(size)": min, "max(size)": max, "count_distinct(size)": (unique | length), "min(nothing)": null, "avg(nothing)": null, "sum(nothing)": null, "count_distinct(nothing)": 0}"#,
    ),
    (
        r#"{"where":["kind=c"],"aggregate":["sum(size)","max(big)","sum(big)"]}"#,
        r#"map(objects | select(.kind == "c")) | {"sum(size)": (map(.size) | add), "max(big)": (map(.big) | max), "sum(big)": (map(.big) | add)}"#,
    ),
    (
        r#"{"aggregate":["mean(by.name)","count(distinct by.name)","max(day)"]}"#,
        r#"{"mean(by.name)": null, "count(distinct by.name)": 3, "max(day)": "2026-04-01"}"#,
    ),
    (
        r#"{"where":["id"],"group_by":"kind","aggregate":["sum(size)","max(id)"]}"#,
        r#"[.[] | objects | . as $r | .kind | (if type == "array" then .[] else . end) | {k: ., r: $r}] | group_by(.k) | map({kind: .[0].k, count: length, "sum(size)": ([.[].r.size | if type == "array" then .[] else . end | numbers] | add), "max(id)": (map(.r.id) | max)}) | sort_by(-.count) | .[]"#,
    ),
    (
        r#"{"where":["id"],"group_by":"kind","sort_by":"-sum(size)"}"#,
        r#"[.[] | objects | . as $r | .kind | (if type == "array" then .[] else . end) | {k: ., r: $r}] | group_by(.k) | map({kind: .[0].k, count: length, "sum(size)": ([.[].r.size | if type == "array" then .[] else . end | numbers] | add)}) | map(select(."sum(size)" != null)) as $there | map(select(."sum(size)" == null)) as $none | ($there | sort_by(-."sum(size)") | .[]), $none[]"#,
    ),
    (
        r#"{"where":["id<=4"],"group_by":"kind,tags"}"#,
        r#"[.[] | objects | select(.id <= 4) | .kind as $k | .tags | (if type == "array" then .[] else . end) | {kind: $k, tags: .}] | group_by([.kind, .tags]) | map(.[0] + {count: length}) | sort_by(-.count) | .[]"#,
    ),
    (
        r#"{"where":["id<=4"],"group_by":[["by","name"],["kind"]],"sort_by":"-by.name"}"#,
        r#"{"by.name":"Bob","kind":"b","count":1},{"by.name":"Ann","kind":"a","count":1},{"by.name":null,"kind":"a","count":2}"#,
    ),
    (
        r#"{"where":["id"],"group_by":"kind","per_group":2,"sort_by":"-id","select":["kind","id"]}"#,
        r#"[.[] | objects] | sort_by(-.id) | [.[] | . as $r | .kind | (if type == "array" then .[] else . end) | {k: ., r: $r}] | group_by(.k) | .[] | .[:2][] | {kind: .r.kind, id: .r.id}"#,
    ),
    (
        r#"{"where":["id"],"group_by":"kind","per_group":1}"#,
        r#"[.[] | objects | . as $r | .kind | (if type == "array" then .[] else . end) | {k: ., r: $r}] | group_by(.k) | .[][0].r"#,
    ),
    (
        r#"{"where":["id<=2 or kind=c and big>0"],"select":["id"]}"#,
        r#".[] | objects | select(.id <= 2 or (.kind == "c" and .big != null)) | {id}"#,
    ),
    (r#"{"where":["(id=1 or id=3) and kind=a","id!=3"]}"#, ".[0]"),
    (
        r#"{"where":[{"any":["id=1",{"field":"size","op":"between","value":[0.1,2.5]},{"all":["kind=b","!tags"]}]}],"select":["id"]}"#,
        r#".[] | objects | select(.id == 1 or (.size | [if type == "array" then .[] else . end] | any(type == "number" and . >= 0.1 and . <= 2.5)) or (.kind == "b" and (.tags == null or .tags == []))) | {id}"#,
    ),
    (
        r#"{"where":["day=2026-03..2026-03"],"select":["id"]}"#,
        r#".[] | objects | select(.day | strings | startswith("2026-03")) | {id}"#,
    ),
    (
        r#"{"where":["day=2026-03-02.."],"select":["id"]}"#,
        r#".[] | objects | select(.day | strings | . >= "2026-03-02") | {id}"#,
    ),
    (
        r#"{"where":["size=..2.5"],"select":["id"]}"#,
        r#".[] | objects | select(.size | [if type == "array" then .[] else . end] | any(type == "number" and . <= 2.5)) | {id}"#,
    ),
    (r#"{"where":["title=this or that"],"count":true}"#, "1"),
    (r#"{"where":["title=\"this or that\" or id=1"],"count":true}"#, "2"),
    (r#"{"where":["kind=größe or id between 1 and 2"],"count":true}"#, "3"),
    (r#"{"where":["id>99"],"aggregate":["count","sum(size)"]}"#, r#"{"count": 0, "sum(size)": null}"#),
    (r#"{"where":["id>99"],"group_by":"kind","aggregate":["sum(size)"]}"#, "empty"),
    (r#"{"count":true,"aggregate":["max(id)"]}"#, r#"{"count": 17, "max(id)": 13}"#),
];

const OF_MEMORIES: &[(&str, &str)] = &[
    (
        r#"{"group_by":"namespace","aggregate":["avg(provenance.confidence)","min(created)","max(created)","count_distinct(tags)"]}"#,
        r#"group_by(.namespace) | map({namespace: .[0].namespace, count: length, "avg(provenance.confidence)": ([.[].provenance.confidence? | numbers] | if . == [] then null else add / length end), "min(created)": (map(.created) | map(values) | min), "max(created)": (map(.created) | map(values) | max), "count_distinct(tags)": ([.[].tags[]?] | unique | length)}) | sort_by(-.count) | .[]"#,
    ),
    (
        r#"{"group_by":"memory_type","per_group":3,"sort_by":"created","select":["id","created"]}"#,
        r#"sort_by([.created == null, .created]) | group_by(.memory_type) | .[] | .[:3][] | {id, created}"#,
    ),
    (
        r#"{"where":["memory_type=semantic or tags=adr"],"select":["id"]}"#,
        r#".[] | select(.memory_type == "semantic" or (.tags // [] | any(. == "adr"))) | {id}"#,
    ),
];

const OF_ISSUES: &[(&str, &str)] = &[
    (
        r#"{"group_by":"state,user.login","aggregate":["sum(comments)","avg(comments)","max(number)"],"sort_by":"-sum(comments)"}"#,
        r#"group_by([.state, .user.login]) | map({state: .[0].state, "user.login": .[0].user.login, count: length, "sum(comments)": (map(.comments) | add), "avg(comments)": ((map(.comments) | add) / length), "max(number)": (map(.number) | max)}) | sort_by(-."sum(comments)") | .[]"#,
    ),
    (
        r#"{"group_by":"user.login","per_group":2,"sort_by":"-number","select":["number"]}"#,
        r#"group_by(.user.login) | .[] | sort_by(-.number) | .[:2][] | {number}"#,
    ),
    (
        r#"{"where":["number=5..12","state=open or comments>=3"],"select":["number"]}"#,
        r#".[] | select(.number >= 5 and .number <= 12 and (.state == "open" or .comments >= 3)) | {number}"#,
    ),
    (
        r#"{"group_by":"labels.name","aggregate":["count_distinct(user.login)"]}"#,
        r#"[.[] | . as $r | .labels[].name | {k: ., r: $r}] | group_by(.k) | map({"labels.name": .[0].k, count: length, "count_distinct(user.login)": (map(.r.user.login) | unique | length)}) | sort_by(-.count) | .[]"#,
    ),
];

/// A file of these records, and the directory that it is in.
fn offloaded(records: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let call = json!({
        "call": "offload",
        "payload": records,
        "request": {"operation": "list", "records": "."},
        "settings": {"threshold_tokens": 0},
        "directory": folder.path(),
    });
    let answer = native::answer(&call).unwrap();
    let path = folder.path().join(answer["file_name"].as_str().unwrap_or_else(|| panic!("{answer}")));
    (folder, path.to_str().unwrap().to_owned())
}

fn page(folder: &Path, file: &str, request: &Value) -> Value {
    let call = json!({
        "call": "extract", "request": request, "source": {"file": file}, "settings": {}, "directory": folder,
    });
    native::answer(&call).unwrap_or_else(|error| panic!("{request}: {error}"))
}

fn check(records: &str, rows: &[(&str, &str)]) {
    let (folder, file) = offloaded(records);
    for (request, filter) in rows {
        let mut request: Value = serde_json::from_str(request).unwrap();
        let whole = page(folder.path(), &file, &request);
        let ours = whole["results"].as_str().unwrap();
        let theirs = jq::filter(["-c"], filter, records);
        assert_eq!(theirs.stderr, "", "{filter}");
        assert_eq!(jq::read(ours), jq::read(&theirs.stdout), "{request}");
        request["limit"] = 1.into();
        let mut pages = String::new();
        loop {
            let one = page(folder.path(), &file, &request);
            pages.push_str(one["results"].as_str().unwrap());
            if one["next"].is_null() {
                break;
            }
            request["next"] = one["next"].clone();
        }
        assert_eq!(pages, ours, "{request}");
    }
}

fn fixture(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)).unwrap()
}

#[test]
fn odd_records_give_what_jq_gives() {
    check(ODD, OF_ODD);
}

#[test]
fn memories_give_what_jq_gives() {
    check(&fixture("mif-memories.json"), OF_MEMORIES);
}

#[test]
fn issues_give_what_jq_gives() {
    let issues: Value = serde_json::from_str(&fixture("documents/github-issues.json")).unwrap();
    check(&issues["items"].to_string(), OF_ISSUES);
}
