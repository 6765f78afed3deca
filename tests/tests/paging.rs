//! Paging never stops before the end: whatever is asked over MCP, page by page to the last, with every stub read by its
//! `read`, is what the library answers in one page (EXTRACT-20, EXTRACT-21, USER-04).

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use lro_guest::calls::{self, Outcome, Source, Stored};
use lro_guest::{disk, mcp};
use lro_tests::{command, corpus};
use serde_json::{Value, json};
use tempfile::TempDir;

/// An answer is never larger (USER-04).
const MOST_BYTES: usize = 8192;

/// Far more pages than any of these files has.
const MOST_PAGES: usize = 2000;

/// A result that has been offloaded.
struct Offloaded {
    folder: TempDir,
    file: String,
}

impl Offloaded {
    fn of(payload: &str, request: &Value) -> Self {
        let folder = TempDir::new().unwrap();
        let settings = json!({"threshold_tokens": 0, "output_dir": folder.path()}).to_string();
        let answer = calls::offload(payload, &request.to_string(), &settings, disk::instant).unwrap();
        let Outcome::Offloaded(Stored { response, .. }) = answer.outcome else { panic!("{answer:?}") };
        let response: Value = serde_json::from_str(&response).unwrap();
        Self { file: response["file_path"].as_str().unwrap().to_owned(), folder }
    }

    fn memories() -> Self {
        Self::of(corpus::REAL, &json!({"operation": "recall", "memories": true}))
    }

    /// 50 of them, more than half of which are larger than a page: a filter on the whole set runs again for each page.
    fn some_memories() -> Self {
        let all: Vec<Value> = serde_json::from_str(corpus::REAL).unwrap();
        Self::of(&Value::from(&all[180..230]).to_string(), &json!({"operation": "recall", "memories": true}))
    }

    fn settings(&self) -> String {
        json!({"output_dir": self.folder.path()}).to_string()
    }

    /// All results of a request by the library, as JSON texts.
    fn whole(&self, asked: &Value) -> Vec<String> {
        let mut request = asked.clone();
        request["raw"] = false.into();
        let page = calls::extract(Source::File(&self.file), &request.to_string(), &self.settings(), disk::instant);
        let page = page.unwrap_or_else(|error| panic!("{asked}: {error}"));
        assert_eq!(page.next, None, "{asked}");
        String::from_utf8(page.text).unwrap().lines().map(str::to_owned).collect()
    }

    /// All results of a request over MCP, page by page, as JSON texts; and how many of them came as stubs.
    fn paged(&self, server: &mut impl Server, asked: &Value) -> (Vec<String>, usize) {
        let (mut results, mut stubs) = (Vec::new(), 0);
        self.each_page(server, asked, |server, result| {
            let result = serde_json::from_str::<Value>(result).unwrap();
            results.push(match result.get("stub") {
                Some(stub) => {
                    stubs += 1;
                    self.pieces(server, &with(asked, &stub["read"]))
                }
                None => result.to_string(),
            });
        });
        (results, stubs)
    }

    /// A result that is read in pieces.
    fn pieces(&self, server: &mut impl Server, asked: &Value) -> String {
        let (mut text, mut is_json) = (String::new(), true);
        self.each_page(server, asked, |_, result| {
            let piece = &serde_json::from_str::<Value>(result).unwrap()["piece"];
            assert_eq!(piece["from"], text.len(), "{asked}");
            text.push_str(piece["text"].as_str().unwrap_or_else(|| panic!("{asked}: {result}")));
            is_json = piece["form"] == "json";
        });
        assert!(!text.is_empty(), "{asked}: no piece");
        if is_json { text } else { Value::from(text).to_string() }
    }

    /// Hands on each result of all pages.
    fn each_page<S: Server>(&self, server: &mut S, asked: &Value, mut take: impl FnMut(&mut S, &str)) {
        let mut arguments = with(asked, &json!({"file_path": self.file}));
        for _ in 0..MOST_PAGES {
            let answer = server.call(&arguments);
            for result in answer["results"].as_array().unwrap_or_else(|| panic!("{arguments}: {answer}")) {
                take(server, &result.to_string());
            }
            match &answer["next"] {
                Value::Null => return,
                next => arguments["next"] = next.clone(),
            }
        }
        panic!("{asked}: the pages do not end");
    }

    /// True of both ways.
    fn agrees(&self, server: &mut impl Server, asked: &Value) -> usize {
        let (found, stubs) = self.paged(server, asked);
        let values =
            |texts: &[String]| -> Vec<Value> { texts.iter().map(|text| serde_json::from_str(text).unwrap()).collect() };
        let (found, expected) = (values(&found), values(&self.whole(asked)));
        assert_eq!(found.len(), expected.len(), "{asked}");
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert!(found == expected, "{asked}: result {place} is {found:.300}, not {expected:.300}");
        }
        stubs
    }
}

/// Arguments with others over them.
fn with(arguments: &Value, others: &Value) -> Value {
    let mut all = arguments.as_object().unwrap().clone();
    all.extend(others.as_object().unwrap().clone());
    all.into()
}

/// Who answers calls of `lro_extract` with the structured content.
trait Server {
    fn call(&mut self, arguments: &Value) -> Value;
}

/// The guest, natively.
struct Native(String);

