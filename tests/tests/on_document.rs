//! jq on the document: a filter with `on` "document" gives what the real jq gives on the document that came in
//! (GATE-15, READ-11), for every document of `fixtures/documents` and others; and page after page it gives the same.

use std::fs;
use std::path::Path;

use lro_guest::calls::{self, Outcome, Page, Source, Stored};
use lro_guest::disk;
use lro_tests::{corpus, jq};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Filters of any document; `P` is the path of a list in it.
const FILTERS: [&str; 62] = [
    ".",
    "type",
    "length",
    "keys",
    "keys_unsorted",
    "[paths] | length",
    "[.. | numbers] | length",
    "[paths] | length",
    "to_entries | map(.key)",
    ". as $d | P | length",
    "P[]",
    "P",
    "P[]?",
    "P | .[]",
    "P | length",
    "[P[]] | length",
    "P[0]",
    "P[-1]",
    "P[99999]",
    "P[-99999]",
    "P[0] | type, [paths]",
    "P[2:5]",
    "P[:3] | length",
    "P[-2:] | map(type)",
    "P[5:2]",
    "P[1:4][] | [paths]",
    "P[5:2][] | [paths]",
    "P[2:5][0]",
    "P[] | type",
    "P[] | [paths]",
    "P[] | objects | keys_unsorted",
    "P[] | objects | to_entries[] | [.key, (.value | type)]",
    "P[] | select(type == \"object\") | length",
    "P[] | arrays, objects | length",
    "P[] | . as $x | [$x] | length",
    "P[] | def f: type; f, f",
    "P[] | path(..)",
    "P[] | try error(\"x\") catch .",
    "P[] | if type == \"object\" then keys[0] else type end",
    "P | map(type)",
    "P | map([paths]) | unique | length",
    "P | map([paths]) | sort",
    "P | map([paths] | length) | add",
    "P | sort_by([paths]) | .[0]",
    "P | sort_by([paths]) | reverse | .[:2]",
    "P | group_by(type) | map({type: (.[0] | type), count: length})",
    "P | unique_by(type) | length",
    "P | min_by([paths]), max_by([paths])",
    "P | first, last",
    "P | to_entries | map(.key)",
    "P | [.[:2], .[2:]] | map(length)",
    "[P[] | type] | unique",
    "[P[] | objects | .id?] | length",
    "first(P[])",
    "[limit(3; P[])]",
    "reduce P[] as $x (0; . + 1)",
    "P[] as $x | $x | type",
    "{count: (P | length), type: type}",
    "(P | length), 1",
    "del(P) | [paths]",
    "P |= length",
    "P | .[0] |= null | .[:2]",
];

/// Filters that fail on every document, and one that fails after results.
const FAILURES: [&str; 4] = ["error(\"x\")", "P | .nosuch", "P[] | error(\"x\")", "1, 2, error(\"x\")"];

struct Offloaded {
    /// Its files live as long as it does.
    _folder: TempDir,
    settings: String,
    path: String,
}

impl Offloaded {
    fn of(payload: &str, request: &Value) -> Self {
        let folder = TempDir::new().unwrap();
        let settings = json!({"threshold_tokens": 0, "output_dir": folder.path()}).to_string();
        let answer = calls::offload(payload, &request.to_string(), &settings, disk::instant).unwrap();
        let Outcome::Offloaded(Stored { response, .. }) = answer.outcome else { panic!("{answer:?}") };
        let response: Value = serde_json::from_str(&response).unwrap();
        Self { _folder: folder, settings, path: response["file_path"].as_str().unwrap().to_owned() }
    }

    fn page(&self, request: &Value) -> Result<Page, lro_guest::error::Error> {
        calls::extract(Source::File(&self.path), &request.to_string(), &self.settings, disk::instant)
    }

    /// The paths of its lists; `.` for a document that is one.
    fn lists(&self) -> Vec<String> {
        let header = fs::read_to_string(&self.path).unwrap();
        let header: Value = serde_json::from_str(header.lines().next().unwrap()).unwrap();
        let lists = header["lro"]["document"]["lists"].as_array().cloned().unwrap_or_default();
        let paths: Vec<String> = lists.iter().map(|list| list["path"].as_str().unwrap().to_owned()).collect();
        if paths.is_empty() { vec![".".to_owned()] } else { paths }
    }

