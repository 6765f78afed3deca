//! Results of any tool: each document of `fixtures/documents`, and a log of 50 MB, goes to files and comes back; its ten
//! recipes run in a real shell without a message, and natively with equal results (SECTION-01, SECTION-02, SECTION-05,
//! USER-01, USER-02, USER-06, USER-14, LRO-32).

use std::fmt::Write;
use std::fs;
use std::path::Path;

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::disk;
use lro_guest::file::header::Header;
use lro_guest::offload::response::{MOST_TOKENS, bound, cost};
use lro_guest::recipes;
use lro_guest::settings::GuidanceKind;
use lro_tests::jq;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A result that has been offloaded.
struct Offloaded {
    folder: TempDir,
    settings: String,
    response: Value,
    text: String,
}

/// A list of a response: the file, and the commands.
struct List {
    file: String,
    commands: Vec<String>,
}

impl Offloaded {
    fn of(payload: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let settings = json!({"threshold_tokens": 0, "output_dir": folder.path()}).to_string();
        let request = r#"{"operation":"get_document"}"#;
        let answer = calls::offload(payload, request, &settings, disk::instant).unwrap();
        let Outcome::Offloaded(Stored { response, .. }) = answer.outcome else { panic!("{answer:?}") };
        Self { folder, settings, response: serde_json::from_str(&response).unwrap(), text: response }
    }

    fn file(&self) -> &str {
        self.response["file_path"].as_str().unwrap()
    }

    fn rebuilt(&self) -> String {
        calls::rebuild(Source::File(self.file()), &self.settings, disk::instant).unwrap()
    }

    /// The main list, and further ones: what the response says of their recipes is true of the file.
    fn lists(&self) -> Vec<List> {
        // Where paths are long, a response has room for the filters alone.
        let whole = |command: String| match command.starts_with("jq ") {
            true => format!("tail -n +2 {} | {command}", self.file()),
            false => command,
        };
        let recipes = self.response["jq_recipes"].as_array().unwrap().iter();
        let commands = recipes.map(|recipe| whole(text_of(&recipe["command"])));
        let main = List { file: self.file().to_owned(), commands: commands.collect() };
        let sections = self.response["sections"].as_array().into_iter().flatten();
        let further = sections.filter(|section| section["file_path"] != self.response["file_path"]).map(|section| {
            let file = text_of(&section["file_path"]);
            let header = fs::read(&file).unwrap();
            let header = Header::parse(header.split(|byte| *byte == b'\n').next().unwrap(), "lro_header").unwrap();
            let set = recipes::set(&header.lro, header.detail);
            for (recipe, said) in set.recipes.iter().zip(section["jq_recipes"].as_array().into_iter().flatten()) {
                let said = text_of(said);
                assert!(
                    [recipe.command(&file), recipe.invocation(), recipe.label.to_string()].contains(&said),
                    "{said}"
                );
            }
            List { commands: set.recipes.iter().map(|recipe| recipe.command(&file)).collect(), file }
        });
        std::iter::once(main).chain(further).collect()
    }

    /// Where the recipes of a list differ from the printed commands, or are not silent.
    fn differences(&self, list: &List) -> Vec<String> {
        assert_eq!(list.commands.len(), 10);
        (1..).zip(&list.commands).filter_map(|(number, command)| self.difference(list, number, command)).collect()
    }

    fn difference(&self, list: &List, number: usize, command: &str) -> Option<String> {
        let printed = jq::command(command, self.folder.path());
        if (printed.status, printed.stderr.as_str()) != (Some(0), "") {
            return Some(format!("{command}: {}", printed.stderr));
        }
        let request = json!({"recipe": number}).to_string();
        let page = match calls::extract(Source::File(&list.file), &request, &self.settings, disk::instant) {
            Ok(page) if page.failed == 0 && page.next.is_none() => page,
            other => return Some(format!("recipe {number}: {other:?}")),
        };
        let ours = String::from_utf8(page.text).unwrap();
        let (ours, theirs) = comparable(command, &ours, &printed.stdout);
        (ours != theirs).then(|| format!("{command}:\n  ours {ours:.400?}\n  jq   {theirs:.400?}"))
    }
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// What ours and jq say, so that equal things are equal: cells of rows, JSON values, or lines.
fn comparable(command: &str, ours: &str, theirs: &str) -> (Vec<Value>, Vec<Value>) {
    let options = command.rsplit_once(" | jq ").unwrap().1.split('\'').next().unwrap().trim();
    // jq 1.6 writes 0.90 as 0.9: what is a number is compared as one.
    let cell = |cell: &str| cell.parse::<f64>().map_or_else(|_| cell.into(), Value::from);
    let row = |line: &str| Value::from(line.split('\t').map(cell).collect::<Vec<_>>());
    let rows = |text: &str| text.split_terminator('\n').map(row).collect();
    match options {
        "-r" | "-Rr" => (rows(ours), rows(theirs)),
        "-s" | "-Rn" | "-Rnc" => {
            let theirs = match <[Value; 1]>::try_from(jq::values(theirs)) {
                Ok([Value::Array(elements)]) => elements,
                Ok(one) => one.into(),
                Err(values) => values,
            };
            let is_text = theirs.iter().any(Value::is_string) && options == "-Rn";
            let lines = || ours.split_terminator('\n').map(Value::from).collect();
            (if is_text { lines() } else { jq::read(ours) }, theirs)
        }
        _ => (jq::read(ours), jq::values(theirs)),
    }
}

fn documents() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/documents");
    let mut documents: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap()))
        .collect();
    documents.sort();
    assert!(documents.len() >= 11, "{} documents", documents.len());
    documents
}

