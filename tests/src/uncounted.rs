//! The guest with a budget that checks nothing, to see what the budget costs: `tests/fuel/uncounted.json` lists what changes
//! in a copy of the source.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, io};

use crate::mutants::{Edit, root, target_folder, write_changed};

/// What is copied: the guest and what builds it.
const PARTS: [&str; 16] = [
    "Cargo.lock",
    "Cargo.toml",
    "component",
    "guest/Cargo.toml",
    "guest/src",
    "query/Cargo.toml",
    "query/README.md",
    "query/src",
    "rust-toolchain.toml",
    "tests/fuel/pack",
    "tokens/Cargo.toml",
    "tokens/build.rs",
    "tokens/data",
    "tokens/src",
    "toolchain",
    "wit",
];

/// Returns the edits.
///
/// # Errors
/// Why they cannot be read, or which of them is stale.
pub fn edits() -> Result<Vec<Edit>, String> {
    let file = root().join("tests/fuel/uncounted.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let edits: Vec<Edit> = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    match edits.iter().find_map(Edit::stale) {
        Some(reason) => Err(reason),
        None => Ok(edits),
    }
}

/// Builds the component, as it is shipped but for the edits.
///
/// # Errors
/// What is stale, or what the compiler says.
pub fn build() -> Result<Vec<u8>, String> {
    let edits = edits()?;
    let copy = target_folder().join("tmp/lro-uncounted");
    for part in PARTS {
        write(Path::new(part), &copy, &edits).map_err(|error| format!("cannot copy {part}: {error}"))?;
    }
    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&copy)
        .env("CARGO_TARGET_DIR", copy.join("target"))
        .args(["run", "--offline", "--package", "lro-pack"])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        Err("the guest without a budget does not compile".to_owned())
    }
}

/// Writes a file of the source to the copy, or all of a folder, where they are not there yet as they should be.
fn write(part: &Path, copy: &Path, edits: &[Edit]) -> io::Result<()> {
    let (from, to) = (root().join(part), copy.join(part));
    if from.is_dir() {
        fs::create_dir_all(&to)?;
        return fs::read_dir(from)?.try_for_each(|entry| write(&part.join(entry?.file_name()), copy, edits));
    }
    let mut bytes = fs::read(from)?;
    if let Ok(text) = std::str::from_utf8(&bytes) {
        let mine = edits.iter().filter(|edit| Path::new(&edit.file) == part);
        let text = mine.fold(text.to_owned(), |text, edit| text.replace(&edit.find, &edit.replace));
        bytes = if part == Path::new("Cargo.toml") { manifest(&text) } else { text }.into_bytes();
    }
    write_changed(&to, &bytes)
}

/// The manifest of the copy, which has no other members.
fn manifest(text: &str) -> String {
    let line = |line: &str| match line.split(" = ").next() {
        Some("members") => {
            r#"members = ["component", "guest", "query", "tests/fuel/pack", "tokens", "toolchain"]"#.to_owned()
        }
        Some("default-members") => String::new(),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}
