//! What in a configuration is ours: hooks that call `lro hook`, the server `lro mcp`, servers behind `lro proxy`.

use serde_json::Value;

/// The words of a server's command line: `command` with `args`, or a list `command`.
pub(crate) fn command_line(server: &Value) -> Option<Vec<&str>> {
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

/// True for a program called `lro`, wherever it is.
pub(crate) fn is_lro(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "lro" || name.eq_ignore_ascii_case("lro.exe")
}

/// True for a server that is `lro mcp`.
pub(crate) fn is_our_server(server: &Value) -> bool {
    command_line(server).is_some_and(|words| {
        words.first().is_some_and(|program| is_lro(program)) && words.get(1).is_some_and(|word| *word == "mcp")
    })
}

/// How many words `lro proxy … --` has before the server's own command line.
pub(crate) fn wrapping(server: &Value) -> Option<usize> {
    let words = command_line(server)?;
    let is_proxy = words.first().is_some_and(|program| is_lro(program)) && words.get(1) == Some(&"proxy");
    is_proxy.then(|| words.iter().position(|word| *word == "--").map(|at| at + 1))?
}

/// True for the command line of a hook that is ours, for this client.
pub(crate) fn is_our_hook(command: &str, client: &str) -> bool {
    let words = words(command);
    words.first().is_some_and(|program| is_lro(program))
        && words.get(1).is_some_and(|word| word == "hook")
        && words.get(2).is_some_and(|word| word == client)
}

/// Our hooks in an element of a client's list: the element itself, or some of its `hooks`.
pub(crate) fn our_hooks(element: &Value, client: &str) -> Vec<Option<usize>> {
    let is_ours =
        |hook: &Value| hook.get("command").and_then(Value::as_str).is_some_and(|line| is_our_hook(line, client));
    match element.get("hooks").and_then(Value::as_array) {
        Some(hooks) => (0..hooks.len()).filter(|&index| is_ours(&hooks[index])).map(Some).collect(),
        None if is_ours(element) => vec![None],
        None => Vec::new(),
    }
}

/// The words of a shell's command line.
pub(crate) fn words(line: &str) -> Vec<String> {
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

/// A word as a shell reads it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+:@%=,\\".contains(character);
    if !word.is_empty() && word.chars().all(|character| is_plain(character) && (character != '\\' || cfg!(windows))) {
        return word.to_owned();
    }
    if cfg!(windows) { format!("\"{word}\"") } else { format!("'{}'", word.replace('\'', r"'\''")) }
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
            assert_eq!(words(&quoted(word)), [word], "{word}");
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
        assert!(!is_our_server(&json!({ "url": "http://localhost" })));
        let wrapped = json!({ "command": "/x/lro", "args": ["proxy", "--events", "--", "npx", "--", "y"] });
        assert_eq!(wrapping(&wrapped), Some(4));
        assert_eq!(wrapping(&json!({ "command": "lro", "args": ["proxy", "--url", "http://localhost"] })), None);
        assert_eq!(wrapping(&json!({ "command": ["lro", "proxy", "--", "npx"] })), Some(3));
    }
}
