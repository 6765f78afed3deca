//! Any message of another server, and any arguments of a model: results are rewritten to valid ones in bounded size, lists of
//! tools stay lists, our tools answer within their bound, and references are resolved or refused.
//!
//! The first byte chooses what the rest is.

use lro_guest::calls::{self, Source};
use lro_guest::error::Error;
use lro_guest::file::instant::Instant;
use lro_guest::mcp;
use lro_query::json::{has_half, is_json};
use serde_json::{Value, json};

use crate::output;

const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };
const TOOLS: [&str; 4] = ["lro_extract", "lro_describe", "lro_read", "lro_search"];

/// The most bytes of an answer of one of our tools: `max_answer_bytes`.
const MOST_ANSWER_BYTES: usize = 8192;

/// More than a response costs, with all its lists, in bytes.
const MOST_RESPONSE_BYTES: usize = 16 * 1024;

/// Runs the target.
pub fn run(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    output::clear();
    let settings = settings(*choice);
    match choice & 7 {
        0 => result(&text, &settings),
        1 => result(&json!({"content": [{"type": "text", "text": text}]}).to_string(), &settings),
        2 => result(&format!(r#"{{"structuredContent":{text},"content":[]}}"#), &settings),
        3 => list(&text, &settings),
        4 => result(&format!(r#"{{"taskId":"t","status":"completed","result":{text}}}"#), &settings),
        5 => call(TOOLS[usize::from(choice >> 4) & 3], &text, &settings),
        _ => hand_over(&text, &settings),
    }
}

fn settings(choice: u8) -> Value {
    let mut settings = json!({
        "output_dir": output::directory(),
        "threshold_tokens": 50,
        "resolve_arguments": true,
        "max_argument_bytes": 10_000,
    });
    if choice & 8 != 0 && choice & 0x10 != 0 {
        settings["context_tokens"] = 20_000.into();
        settings["call"] = json!({"session": "s1", "input_tokens": 19_000});
    } else if choice & 8 != 0 {
        settings["mode"] = "truncate".into();
    }
    settings
}

/// MCP-01: a result that is replaced is one again, small and marked; what was stored can be read.
fn result(text: &str, settings: &Value) {
    let rewritten = match mcp::offload_result("some_tool", r#"{"q":1}"#, text, &settings.to_string(), || Ok(INSTANT)) {
        Ok(rewritten) => rewritten,
        Err(Error::InvalidArgument(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let Some(message) = rewritten.message else { return };
    if has_half(&message) {
        // What is not replaced keeps half of a surrogate pair, which serde_json cannot read.
        assert!(is_json(&message), "{message}");
        return;
    }
    let mut message: Value = serde_json::from_str(&message).expect("a replaced result is JSON");
    if message.get("taskId").is_some() && message["status"] == "completed" && message.get("result").is_some() {
        message = message["result"].take();
    }
    if let Some(name) = rewritten.file_name {
        let shown = message["content"].to_string().len();
        assert!(shown <= MOST_RESPONSE_BYTES, "a result of {shown} bytes: {message}");
        assert_eq!(message["_meta"]["lro/result"], "offloaded", "{message}");
        let described = calls::describe(Source::File(&name), &settings.to_string(), || Ok(INSTANT));
        described.expect("what was stored can be described");
        let again = mcp::offload_result("some_tool", "{}", &message.to_string(), &settings.to_string(), || Ok(INSTANT));
        assert_eq!(again.expect("a response is a result").message, None, "a response is left alone");
    }
}

/// LRO-20: our tools are added to a list, and those of the server stay.
fn list(text: &str, settings: &Value) {
    let Ok(Some(changed)) = mcp::offload_tools(text, &settings.to_string()) else { return };
    if has_half(text) {
        assert!(is_json(&changed), "{changed}");
        return;
    }
    let changed: Value = serde_json::from_str(&changed).expect("a changed list is JSON");
    let earlier: Value = serde_json::from_str(text).expect("what is changed was JSON");
    let count = |list: &Value| list["tools"].as_array().map_or(0, Vec::len);
    assert!(count(&changed) >= count(&earlier), "{changed}");
    for (tool, earlier) in
        changed["tools"].as_array().into_iter().flatten().zip(earlier["tools"].as_array().into_iter().flatten())
    {
        assert_eq!(tool.get("name"), earlier.get("name"));
        assert_eq!(tool.get("inputSchema"), earlier.get("inputSchema"));
    }
}

/// A file, whose place is returned.
fn file(settings: &Value) -> String {
    let records: Vec<Value> =
        (0..30).map(|n| json!({"id": n, "name": format!("name {n}"), "tags": ["a", "b"]})).collect();
    let result = json!({"content": [{"type": "text", "text": Value::from(records).to_string()}]}).to_string();
    let settings = json!({"output_dir": settings["output_dir"], "threshold_tokens": 0}).to_string();
    let rewritten =
        mcp::offload_result("other", "{}", &result, &settings, || Ok(INSTANT)).expect("a result is offloaded");
    rewritten.file_name.expect("a file was written")
}

/// USER-04: our tools answer any arguments with a result of at most `max_answer_bytes`.
fn call(tool: &str, arguments: &str, settings: &Value) {
    let settings = json!({"output_dir": settings["output_dir"], "max_steps": 100_000});
    let arguments = arguments.replace("FILE", &file(&settings));
    let result = mcp::call(tool, &arguments, &settings.to_string(), || Ok(INSTANT)).expect("the tool is ours");
    let result: Value = serde_json::from_str(&result).expect("a result is JSON");
    let texts = result["content"].as_array().expect("a result has content").iter();
    let bytes: usize = texts.map(|block| block["text"].as_str().expect("content is text").len()).sum();
    assert!(bytes <= MOST_ANSWER_BYTES, "{tool} answers {bytes} bytes to {arguments}");
}

/// USER-11: references are replaced by data of bounded size, or refused; everything else keeps its bytes.
fn hand_over(arguments: &str, settings: &Value) {
    let settings = json!({"output_dir": settings["output_dir"], "resolve_arguments": true, "max_argument_bytes": 10_000, "max_steps": 100_000});
    let arguments = arguments.replace("FILE", &file(&settings));
    let resolved = mcp::resolve_arguments("other", &arguments, &settings.to_string(), || Ok(INSTANT));
    let Ok(Some(resolved)) = resolved else { return };
    assert!(resolved.len() <= arguments.len() + 6 * 10_000, "{} bytes of arguments", resolved.len());
    if serde_json::from_str::<Value>(&arguments).is_ok() {
        serde_json::from_str::<Value>(&resolved).expect("resolved arguments are JSON");
    }
}
