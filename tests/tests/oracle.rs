//! The ten recipes against the real jq: what a printed command gives in a real shell is what `extract` gives, wherever
//! jq succeeds (LRO-26 to LRO-32, LRO-36, EXTRACT-02, EXTRACT-06, EXTRACT-07, EXTRACT-18, decisions 6 to 8 and 26).
//!
//! Everything goes through the component, as a host sees it. A test lists all differences that it finds.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use lro::{Extraction, Lro, Options, Outcome, Source};
use lro_guest::offload::response::{bound, cost};
use lro_guest::recipes::shell_quote;
use lro_guest::settings::GuidanceKind;
use lro_tests::shell::Printed;
use lro_tests::{corpus, jq};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;

mod oracle {
    mod text;
}

const DETAILS: [&str; 3] = ["light", "medium", "full"];

/// What is offloaded, and how.
#[derive(Debug, Clone)]
struct Case {
    name: String,
    payload: String,
    request: Value,
    settings: Value,
    /// The output directory's name below a temporary folder.
    directory: &'static str,
}

/// An offloaded result.
struct Offloaded {
    lro: Lro,
    folder: TempDir,
    response: String,
    path: String,
    header: String,
    lines: Vec<String>,
    recipes: Vec<Recipe>,
}

/// A printed recipe.
struct Recipe {
    number: usize,
    description: String,
    command: String,
    /// Options of jq in the command.
    options: String,
    /// The filter in the command.
    filter: String,
}

/// A result of jq, or of ours, in the form in which they are compared.
#[derive(Debug, PartialEq)]
enum Given {
    Json(Value),
    /// Cells of a raw line; what is a number stands as one, since jq 1.6 writes 0.90 as 0.9.
    Row(Vec<Result<f64, String>>),
}

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

/// The literal is one that occurs in the records: the first text of the filter.
const OCCURRING: &str = "";

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