    /// Compares a filter with what jq made of it, `None` if it failed; says how they differ.
    fn compare(&self, filter: &str, expected: Option<&Vec<Value>>) -> Option<String> {
        let (found, failed) = match self.page(&json!({"query": filter, "on": "document"})) {
            Ok(page) => (jq::values(&calls::results_text(page.text)), page.failed > 0),
            Err(error) if error.case() == "invalid-query" => (Vec::new(), true),
            Err(error) => return Some(format!("{filter}: {error}")),
        };
        let is_same = match expected {
            Some(expected) => {
                // jq reads numbers as doubles.
                let read = || jq::read(&found.iter().map(|value| format!("{value}\n")).collect::<String>());
                !failed && (found == *expected || read() == *expected)
            }
            None => failed,
        };
        let shown = |values: &[Value]| format!("{values:?}").chars().take(200).collect::<String>();
        (!is_same).then(|| {
            let expected = expected.map_or("a failure".to_owned(), |expected| shown(expected));
            format!("{filter}: {} (failed: {failed}), jq has {expected}", shown(&found))
        })
    }
}

/// What the real jq gives for each of these filters on a document: its results, or `None` where it fails.
fn by_jq(filters: &[String], document: &str) -> Vec<Option<Vec<Value>>> {
    let each: Vec<String> = filters.iter().map(|filter| format!("(try {{given: [{filter}]}} catch {{}})")).collect();
    let printed = jq::filter(["-c"], &each.join(",\n"), document);
    assert_eq!((printed.status, printed.stderr.as_str()), (Some(0), ""));
    let given = |value: Value| value.get("given").and_then(Value::as_array).cloned();
    // A document of several values gives the results of each: those of a filter are put together.
    let values = jq::values(&printed.stdout);
    let mut all: Vec<Option<Vec<Value>>> = vec![Some(Vec::new()); filters.len()];
    for (number, value) in values.into_iter().enumerate() {
        let place = &mut all[number % filters.len()];
        *place = place.take().zip(given(value)).map(|(mut before, now)| {
            before.extend(now);
            before
        });
    }
    all
}

/// A filter of one list.
fn about(filter: &str, list: &str) -> String {
    let filter = filter.replace("P[", &format!("{list}["));
    // `.data | .[0]`, and `. | length`.
    filter.replace('P', list)
}

