//! Whether a call read source code. Who reads it mostly edits it next, and needs the text itself: a response in its
//! place only costs a second reading.

use serde_json::Value;

/// Arguments that name a file.
const NAMES: [&str; 7] = ["path", "file_path", "filePath", "file", "filename", "relative_path", "uri"];

/// Files with these extensions are written and edited by people and agents. Data and prose are not among them: what is
/// asked of those is rarely all of it.
const EXTENSIONS: [&str; 46] = [
    "astro", "bash", "c", "cc", "clj", "cpp", "cs", "css", "cxx", "dart", "elm", "erl", "ex", "exs", "fs", "go", "h",
    "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "less", "lua", "m", "mjs", "ml", "nix", "php", "pl", "proto",
    "py", "rb", "rs", "scala", "scss", "sh", "svelte", "swift", "ts", "tsx", "vue", "zig",
];

/// True if the arguments of a call, the text of a JSON object, name one file of source code.
pub(super) fn is_read_by(arguments: &str) -> bool {
    let Ok(Value::Object(arguments)) = serde_json::from_str(arguments) else { return false };
    let files = NAMES.iter().filter_map(|name| arguments.get(*name)?.as_str());
    files.filter_map(|path| path.rsplit_once('.')).any(|(_, extension)| EXTENSIONS.contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_code_is_known_by_the_file_that_is_read() {
        let rows = [
            (r#"{"path":"/home/me/src/main.rs"}"#, true),
            (r#"{"file_path":"a/b.test.tsx","offset":3}"#, true),
            (r#"{"uri":"file:///x/y.py"}"#, true),
            (r#"{"path":"/home/me/data.json"}"#, false),
            (r#"{"path":"README.md"}"#, false),
            (r#"{"path":"/home/me.rs/notes"}"#, false),
            (r#"{"query":"main.rs"}"#, false),
            (r#"{"path":["a.rs"]}"#, false),
            ("", false),
            ("[]", false),
        ];
        for (arguments, expected) in rows {
            assert_eq!(is_read_by(arguments), expected, "{arguments}");
        }
        assert!(EXTENSIONS.is_sorted());
    }
}