impl Server for Native {
    fn call(&mut self, arguments: &Value) -> Value {
        let answer = mcp::call("lro_extract", &arguments.to_string(), &self.0, disk::instant).unwrap();
        content(&serde_json::from_str(&answer).unwrap(), arguments)
    }
}

/// The structured content of a CallToolResult, which says the same as its text and is small.
fn content(result: &Value, arguments: &Value) -> Value {
    assert_eq!(result["isError"], false, "{arguments}: {result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.len() <= MOST_BYTES, "{arguments}: {} bytes", text.len());
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), result["structuredContent"]);
    result["structuredContent"].clone()
}

/// `lro mcp`.
struct Running {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    calls: u32,
}

impl Running {
    fn start(file: &Offloaded) -> Self {
        let mut child = Command::new(command::lro())
            .args(["mcp", "--output-dir"])
            .arg(file.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut running = Self { child, input, output, calls: 0 };
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        running.asks("initialize", &client);
        running.sends(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        running
    }

    fn sends(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn asks(&mut self, method: &str, params: &Value) -> Value {
        self.calls += 1;
        self.sends(&json!({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], self.calls, "{answer}");
        answer["result"].clone()
    }
}

impl Server for Running {
    fn call(&mut self, arguments: &Value) -> Value {
        let result = self.asks("tools/call", &json!({"name": "lro_extract", "arguments": arguments}));
        content(&result, arguments)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.input.take());
        self.child.wait().unwrap();
    }
}

/// All ten recipes, with words that find something.
fn recipes() -> [Value; 10] {
    [
        json!({"recipe": 1}),
        json!({"recipe": 2, "params": {"namespace": "decisions"}}),
        json!({"recipe": 3, "params": {"keyword": "decision"}}),
        json!({"recipe": 4}),
        json!({"recipe": 5, "params": {"memory_type": "semantic"}}),
        json!({"recipe": 6}),
        json!({"recipe": 7, "params": {"tag": "adr"}}),
        json!({"recipe": 8}),
        json!({"recipe": 9}),
        json!({"recipe": 10, "params": {"pattern": "adr"}}),
    ]
}

#[test]
fn the_recipes_of_real_memories_go_to_the_end() {
    let file = Offloaded::memories();
    let mut server = Native(file.settings());
    let stubs: Vec<usize> = recipes().iter().map(|asked| file.agrees(&mut server, asked)).collect();
    // 91 of these memories are larger than a page, and each of them is seen where all are asked for.
    assert!(stubs.iter().filter(|stubs| **stubs > 0).count() >= 6, "{stubs:?}");
    assert!(stubs.contains(&91) || stubs.contains(&92), "{stubs:?}");
}

#[test]
fn criteria_and_filters_go_to_the_end() {
    let file = Offloaded::some_memories();
    let mut server = Native(file.settings());
    for asked in [
        json!({"query": "."}),
        json!({"query": "{title, content}"}),
        json!({"query": ".content, .title"}),
        json!({"query": "[.]"}),
        json!({"query": "sort_by(.title)", "slurp": true}),
        json!({"query": "map(.content) | add", "slurp": true}),
        json!({"query": "map(.content)", "slurp": true}),
        json!({"where": ["content~=the"]}),
        json!({"sort_by": "-created"}),
        json!({"where": ["tags"], "sort_by": "created", "select": ["title", "content"]}),
        json!({"line": 2, "lines": 400}),
        json!({"query": ".content", "line": 2, "lines": 40}),
    ] {
        assert!(file.agrees(&mut server, &asked) > 0, "{asked}: there are no stubs");
    }
}

#[test]
fn long_lines_of_texts_are_read_in_pieces() {
    let line = |number: usize| match number % 7 {
        3 => format!("{number} \"long\\\" é {}", "<tag>é</tag> ".repeat(700 + number)),
        _ => format!("{number} ERROR short"),
    };
    let text: Vec<String> = (0..60).map(line).collect();
    let file = Offloaded::of(&text.join("\n"), &json!({"operation": "read_log"}));
    let mut server = Native(file.settings());
    for asked in [
        json!({"query": "."}),
        json!({"query": "[.]"}),
        json!({"query": "sort", "slurp": true}),
        json!({"recipe": 3, "params": {"keyword": "tag"}}),
    ] {
        assert!(file.agrees(&mut server, &asked) > 0, "{asked}");
    }
    let results = |answer: Value| answer["results"].clone();
    let arguments = |asked: &Value| with(asked, &json!({"file_path": file.file}));
    assert_eq!(results(server.call(&arguments(&json!({"line": 2, "lines": 2})))), json!([text[0], text[1]]));
    assert_eq!(file.pieces(&mut server, &json!({"line": 5})), Value::from(text[3].as_str()).to_string());
    assert_eq!(results(server.call(&arguments(&json!({"line": 5, "query": ".[:9]"})))), json!(["3 \"long\\\""]));
}

#[test]
fn the_command_serves_the_same() {
    let file = Offloaded::some_memories();
    let mut server = Running::start(&file);
    let asked =
        [json!({"recipe": 3, "params": {"keyword": "decision"}}), json!({"recipe": 8}), json!({"query": "[.]"})];
    let stubs: usize = asked.iter().map(|asked| file.agrees(&mut server, asked)).sum();
    assert!(stubs > 0, "some of these memories are larger than a page");
}