/// Names, texts as they came, what jq reads of them, and requests.
fn documents() -> Vec<(String, String, String, Value)> {
    let of = |name: &str, text: String, request: Value| (name.to_owned(), text.clone(), text, request);
    let tool = json!({"operation": "get_document"});
    let mut all = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/documents");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (name, text) = (path.file_name().unwrap().to_str().unwrap(), fs::read_to_string(&path).unwrap());
        if name.ends_with("json") || name.ends_with("jsonl") {
            // A document in a string is the document.
            let document = serde_json::from_str::<String>(&text).unwrap_or_else(|_| text.clone());
            all.push((name.to_owned(), text, document, tool.clone()));
        }
    }
    let items = |count: usize| {
        let item =
            |n: usize| format!(r#"{{"id":{n},"name":"n{n}","score":0.{n},"status":"{}"}}"#, ["active", "idle"][n % 2]);
        (0..count).map(item).collect::<Vec<_>>()
    };
    let list = items(40).join(", ");
    let map =
        items(12).into_iter().enumerate().map(|(n, item)| format!(r#""k{n}":{item}"#)).collect::<Vec<_>>().join(",");
    let rows = [
        ("results", format!(r#"{{"total": 40, "results": [{list}], "page": {{"next": null}}}}"#)),
        ("two lists", format!(r#"{{"n":1,"data":{{"users":[{list}],"groups":[{}]}}}}"#, items(25).join(",\n"))),
        ("an odd key", format!(r#"{{"the list":{{"a.b":[{list}]}},"x":1.10}}"#)),
        ("a key twice", format!(r#"{{"results":[1,2],"n":1,"results":[{list}]}}"#)),
        ("a list twice", format!(r#"{{"results":[{list}],"n":1,"results":[{}]}}"#, items(30).join(","))),
        (
            "pretty",
            serde_json::to_string_pretty(
                &serde_json::from_str::<Value>(&format!(r#"{{"a":"x\ny","results":[{list}]}}"#)).unwrap(),
            )
            .unwrap(),
        ),
        ("a map", format!(r#"{{"packages":{{{map}}},"version":3}}"#)),
        ("a map alone", format!("{{{map}}}")),
        ("an array", format!("[{list}]")),
        ("lines", items(30).join("\n")),
        ("one object", r#"{"title":"a long text that is the bulk","tags":[1,2]}"#.to_owned()),
        ("values", "[1]\n{\"a\":[2,3]}\n[4,5]\n".to_owned()),
        ("odd", corpus::odd()),
        ("empty strings", r#"{"":{"":[{"":1},{"":2},{"":3},{"":4}]}}"#.to_owned()),
        ("a mark", format!("\u{feff}{{\"results\":[{list}]}}")),
        ("numbers", format!(r#"{{"results":[1.10,1e2,100000000000000000000,-0,0.5,3],"rest":[{list}]}}"#)),
        ("arrays in a list", r#"{"rows":[[1,"a"],[2,"b"],[3,"c"],[4,"d"],[5,"e"]],"columns":["n","s"]}"#.to_owned()),
    ];
    all.extend(rows.map(|(name, text)| of(name, text, tool.clone())));
    let inner = format!(r#"{{"total": 40, "results": [{list}]}}"#);
    let in_a_string = |around: &str| around.replace("TEXT", &Value::from(inner.as_str()).to_string());
    for (name, around) in [("in a string", "TEXT"), ("in an object", r#"{"content":TEXT,"isError":false}"#)] {
        all.push((name.to_owned(), in_a_string(around), inner.clone(), tool.clone()));
    }
    all.push(("behind words".to_owned(), format!("Found 40:\n{inner}\n"), inner.clone(), tool.clone()));
    let memories = json!({"operation": "recall_memories", "memories": true});
    all.push(of("memories", corpus::memories(30), memories.clone()));
    let hit = |memory: &Value| json!({"memory": memory, "score": 0.5});
    let list: Vec<Value> = serde_json::from_str(&corpus::memories(20)).unwrap();
    let hits = list.iter().map(hit).collect::<Value>().to_string();
    all.push(of("hits", hits.clone(), memories.clone()));
    all.push(of("hits in an object", format!(r#"{{"total":20,"results":{hits}}}"#), memories.clone()));
    all
}

#[test]
fn a_filter_on_the_document_gives_what_jq_gives() {
    let (mut differences, mut count) = (Vec::new(), 0);
    for (name, text, document, request) in documents() {
        let offloaded = Offloaded::of(&text, &request);
        // jq 1.6 does not know a byte order mark.
        let document = document.trim_start_matches('\u{feff}');
        for (number, list) in offloaded.lists().iter().enumerate() {
            let filters = FILTERS.iter().chain(&FAILURES).filter(|filter| number == 0 || filter.contains('P'));
            let filters: Vec<String> = filters.map(|filter| about(filter, list)).collect();
            count += filters.len();
            for (filter, expected) in filters.iter().zip(by_jq(&filters, document)) {
                let difference = offloaded.compare(filter, expected.as_ref());
                differences.extend(difference.map(|said| format!("{name}: {said}")));
            }
        }
    }
    println!("{count} filters");
    assert!(count > 1500, "{count}");
    assert!(differences.is_empty(), "{} of {count}:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn pages_put_together_are_all_results() {
    let filters =
        ["P[]", "P[1:6][]", "P | .[] | [., 1]", "(P | length), P[]", "[P[] | type]", "P[-3:][] | type, length?"];
    for (name, text, _, request) in documents() {
        let offloaded = Offloaded::of(&text, &request);
        for (list, filter) in offloaded.lists().iter().flat_map(|list| filters.map(|filter| (list.clone(), filter))) {
            let asked = json!({"query": about(filter, &list), "on": "document"});
            // A slice of a map fails.
            let Ok(whole) = offloaded.page(&asked) else { continue };
            let whole = calls::results_text(whole.text);
            let (mut all, mut request, mut pages) = (String::new(), asked, 0);
            request["limit"] = 7.into();
            loop {
                let page = offloaded.page(&request).unwrap_or_else(|error| panic!("{name}, {request}: {error}"));
                all += &calls::results_text(page.text);
                pages += 1;
                let Some(next) = page.next else { break };
                assert!(page.count == 7 && pages < 200, "{name}, {request}");
                request["next"] = next.into();
            }
            assert_eq!(all, whole, "{name}, {filter} of {list}");
        }
    }
}

#[test]
fn all_keys_of_a_request_work_or_are_refused() {
    let items: Vec<Value> = (0..9).map(|n| json!({"id": n, "name": format!("n{n}")})).collect();
    let offloaded = Offloaded::of(&json!({"total": 9, "results": items}).to_string(), &json!({"operation": "a"}));
    let answer = |more: Value| {
        let mut request = json!({"on": "document"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        match offloaded.page(&request) {
            Ok(page) => calls::results_text(page.text),
            Err(error) => format!("{}: {}", error.case(), error.message()),
        }
    };
    let rows = [
        (json!({"query": ".results[:2][] | .name", "raw": true}), "n0\nn1\n"),
        (json!({"query": "[.total] | .[]", "raw": true}), "9\n"),
        (json!({"query": ".results[] | .id", "count": true}), "9\n"),
        (json!({"query": ".total, .results[].id", "count": true}), "10\n"),
        (json!({"query": ".results[] | .id", "limit": 2}), "0\n1\n"),
        (json!({"query": ".total, .results[].id", "limit": 2}), "9\n0\n"),
        (json!({"query": ".results[$n].name + $x", "params": {"n": 3, "x": "!"}}), "\"n3!\"\n"),
        (json!({"query": ".results[] | select(.id == $n) | .name", "params": {"n": 3}}), "\"n3\"\n"),
        (json!({"query": ".results[] | .id", "line": 4}), "2\n"),
        (json!({"query": ".total", "part": {"from": 50, "until": 90}}), ""),
        (json!({"query": ".total", "part": {"until": 90}}), "9\n"),
        (json!({"query": ".results[3].id", "part": {"from": 50}}), ""),
        (json!({"query": ".results | map(.id)", "max_bytes": 30}), "[0,1,2,3,4,5,6,7,8]\n"),
        (json!({"query": ".total", "strict": true}), "9\n"),
    ];
    for (request, expected) in rows {
        assert_eq!(answer(request.clone()), expected, "{request}");
    }
    let refused = [
        (json!({"query": ".results | map(.name)", "max_bytes": 30}), "limit-reached: "),
        (json!({"query": ".total | error", "strict": true}), "invalid-query: the filter failed on the document: "),
        (json!({"query": ".results[] | .id | error", "strict": true}), "invalid-query: the filter failed on line 2: "),
        (json!({"query": ".total", "slurp": true}), "invalid-argument: cannot extract: `slurp`"),
        (json!({"query": ".total", "line": 2}), "invalid-argument: cannot extract: `line`"),
        (json!({"query": ".results[0]", "line": 2}), "invalid-argument: cannot extract: `line`"),
        (json!({"query": ".total", "records": ".x"}), "invalid-argument: cannot extract: `records`"),
        (json!({"query": ".total", "recipe": 1}), "invalid-argument: cannot extract: both"),
        (json!({"recipe": 1}), "invalid-argument: cannot extract: `on`"),
        (json!({"count": true}), "invalid-argument: cannot extract: `on`"),
        (json!({"query": ".total", "where": ["id=1"]}), "invalid-argument: cannot extract: `where`"),
        (json!({"query": ".results[", "on": "document"}), "invalid-query: cannot compile the filter"),
        (json!({"query": ".total", "next": "9.9.9.9"}), "invalid-argument: cannot extract: `next`"),
    ];
    for (request, expected) in refused {
        let said = answer(request.clone());
        assert!(said.starts_with(expected), "{request}: {said}");
    }
    let into = answer(json!({"query": ".results[] | select(.id > 3)", "into": true}));
    assert_eq!(serde_json::from_str::<Value>(&into).unwrap()["summary"]["count"], 5);
}

/// A filter without `on` runs on what it was written for, and gives what jq gives on the document.
#[test]
fn a_filter_runs_on_what_it_was_written_for() {
    let commit = |n: usize| json!({"commit": {"n": n}, "author": {"login": format!("a{}", n % 3)}});
    let commits: Value = (0..40).map(commit).collect();
    let package =
        |n: usize| (format!("p{n}"), json!({"version": format!("{n}.0.0"), "dependencies": {"x": {"version": "0"}}}));
    let packages: Value = json!({"name": "lib", "dependencies": {"npm": {"dependencies":
        (0..40).map(package).collect::<serde_json::Map<_, _>>()}}});
    let mixed: Value =
        std::iter::once(json!("# a remark")).chain((0..40).map(|n| json!({"id": n, "fail": n % 2 == 0}))).collect();
    let rows = [
        (&commits, "map(.commit.n) | add"),
        (&commits, "map(select(.commit.n > 30)) | length"),
        (&commits, "[.[] | .author.login] | unique"),
        (&commits, "[limit(2; .[])]"),
        (&packages, ".dependencies.npm.dependencies.p3.version"),
        (&mixed, "map(select(type == \"object\" and .fail)) | length"),
    ];
    for (document, filter) in rows {
        let text = document.to_string();
        let expected = by_jq(&[filter.to_owned()], &text).remove(0).unwrap();
        let page = Offloaded::of(&text, &json!({"operation": "list"})).page(&json!({"query": filter})).unwrap();
        let found: Vec<Value> =
            page.text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let found = match (&found[..], &expected[..]) {
            // An array is given element by element.
            ([_, ..], [Value::Array(_)]) => vec![Value::Array(found)],
            _ => found,
        };
        assert_eq!(found, expected, "{filter}");
    }
}
