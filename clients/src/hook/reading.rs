//! Calls that read a file. Who reads a file of a project mostly edits it next, and needs its text: only data is offloaded.

use super::shell::{Command, commands};

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

/// Programs that print files as they are, with the flags that take the word after them.
const READERS: [(&str, &[&str]); 9] = [
    ("bat", BAT),
    ("batcat", BAT),
    ("cat", &[]),
    ("head", ENDS),
    ("less", &[]),
    ("more", &[]),
    ("nl", &["-b", "-d", "-f", "-h", "-i", "-l", "-n", "-s", "-v", "-w"]),
    ("sed", SCRIPTS),
    ("tail", ENDS),
];

const BAT: &[&str] =
    &["-H", "-l", "-m", "-r", "--color", "--language", "--line-range", "--paging", "--style", "--theme"];
const ENDS: &[&str] = &["-c", "-n", "--bytes", "--lines"];
/// With one of these, no other word is the script.
const SCRIPTS: &[&str] = &["-e", "-f", "--expression", "--file"];

/// Programs that leave lines of a text out, and change none.
const SEARCHES: [&str; 4] = ["egrep", "fgrep", "grep", "rg"];

/// Programs that may stand beside those that print files: they print little.
const ASIDES: [&str; 11] = ["[", "cd", "echo", "export", "ls", "printf", "pwd", "set", "test", "true", "wc"];

/// A file is offloaded from this length on, 10,000 tokens, as the component does it with source code: a data file that a
/// client's own tool reads, because smaller ones are often configuration and are edited, and any file that a shell prints.
pub(super) const LEAST_FILE_BYTES: usize = 40_000;

/// True for the path of a file that holds data, also if it has been rotated (`app.log.1`).
pub(super) fn is_data(path: &str) -> bool {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    let path = path.rsplit_once('.').filter(|(_, end)| is_number(end)).map_or(path, |(path, _)| path);
    let extension = path.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    extension.is_some_and(|extension| DATA.contains(&extension.as_str()))
}

/// True if a line of a shell does nothing but print files that are not data: each of its commands does, or prints little.
pub(super) fn prints_a_file_to_edit(line: &str) -> bool {
    let Some(commands) = commands(line) else { return false };
    let mut printed = Printed::Little;
    let mut does_any = false;
    for command in &commands {
        printed = match command.is_piped {
            true => through(command, printed),
            false => printed_by(command),
        };
        match printed {
            Printed::Files => does_any = true,
            Printed::Little => {}
            Printed::Other => return false,
        }
    }
    does_any
}

/// What a command prints.
#[derive(Clone, Copy, PartialEq)]
enum Printed {
    /// Files that are not data.
    Files,
    /// Next to nothing.
    Little,
    Other,
}

/// What a command prints that reads no pipe.
fn printed_by(command: &Command) -> Printed {
    let Some((program, arguments)) = program(command) else { return Printed::Little };
    if ASIDES.contains(&program) {
        let lists_all = program == "ls" && has_letter(arguments, 'R');
        return if lists_all { Printed::Other } else { Printed::Little };
    }
    let Some(files) = files(program, arguments) else { return Printed::Other };
    if command.is_redirected || is_in_place(program, arguments) {
        return Printed::Little;
    }
    // What is behind a variable alone is not known.
    let is_to_edit = |file: &&str| !is_data(file) && (!file.starts_with('$') || file.contains(['.', '/']));
    match !files.is_empty() && files.iter().all(is_to_edit) {
        true => Printed::Files,
        false => Printed::Other,
    }
}

/// What a command prints that reads this: a filter leaves a file's text as it is, or less of it.
fn through(command: &Command, read: Printed) -> Printed {
    let Some((program, arguments)) = program(command) else { return Printed::Other };
    let is_filter = SEARCHES.contains(&program) || files(program, arguments).is_some_and(|files| files.is_empty());
    match is_filter {
        true if command.is_redirected => Printed::Little,
        true => read,
        false => Printed::Other,
    }
}

/// The program of a command without its folder, and its arguments. `None` where variables are set only.
fn program(command: &Command) -> Option<(&str, &[String])> {
    let is_assignment = |word: &str| {
        let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
    };
    let first = command.words.iter().position(|word| !is_assignment(word))?;
    let (program, arguments) = command.words[first..].split_first()?;
    Some((program.rsplit('/').next()?, arguments))
}

/// The files among the arguments of a program that prints files. `None` for another program.
fn files<'a>(program: &str, arguments: &'a [String]) -> Option<Vec<&'a str>> {
    let (_, valued) = READERS.iter().find(|(reader, _)| *reader == program)?;
    let takes_script = |word: &String| SCRIPTS.iter().any(|flag| word == flag || word.starts_with("--expression="));
    let mut is_script_missing = program == "sed" && !arguments.iter().any(takes_script);
    let mut files = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if valued.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with(['-', '+']) {
            match is_script_missing {
                true => is_script_missing = false,
                false => files.push(word.as_str()),
            }
        }
    }
    Some(files)
}

/// `sed -i` prints nothing.
fn is_in_place(program: &str, arguments: &[String]) -> bool {
    program == "sed"
        && (arguments.iter().any(|word| word.starts_with("--in-place") || word.starts_with("-i"))
            || has_letter(arguments, 'i'))
}

/// True if there is a flag with this letter, also among others (`-laR`).
fn has_letter(arguments: &[String], letter: char) -> bool {
    let is_cluster = |word: &&String| word.starts_with('-') && word[1..].bytes().all(|byte| byte.is_ascii_alphabetic());
    arguments.iter().filter(is_cluster).any(|word| word.contains(letter))
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
            ("app.log.1", true),
            ("a.rs.1", false),
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
            ("cat Cargo.toml Makefile || true", true),
            ("cat main.rs 2>/dev/null; echo ---; wc -l main.rs; ls -la src", true),
            ("cat \"$HOME/src/main.rs\"", true),
            ("D=src; cat $D/main.rs | head -200 | grep -n fn", true),
            ("sed -i s/a/b/ x.rs && cat x.rs", true),
            ("sed -n -e 1,5p x.rs", true),
            ("cd \"$(git rev-parse --show-toplevel)\" && cat x.rs", true),
            ("bat --line-range 1:40 x.rs", true),
            ("cat rows.json", false),
            ("cat rows.json 2>/dev/null", false),
            ("cat x.rs rows.json", false),
            ("tail -n 500 /var/log/app.log", false),
            ("tail -n 5000 app.log 2>/dev/null", false),
            ("tail -n 500 app.log.1", false),
            ("cat rows.json | jq .", false),
            ("cat x.rs | xargs cargo test", false),
            ("cat README.md && npm test", false),
            ("head -5 Cargo.toml; cargo test", false),
            ("cat Cargo.toml\ncargo test", false),
            ("sed -i s/a/b/ x.rs && cargo build", false),
            ("sed -i s/a/b/ x.rs", false),
            ("cat > gen.py <<'EOF'\nprint(1)\nEOF\npython3 gen.py", false),
            ("cat > gen.py <<'EOF'\nprint(1)\nEOF", false),
            ("cat x.rs; ls -lR /", false),
            ("cat x.rs | sort > y", false),
            ("cat $F", false),
            ("cat $(git ls-files)", false),
            ("cargo test 2>&1 | tail -500", false),
            ("cargo test | cat - x.rs", false),
            ("git diff src/main.rs", false),
            ("cat", false),
            ("-", false),
            ("", false),
        ];
        for (command, expected) in rows {
            assert_eq!(prints_a_file_to_edit(command), expected, "{command}");
        }
    }
}
