//! Calls that read a file. Who reads a file of a project mostly edits it next, and needs its text: only data is offloaded.

/// Files with these extensions hold data, of which rarely all is needed.
const DATA: [&str; 14] = [
    "csv",
    "dump",
    "geojson",
    "har",
    "json",
    "jsonl",
    "jsonlines",
    "log",
    "ndjson",
    "out",
    "psv",
    "trace",
    "tsv",
    "xml",
];

/// Programs that print files as they are.
const READERS: [&str; 9] = ["bat", "batcat", "cat", "head", "less", "more", "nl", "sed", "tail"];

/// A data file that a client's own tool reads is offloaded from this length on, 10,000 tokens, as the component does it
/// with source code: smaller ones are often configuration, and are edited.
pub(super) const LEAST_FILE_BYTES: usize = 40_000;

/// True for the path of a file that holds data.
pub(super) fn is_data(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| DATA.contains(&extension.as_str()))
}

/// True if a command of a shell does nothing but print a file that is not data.
pub(super) fn prints_a_file_to_edit(command: &str) -> bool {
    file_printed_by(command).is_some_and(|file| !is_data(file))
}

/// The file that a command of a shell prints, if its first program is one that prints files.
fn file_printed_by(command: &str) -> Option<&str> {
    let mut commands = command.split(['|', ';', '\n', '&']).map(str::trim).filter(|command| !command.is_empty());
    let first = commands.find(|command| *command != "cd" && !command.starts_with("cd "))?;
    let mut words = first.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    // `sed -i` prints nothing.
    let words: Vec<&str> = READERS.contains(&program).then(|| words.collect())?;
    let is_file =
        |word: &&str| !word.starts_with(['-', '<', '>', '$']) && !word.ends_with(|end: char| end.is_ascii_digit());
    let file = words
        .into_iter()
        .map(|word| word.trim_matches(['"', '\'']))
        .rfind(|word| is_file(word) && word.contains(['.', '/']))?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_known_by_its_extension() {
        for (path, expected) in [
            ("/a/b.json", true),
            ("b.LOG", true),
            ("b.rs", false),
            ("README.md", false),
            ("json", false),
            ("a.json/b", false),
        ] {
            assert_eq!(is_data(path), expected, "{path}");
        }
    }

    #[test]
    fn a_command_that_prints_a_file_of_a_project_is_known() {
        let rows = [
            ("cat src/main.rs", true),
            ("sed -n '1,200p' src/main.rs", true),
            ("cd /a/b && nl -ba \"src/x.ts\" | sed -n 1,40p", true),
            ("/usr/bin/head -n 50 README.md", true),
            ("cat Cargo.toml; cat src/lib.rs", true),
            ("cat rows.json", false),
            ("tail -n 500 /var/log/app.log", false),
            ("cat rows.json | jq .", false),
            ("cargo test 2>&1 | tail -500", false),
            ("git diff src/main.rs", false),
            ("cat", false),
            ("", false),
        ];
        for (command, expected) in rows {
            assert_eq!(prints_a_file_to_edit(command), expected, "{command}");
        }
    }
}