/// Each corpus in each way, and records made to fill a response.
fn all() -> Vec<Case> {
    let wide = |number: usize| {
        let escapes = "\u{0}\\\"".repeat(25);
        let member =
            |key: usize| format!("{}:[{key}]", json!(format!("{key}{escapes}").chars().take(60).collect::<String>()));
        let members: Vec<String> = (0..99).map(member).collect();
        let namespace = json!(format!("{}{number}", "\u{0}".repeat(79)));
        format!(r#"{{"id":"{number}","namespace":{namespace},{}}}"#, members.join(","))
    };
    let wide = corpus::array(&(0..9).map(wide).collect::<Vec<_>>());
    // Keys that come twice in one record and not at all in another.
    let twice = r#"[{"title":"a","title":"b","x":1,"x":2},{"id":"1"}]"#;
    let payloads = [
        ("real", corpus::REAL),
        ("synthetic", &synthetic()),
        ("odd", &corpus::odd()),
        ("wide", &wide),
        ("twice", twice),
    ];
    let mut cases: Vec<Case> = generic().into();
    for (name, payload) in payloads {
        cases.extend(at_each_detail(name, payload, "current"));
        cases.extend(at_each_detail(name, payload, "early"));
        cases.push(Case::new(
            &format!("{name} of another tool"),
            payload,
            json!({"operation": "list_issues"}),
            json!({}),
        ));
    }
    let with_tool = cases.iter().map(|case| {
        let mut case = Case { name: format!("{}, with the tool's guidance", case.name), ..case.clone() };
        case.settings["guidance"] = "tool".into();
        case
    });
    let with_tool: Vec<Case> = with_tool.collect();
    cases.extend(with_tool);
    cases
}

impl Case {
    fn new(name: &str, payload: &str, request: Value, settings: Value) -> Self {
        Self { name: name.into(), payload: payload.into(), request, settings, directory: "out" }
    }

    fn offload(&self) -> Offloaded {
        static LRO: OnceLock<Lro> = OnceLock::new();
        let folder = TempDir::new().unwrap();
        let directory = folder.path().join(self.directory);
        std::fs::create_dir(&directory).unwrap();
        let mut settings = self.settings.as_object().unwrap().clone();
        settings.insert("threshold_tokens".into(), 0.into());
        let options = Options::of(directory).settings(settings);
        let lro = LRO.get_or_init(|| Lro::open(&Options::default()).unwrap()).reopen(&options).unwrap();
        let offloading = lro.offload(&self.payload, &self.request.as_object().unwrap().clone().into()).unwrap();
        let Outcome::Offloaded(stored) = offloading.outcome else { panic!("{}: {offloading:?}", self.name) };
        let response: Value = serde_json::from_str(&stored.response).unwrap();
        let path = response["file_path"].as_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.split_terminator('\n').map(str::to_owned);
        Offloaded {
            lro,
            folder,
            response: stored.response,
            path: path.clone(),
            header: lines.next().unwrap(),
            lines: lines.collect(),
            recipes: response["jq_recipes"]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .map(|recipe| Recipe::new(recipe, &path))
                .collect(),
        }
    }
}

impl Offloaded {
    /// The results of a recipe on the file, one a line.
    fn ours(&self, recipe: usize, params: Value) -> Result<Vec<String>, String> {
        self.extract(&Source::File(self.path.clone()), recipe, params)
    }

    fn extract(&self, source: &Source, recipe: usize, params: Value) -> Result<Vec<String>, String> {
        let request = json!({"recipe": recipe, "params": params});
        let Extraction { results, count, truncated, failed, failures, .. } = self
            .lro
            .extract(source, &request.as_object().unwrap().clone().into())
            .map_err(|error| error.to_string())?;
        let lines: Vec<String> = results.split_terminator('\n').map(str::to_owned).collect();
        match lines.len() == count as usize && !truncated && failed == 0 {
            true => Ok(lines),
            false => Err(format!("{count} results on {} lines, truncated: {truncated}, {failures:?}", lines.len())),
        }
    }
}

impl Recipe {
    /// Where the path is too long for ten commands, they say what jq is to do, and the guidance has the rest once.
    fn new((index, recipe): (usize, &Value), path: &str) -> Self {
        let text = |key: &str| recipe[key].as_str().unwrap().to_owned();
        let command = match text("command") {
            invocation if invocation.starts_with("jq ") => format!("tail -n +2 {} | {invocation}", shell_quote(path)),
            command => command,
        };
        let (_, call) = command.rsplit_once(" | jq ").filter(|(_, call)| call.matches('\'').count() == 2).unwrap();
        let (options, filter) = call.split_once('\'').unwrap();
        Self {
            number: index + 1,
            description: text("description"),
            options: options.trim().to_owned(),
            filter: filter.strip_suffix('\'').unwrap().to_owned(),
            command,
        }
    }

    fn slurps(&self) -> bool {
        self.options == "-s"
    }

    fn is_raw(&self) -> bool {
        self.options == "-r"
    }
}

/// A corpus at each detail, asked for by `recall`.
fn at_each_detail(name: &str, payload: &str, profile: &str) -> Vec<Case> {
    let case = |detail| {
        let request = json!({"operation": "recall", "detail": detail});
        Case::new(&format!("{name}, {detail}, {profile}"), payload, request, json!({"profile": profile}))
    };
    DETAILS.map(case).into()
}

fn synthetic() -> String {
    corpus::synthetic(20_260_101, 400)
}

/// Records of another tool: nothing in common with memories, or not even with each other.
fn generic() -> [Case; 3] {
    let issue = |number: usize| {
        json!({
            "number": number,
            "title": format!("Cache {number} keeps a stale keyword"),
            "labels": [(["bug", "member"][number % 2])],
            "assignee": null,
            "score": number as f64 / 8.0,
            "user": {"login": format!("prefix-{number}"), "site_admin": false},
            "body": (["a pattern\nin two lines", "value", "prefix $(touch x)"][number % 3]),
        })
        .to_string()
    };
    let issues: Vec<String> = (0..120).map(issue).collect();
    let case = |name: &str, payload: &str| Case::new(name, payload, json!({"operation": "list_issues"}), json!({}));
    [
        case("issues", &corpus::array(&issues)),
        case("issues as JSON Lines", &issues.join("\n")),
        case("odd records of another tool", &corpus::odd()),
    ]
}

/// Where ours differs from the printed commands of a case under the real jq, and where a description is not true.
fn differences(case: &Case) -> Vec<String> {
    let file = case.offload();
    let difference = |recipe: &Recipe| {
        let problem = difference(&file, recipe).err()?;
        Some(format!("{}, recipe {}: {problem}", case.name, recipe.number))
    };
    let mut differences: Vec<String> = file.recipes.iter().filter_map(difference).collect();
    if std::fs::read_dir(file.folder.path()).unwrap().count() != 1 {
        differences.push(format!("{}: a command has touched something else", case.name));
    }
    differences
}

fn difference(file: &Offloaded, recipe: &Recipe) -> Result<(), String> {
    let printed = difference_of_results(file, recipe)?;
    let reports = jq::reports(&printed);
    match announced(&recipe.description) == reports && (reports > 0 || printed.stderr.is_empty()) {
        true => Ok(()),
        false => Err(format!("`{}`, but jq reports {reports}: {:.300}", recipe.description, printed.stderr)),
    }
}

/// Compares results alone, and answers what jq printed.
fn difference_of_results(file: &Offloaded, recipe: &Recipe) -> Result<Printed, String> {
    let printed = jq::command(&recipe.command, file.folder.path());
    let lines = file.ours(recipe.number, json!({}))?;
    match printed.status {
        Some(5) if recipe.slurps() => nothing_lost(&lines, recipe, file)?,
        Some(0 | 5) => same(&ours(&lines, recipe)?, &theirs(&printed.stdout, recipe))?,
        status => return Err(format!("jq ended with {status:?}: {}", printed.stderr)),
    }
    Ok(printed)
}

/// Decision 26, USER-14: how many reports of jq a description announces.
fn announced(description: &str) -> usize {
    let remarks = description.rsplit_once(" (").and_then(|(_, remarks)| remarks.strip_suffix(')'));
    // What a command does not find is said after that.
    match remarks.and_then(|remarks| remarks.split("; ").next()) {
        Some(remark) if remark.ends_with("reported on stderr") => remark.split(' ').next().unwrap().parse().unwrap(),
        Some(remark) if remark.starts_with("jq fails") => 1,
        _ => 0,
    }
}

/// True for what is said after a description: what jq reports, or what is not found.
fn is_remark(text: &str) -> bool {
    text.starts_with(" (") && text.ends_with(')') && (announced(text) > 0 || text.contains("(no "))
}

/// Ours, read by jq too, so that numbers and duplicate keys mean the same on both sides.
fn ours(lines: &[String], recipe: &Recipe) -> Result<Vec<Given>, String> {
    if recipe.is_raw() {
        return Ok(rows(lines.iter().map(String::as_str)));
    }
    match lines.iter().find(|line| serde_json::from_str::<&RawValue>(line).is_err()) {
        Some(line) => Err(format!("not one JSON text: {line}")),
        None => Ok(jq::read(&lines.join("\n")).into_iter().map(Given::Json).collect()),
    }
}

/// What jq printed. The one array of a slurping command stands for its elements.
fn theirs(stdout: &str, recipe: &Recipe) -> Vec<Given> {
    if recipe.is_raw() {
        return rows(stdout.split_terminator('\n'));
    }
    let values = match <[Value; 1]>::try_from(jq::values(stdout)) {
        Ok([Value::Array(elements)]) if recipe.slurps() => elements,
        Ok(one) => one.into(),
        Err(values) => values,
    };
    values.into_iter().map(Given::Json).collect()
}

fn rows<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Given> {
    let cell = |cell: &str| cell.parse::<f64>().map_err(|_| cell.to_owned());
    lines.map(|line| Given::Row(line.split('\t').map(cell).collect())).collect()
}

fn same(ours: &[Given], theirs: &[Given]) -> Result<(), String> {
    let different = ours.iter().zip(theirs).position(|(ours, theirs)| ours != theirs);
    match different {
        Some(index) => Err(format!("result {index}\n  of ours is {:?},\n  of jq    {:?}", ours[index], theirs[index])),
        None if ours.len() != theirs.len() => Err(format!("{} results of ours, {} of jq", ours.len(), theirs.len())),
        None => Ok(()),
    }
}

/// Where jq gives up on the whole set, ours has every record in it all the same.
fn nothing_lost(lines: &[String], recipe: &Recipe, file: &Offloaded) -> Result<(), String> {
    let records = file.lines.len();
    let results = jq::read(&lines.join("\n"));
    let complete = if recipe.filter.contains("count: length") {
        results.iter().map(|group| group["count"].as_u64().unwrap()).sum::<u64>() == records as u64
    } else if recipe.filter.contains("unique") {
        let all = jq::read(&file.lines.join("\n"));
        let namespaces: BTreeSet<String> = all.iter().map(|record| record["namespace"].to_string()).collect();
        results.iter().map(Value::to_string).collect::<BTreeSet<_>>() == namespaces
    } else {
        let known: BTreeSet<String> = jq::read(&file.lines.join("\n")).iter().map(Value::to_string).collect();
        let expected = if recipe.filter.ends_with(".[:10]") { records.min(10) } else { records };
        results.len() == expected && results.iter().all(|result| known.contains(&result.to_string()))
    };
    if complete { Ok(()) } else { Err(format!("{} results do not hold all of {records} records", lines.len())) }
}

/// Where ours differs from jq on single records, and where the whole is not what they give one after the other.
fn differences_by_record(case: &Case) -> Vec<String> {
    let file = case.offload();
    let of_recipe = |recipe: &Recipe| {
        let differences = recipe_differences_by_record(&file, recipe).unwrap_or_else(|error| vec![error]);
        let named = |difference| format!("{}, recipe {}: {difference}", case.name, recipe.number);
        differences.into_iter().map(named).collect::<Vec<_>>()
    };
    file.recipes.iter().filter(|recipe| !recipe.slurps()).flat_map(of_recipe).collect()
}

fn recipe_differences_by_record(file: &Offloaded, recipe: &Recipe) -> Result<Vec<String>, String> {
    let whole = file.ours(recipe.number, json!({}))?;
    let singly = ours_by_record(recipe, file)?;
    if whole != singly.concat() {
        return Err("the whole is not its parts".into());
    }
    let mut ours = ours(&whole, recipe)?.into_iter();
    let mut differences = Vec::new();
    for ((line, results), theirs) in file.lines.iter().zip(singly).zip(theirs_by_record(recipe, &file.lines)) {
        let ours: Vec<Given> = ours.by_ref().take(results.len()).collect();
        let compared = theirs.map_or(Ok(()), |theirs| same(&ours, &theirs));
        differences.extend(compared.err().map(|difference| format!("{line}: {difference}")));
    }
    Ok(differences)
}

/// What ours gives on each record: all in one call, told apart by a memory between them that every recipe selects.
fn ours_by_record(recipe: &Recipe, file: &Offloaded) -> Result<Vec<Vec<String>>, String> {
    const MARK: &str = r#"{"id":"mark","title":"the mark, keyword","namespace":"_semantic","memory_type":"semantic","tags":["TAG"],"content":"pattern","entities":[1]}"#;
    let lines: Vec<String> = file.lines.iter().map(|line| format!("{line}\n{MARK}\n")).collect();
    let source = Source::Content(format!("{}\n{}", file.header, lines.concat()));
    let results = file.extract(&source, recipe.number, json!({}))?;
    let mut singly: Vec<Vec<String>> = results.split(|result| result.contains("the mark")).map(<[_]>::to_vec).collect();
    match singly.len() == file.lines.len() + 1 && singly.pop() == Some(Vec::new()) {
        true => Ok(singly),
        false => Err("the mark is not among the results as often as among the records".into()),
    }
}

/// What jq gives on each record alone, and nothing where it fails.
fn theirs_by_record(recipe: &Recipe, records: &[String]) -> Vec<Option<Vec<Given>>> {
    let input = if recipe.slurps() { "[.] | " } else { "" };
    let filter = format!("try [{input}{}] catch null", recipe.filter);
    let printed = jq::filter(["-c"], &filter, &records.join("\n"));
    assert_eq!((printed.status, printed.stderr.as_str()), (Some(0), ""));
    let outputs = jq::values(&printed.stdout);
    assert_eq!(outputs.len(), records.len());
    let given = |outputs: Value| {
        let outputs = outputs.as_array()?;
        let raw = outputs.iter().map(|output| output.as_str().filter(|_| recipe.is_raw()));
        let lines: Vec<String> =
            raw.zip(outputs).map(|(raw, output)| raw.map_or(output.to_string(), str::to_owned)).collect();
        Some(theirs(&lines.join("\n"), recipe))
    };
    outputs.into_iter().map(given).collect()
}

/// A recipe with a parameter against its filter with another literal.
fn difference_with_parameter(
    file: &Offloaded,
    number: usize,
    name: &str,
    literal: &str,
    value: &str,
) -> Result<(), String> {
    let recipe = &file.recipes[number - 1];
    let first = recipe.filter.find('"').map(|start| jq::first_text(&recipe.filter[start..]));
    let literal = if literal == OCCURRING { first.expect("the filter has a text") } else { json!(literal).to_string() };
    let replaced = json!(value).to_string();
    assert_eq!(recipe.filter.matches(&literal).count(), 1, "{}", recipe.filter);
    let filter = recipe.filter.replace(&literal, &replaced);
    let options = Some(recipe.options.as_str()).filter(|options| !options.is_empty());
    let printed = jq::filter(options, &filter, &file.lines.join("\n"));
    let lines = file.ours(number, json!({ name: value }));
    if jq::reports(&printed) == file.lines.len() {
        // No record could be handled: the value is not a regular expression.
        return lines.map_or(Ok(()), |lines| Err(format!("jq always fails, ours gives {} results", lines.len())));
    }
    same(&ours(&lines?, recipe)?, &theirs(&printed.stdout, recipe))
}

/// The elements of an array's text.
fn inner(array: &str) -> &str {
    &array[1..array.len() - 1]
}

/// Fails with all that was found.
fn report(found: impl IntoIterator<Item = String>) {
    let found: Vec<String> = found.into_iter().collect();
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}
