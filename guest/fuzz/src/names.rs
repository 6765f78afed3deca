//! Any text as a path, an operation, a session or a prefix: names stay in the output directory, and one that we give is one
//! that we know again.

use lro_guest::calls::{self, Outcome};
use lro_guest::file::file_name::{self, FileName};
use lro_guest::file::instant::Instant;
use lro_guest::recipes::shell_quote;
use lro_guest::settings::Settings;
use lro_guest::settings::request::is_session;
use serde_json::{Value, json};

const INSTANT: Instant = Instant { milliseconds: 1_767_225_600_000, random: 1 << 70 };

/// Runs the target. The first byte chooses the settings.
pub fn run(data: &[u8]) {
    let Some((choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let output_dir = ["/output", "/", "out\\put", "/a b/ü"][usize::from(choice & 3)];
    let mut settings = json!({
        "output_dir": output_dir,
        "store": "content",
        "threshold_tokens": 0,
        "profile": if choice & 4 == 0 { "current" } else { "mcpagent" },
    });
    if choice & 8 != 0 {
        settings["public_dir"] = ["C:\\out", "/home/me/../out"][usize::from(choice >> 4) & 1].into();
    }
    means_a_file_inside(text, &settings);
    settings["call"] = json!({"session": "s1"});
    means_a_file_inside(text, &settings);
    names_a_file_inside(text, &settings);
    quotes(text);
}

/// EXTRACT-02: a path is refused, or means a plain name directly in the output directory or in a folder of it.
fn means_a_file_inside(path: &str, settings: &Value) {
    let session = settings["call"]["session"].as_str();
    let settings = Settings::parse(&settings.to_string()).expect("the settings are valid");
    let Ok(file) = FileName::from_path(path, &settings) else { return };
    is_inside(&file);
    assert!(session.is_none_or(|own| file.session.as_deref() == Some(own)), "{path:?} is of another conversation");
    let again = FileName::from_path(&file.public_path(&settings), &settings);
    assert_eq!(again.as_ref(), Ok(&file), "the public path of {path:?}");
    let beside = file_name::beside(path, path, &settings).expect("a file has neighbours");
    is_inside(&FileName::from_path(&beside, &settings).expect("the neighbour of a file is one"));
}

fn is_inside(FileName { session, name }: &FileName) {
    let hostile = |c: char| matches!(c, '/' | '\\' | '\0' | ':') || c.is_control();
    assert!(!name.contains(hostile) && !matches!(name.as_str(), "" | "." | ".."), "{name:?}");
    assert!(session.as_deref().is_none_or(is_session), "{session:?}");
}

/// LRO-13, LRO-16: whatever the operation, session or prefix is called, the file is inside, and is known again.
fn names_a_file_inside(text: &str, settings: &Value) {
    let given = |request: Value, settings: &Value| {
        let answer = calls::offload("[{\"a\":1}]", &request.to_string(), &settings.to_string(), || Ok(INSTANT));
        match answer.map(|answer| answer.outcome) {
            Ok(Outcome::Offloaded(stored)) => Some((stored.file_name, stored.response)),
            Ok(outcome) => panic!("{outcome:?}"),
            Err(_) => None,
        }
    };
    let mut prefixed = settings.clone();
    prefixed["prefix"] = text.into();
    prefixed.as_object_mut().expect("settings are an object").remove("call");
    let mut free = settings.clone();
    free.as_object_mut().expect("settings are an object").remove("call");
    for (request, settings) in [
        (json!({"operation": text}), &free),
        (json!({"operation": "x", "session": text}), &free),
        (json!({"operation": "x"}), &prefixed),
        (json!({"operation": "x", "query": text}), &free),
    ] {
        let Some((name, response)) = given(request.clone(), settings) else {
            assert!(text.is_empty() || request["operation"] == "x", "any operation has a name: {text:?}");
            continue;
        };
        assert!(name.len() <= 64 + 255 && name.split('/').count() <= 2, "{name:?}");
        let parsed = Settings::parse(&settings.to_string()).expect("the settings are valid");
        let file = FileName::from_path(&name, &parsed).unwrap_or_else(|error| panic!("{name:?}: {error}"));
        is_inside(&file);
        let response: Value = serde_json::from_str(&response).expect("a response is JSON");
        let path = response["file_path"].as_str().expect("a response has a path");
        assert_eq!(FileName::from_path(path, &parsed).expect("a path that we give is one of ours"), file);
    }
}

/// Decision 7: a quoted word has no quote that is open, and nothing outside of quotes that a shell reads.
fn quotes(text: &str) {
    let quoted = shell_quote(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c) || !c.is_ascii();
    let (mut read, mut in_quotes, mut characters) = (String::new(), false, quoted.chars());
    while let Some(character) = characters.next() {
        match character {
            '\'' => in_quotes = !in_quotes,
            '\\' if !in_quotes => read.extend(characters.next()),
            character if in_quotes || plain(character) => read.push(character),
            character => panic!("{character:?} is bare in {quoted}"),
        }
    }
    assert!(!in_quotes && read == text, "{quoted} for {text:?}");
}