/// The response is one JSON document of a bounded size, and every line is as its schema says.
#[test]
fn responses_are_small_and_true() {
    for (name, payload) in documents() {
        let file = Offloaded::of(&payload);
        let tokens = cost(&file.text);
        let lists = file.response["sections"].as_array().map_or(1, Vec::len);
        assert!(tokens <= bound(GuidanceKind::Shell, "", lists), "{name}: {tokens} tokens");
        let keys: Vec<&String> = file.response.as_object().unwrap().keys().take(6).collect();
        assert_eq!(keys, ["offloaded", "summary", "file_path", "line_schema", "jq_recipes", "guidance"], "{name}");
        assert_eq!(file.response["jq_recipes"].as_array().unwrap().len(), 10, "{name}");
        if file.response["document"]["form"] != "text" {
            let schema = jsonschema::validator_for(&file.response["line_schema"]).unwrap();
            for line in fs::read_to_string(file.file()).unwrap().lines().skip(1) {
                let value = serde_json::from_str(line).unwrap();
                assert!(schema.is_valid(&value), "{name}: {line:.300}");
            }
        }
    }
}

/// USER-01: what comes back is what came in, byte for byte where the response says so.
#[test]
fn documents_come_back() {
    for (name, payload) in documents() {
        let file = Offloaded::of(&payload);
        let rebuilt = file.rebuilt();
        match file.response["document"]["rebuilds"].as_str() {
            None | Some("exactly") => assert!(rebuilt == payload, "{name}"),
            Some(_) => {
                let read = |text: &str| serde_json::from_str::<Value>(text).unwrap();
                assert_eq!(read(&rebuilt), read(&payload), "{name}");
            }
        }
        let exact = !matches!(name.as_str(), "github-issues.json" | "tree.json" | "npm.json");
        assert!(!exact || rebuilt == payload, "{name} was not pretty-printed");
    }
}

/// USER-14, decision 26: every advertised recipe works on this very file, and says what jq says.
#[test]
fn recipes_are_silent_and_equal() {
    let mut found = Vec::new();
    for (name, payload) in documents() {
        let file = Offloaded::of(&payload);
        for list in file.lists() {
            found.extend(file.differences(&list).into_iter().map(|difference| format!("{name}: {difference}")));
        }
    }
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
}

/// Words of jq's own, and names of several words, can be the names of fields.
#[test]
fn fields_of_any_name_are_projected() {
    let keywords = "def module import include if then else elif end as reduce foreach try catch label break and or not \
                    __loc__ null true false nan empty error input limit env";
    let names = keywords.split_whitespace().chain(["US Gross", "a-b", "x/y", "@type", "1st", "v1.2", "https://e.org"]);
    let found: Vec<String> = names
        .filter_map(|name| {
            let payload: Vec<Value> = (0..3).map(|n| json!({name: format!("x{n}")})).collect();
            let file = Offloaded::of(&json!(payload).to_string());
            let list = &file.lists()[0];
            assert!(list.commands[3].contains(name), "{name} has no role: {}", list.commands[3]);
            file.difference(list, 4, &list.commands[3])
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What was taken for the records is said, and is what a reader would take.
#[test]
fn records_are_where_they_are_expected() {
    let expected = [
        ("earthquakes.geojson", json!({"form": "object", "records": ".features"}), 45),
        ("github-issues.json", json!({"form": "object", "records": ".items"}), 40),
        ("mixed.json", json!({"form": "array", "records": "."}), 24),
        ("numbers.jsonl", json!({"form": "lines", "records": "."}), 32),
        ("orders.csv", json!({"form": "text", "records": ".", "notation": "csv"}), 60),
        ("quoted.json", json!({"form": "array", "records": ".", "quoted": true}), 30),
        ("report.json", json!({"form": "object", "records": ".hosts"}), 40),
        ("rows.json", json!({"form": "object", "records": ".rows"}), 60),
        ("tree.json", json!({"form": "object", "records": ".children"}), 30),
    ];
    let documents = documents();
    for (name, document, count) in expected {
        let (_, payload) = documents.iter().find(|(known, _)| known == name).unwrap();
        let mut response = Offloaded::of(payload).response;
        let said = response["document"].as_object_mut().unwrap();
        said.retain(|key, _| !matches!(key.as_str(), "rebuilds" | "text"));
        assert_eq!((&response["document"], &response["summary"]["count"]), (&document, &json!(count)), "{name}");
    }
}

/// A log of 50 MB is kept as it is. Its recipes are compared on a tenth: jq needs minutes for the whole.
#[test]
fn a_large_log_goes_to_a_file_and_comes_back() {
    const LINES: usize = 520_000;
    const LEVELS: [&str; 4] = ["INFO ", "WARN ", "ERROR", "DEBUG"];
    let mut log = String::new();
    for line in 0..LINES {
        let (minute, second, level) = (line / 60 % 60, line % 60, LEVELS[line % 7 % 4]);
        writeln!(log, "2026-01-01T00:{minute:02}:{second:02}.{line:06}Z {level} worker-{} request {line} of prefix/{} took {} ms and said \"ok\"\t#", line % 9, line % 31, line % 997).unwrap();
    }
    assert!(log.len() > 50_000_000, "{}", log.len());
    let file = Offloaded::of(&log);
    assert!(cost(&file.text) <= MOST_TOKENS);
    assert_eq!(file.response["summary"]["count"], LINES);
    assert!(file.rebuilt() == log, "the log is not what it was");
    let request = r#"{"recipe":3,"params":{"keyword":"REQUEST 519999 "}}"#;
    let page = calls::extract(Source::File(file.file()), request, &file.settings, disk::instant).unwrap();
    assert_eq!(page.count, 1);

    let tenth = log.len() / 10;
    let part = Offloaded::of(&log[..tenth]);
    let found: Vec<String> = part.lists().iter().flat_map(|list| part.differences(list)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
