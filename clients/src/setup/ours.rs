//! What in a configuration is ours: hooks that call `lro hook`, the server `lro mcp`, servers behind `lro proxy`.

use serde_json::Value;

use super::places::System;

/// The words of a server's command line: `command` with `args`, or a list `command`.
pub fn command_line(server: &Value) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    match server.get("command")? {
        Value::String(program) => words.push(program.as_str()),
        Value::Array(all) => words.extend(all.iter().filter_map(Value::as_str)),
        _ => return None,
    }
    let arguments = server.get("args").and_then(Value::as_array);
    words.extend(arguments.into_iter().flatten().filter_map(Value::as_str));
    Some(words)
}

/// How many words call `lro`, wherever it is: the program, or the npm package by npx or by node.
pub fn program_words<T: AsRef<str>>(words: &[T]) -> Option<usize> {
    let name = |word: &T| word.as_ref().rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let program = name(words.first()?);
    let program = program.strip_suffix(".exe").or(program.strip_suffix(".cmd")).unwrap_or(&program);
    match program {
        "lro" => Some(1),
        "node" => words.get(1).filter(|word| word.as_ref().replace('\\', "/").ends_with(SCRIPT)).map(|_| 2),
        "npx" => {
            let at = words.iter().skip(1).position(|word| !word.as_ref().starts_with('-'))? + 1;
            let package = words[at].as_ref();
            (package == PACKAGE || package.starts_with(&format!("{PACKAGE}@"))).then_some(at + 1)
        }
        _ => None,
    }
}

/// The npm package, and its command below the folder that it is in.
const PACKAGE: &str = "lro-component";
const SCRIPT: &str = "lro-component/src/command/main.js";

/// True for words that call this subcommand of `lro`.
fn calls<T: AsRef<str>>(words: &[T], subcommand: &str) -> bool {
    program_words(words).and_then(|count| words.get(count)).is_some_and(|word| word.as_ref() == subcommand)
}

/// True for a server that is `lro mcp`.
pub fn is_our_server(server: &Value) -> bool {
    command_line(server).is_some_and(|words| calls(&words, "mcp"))
}

/// How many words `lro proxy … --` has before the server's own command line.
pub fn wrapping(server: &Value) -> Option<usize> {
    let words = command_line(server)?;
    calls(&words, "proxy").then(|| words.iter().position(|word| *word == "--").map(|at| at + 1))?
}

/// True for the command line of a hook that is ours, for this client.
pub(crate) fn is_our_hook(command: &str, client: &str) -> bool {
    let words = words(command);
    let names = |at: usize| words.get(at + 1).is_some_and(|word| word == client);
    calls(&words, "hook") && program_words(&words).is_some_and(names)
}

/// Our hooks in an element of a client's list: the element itself, or some of its `hooks`.
pub fn our_hooks(element: &Value, client: &str) -> Vec<Option<usize>> {
    let is_ours =
        |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(|line| is_our_hook(line, client));
    match element.get("hooks").and_then(Value::as_array) {
        Some(hooks) => (0..hooks.len()).filter(|&index| is_ours(&hooks[index])).map(Some).collect(),
        None if is_ours(element) => vec![None],
        None => Vec::new(),
    }
}

/// The words of a shell's command line.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            // In Windows' paths a backslash is a separator.
            (None | Some('"'), '\\') if characters.peek().is_some_and(|next| "'\"\\ $`".contains(*next)) => {
                word.get_or_insert_default().extend(characters.next());
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// A word as a shell of this system reads it.
pub(crate) fn quoted(word: &str, system: System) -> String {
    let is_windows = system == System::Windows;
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+:@%=,\\".contains(character);
    if !word.is_empty() && word.chars().all(|character| is_plain(character) && (character != '\\' || is_windows)) {
        return word.to_owned();
    }
    if is_windows { format!("\"{word}\"") } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_of_command_lines() {
        let rows: [(&str, &[&str]); 6] = [
            ("/usr/bin/lro hook claude", &["/usr/bin/lro", "hook", "claude"]),
            ("'/a b/lro' hook  claude ", &["/a b/lro", "hook", "claude"]),
            ("\"C:\\Program Files\\lro.exe\" hook gemini", &["C:\\Program Files\\lro.exe", "hook", "gemini"]),
            (r"'it'\''s/lro' hook", &["it's/lro", "hook"]),
            ("", &[]),
            ("'open", &["open"]),
        ];
        for (line, expected) in rows {
            assert_eq!(words(line), expected, "{line}");
        }
        for word in ["/usr/bin/lro", "/a b/lro", "it's", "", "$HOME/x", "a\\b"] {
            assert_eq!(words(&quoted(word, System::Linux)), [word], "{word}");
        }
    }

    #[test]
    fn ours_is_told_from_theirs() {
        assert!(is_our_hook("'/x y/lro' hook claude --output-dir /tmp", "claude"));
        for other in ["lro hook codex", "hello hook claude", "lro mcp", "/usr/bin/lrox hook claude", ""] {
            assert!(!is_our_hook(other, "claude"), "{other}");
        }
        assert!(is_our_server(&json!({ "command": "/x/lro", "args": ["mcp", "--output-dir", "x"] })));
        assert!(is_our_server(&json!({ "command": ["C:\\x\\LRO.EXE", "mcp"] })));
        assert!(!is_our_server(&json!({ "command": "npx", "args": ["lro", "mcp"] })));
        assert!(is_our_server(&json!({ "command": "npx", "args": ["-y", "lro-component@0.1.0", "mcp"] })));
        assert!(is_our_server(
            &json!({ "command": "/n/node", "args": ["/n/lib/node_modules/lro-component/src/command/main.js", "mcp"] })
        ));
        assert!(!is_our_server(&json!({ "command": "npx", "args": ["-y", "lro-component-x", "mcp"] })));
        assert!(!is_our_server(&json!({ "command": "node", "args": ["main.js", "mcp"] })));
        assert!(is_our_hook("npx -y lro-component@0.1.0 hook claude", "claude"));
        assert!(!is_our_hook("npx -y lro-component@0.1.0 hook claude", "codex"));
        assert!(!is_our_server(&json!({ "url": "http://localhost" })));
        let wrapped = json!({ "command": "/x/lro", "args": ["proxy", "--events", "--", "npx", "--", "y"] });
        assert_eq!(wrapping(&wrapped), Some(4));
        assert_eq!(wrapping(&json!({ "command": "lro", "args": ["proxy", "--url", "http://localhost"] })), None);
        assert_eq!(wrapping(&json!({ "command": ["lro", "proxy", "--", "npx"] })), Some(3));
    }
}
