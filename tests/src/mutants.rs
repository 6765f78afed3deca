//! Mutants of the guest: `tests/mutants/mutants.json` lists what each changes in the source, and the clause that must
//! fail then.
//!
//! A mutant is built natively in one copy of the source, in which only what differs is written: cargo compiles what an
//! edit changes, without optimising it, with the dependencies that the tests have built already. That takes seconds; a
//! component of each would take half a minute.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use serde::Deserialize;

/// A change to the guest that breaks a clause.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutant {
    /// What is wrong with it.
    pub name: String,
    /// The clause that it breaks.
    pub clause: String,
    /// What changes in the source.
    pub edits: Vec<Edit>,
}

/// A text that stands once in a file of the source, and what stands there instead.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// The file, from the root of the repository.
    pub file: String,
    /// The text.
    pub find: String,
    /// Its replacement.
    pub replace: String,
}

impl Edit {
    /// Says so if the text does not stand exactly once in its file.
    #[must_use]
    pub fn stale(&self) -> Option<String> {
        let source = fs::read_to_string(root().join(&self.file)).unwrap_or_default();
        let times = source.matches(&self.find).count();
        (times != 1).then(|| format!("stale: `{}` stands {times} times in {}", self.find.trim(), self.file))
    }
}

/// What is copied: the guest, what it is built of, and the program that answers with it.
const PARTS: [&str; 11] = [
    "Cargo.toml",
    "guest/Cargo.toml",
    "guest/src",
    "query/Cargo.toml",
    "query/README.md",
    "query/src",
    "rust-toolchain.toml",
    "tests/mutants/engine",
    "tests/src/native.rs",
    "tokens/Cargo.toml",
    "tokens/src",
];

/// Lines of manifests that the copy has otherwise, by what they begin with: it is a workspace of its own, and the guest in it
/// only what Rust links.
const MANIFESTS: [(&str, &str, &str); 3] = [
    ("Cargo.toml", "members = ", r#"members = ["guest", "query", "tests/mutants/engine"]"#),
    ("Cargo.toml", "default-members = ", ""),
    ("guest/Cargo.toml", "crate-type = ", r#"crate-type = ["rlib"]"#),
];

/// The list of mutants.
///
/// # Errors
/// Why it cannot be read.
pub fn list() -> Result<Vec<Mutant>, String> {
    let file = root().join("tests/mutants/mutants.json");
    let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
}

/// What is stale in a list, mutant by mutant: a text that does not stand exactly once in its file.
pub fn stale(mutants: &[Mutant]) -> Vec<String> {
    let edits = mutants.iter().flat_map(|mutant| mutant.edits.iter().map(move |edit| (mutant, edit)));
    let fault = |(mutant, edit): (&Mutant, &Edit)| Some(format!("{}: {}", mutant.name, edit.stale()?));
    edits.filter_map(fault).collect()
}

/// The copy of the source that mutants are built in.
pub struct Workshop {
    copy: PathBuf,
    target: PathBuf,
    source: BTreeMap<PathBuf, String>,
}

impl Workshop {
    /// Reads the source.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub fn open() -> Result<Self, String> {
        let target = target_folder();
        let mut source = BTreeMap::new();
        for part in PARTS {
            read_all(Path::new(part), &mut source).map_err(|error| format!("cannot read {part}: {error}"))?;
        }
        for (file, start, line) in MANIFESTS {
            let text = source.get_mut(Path::new(file)).ok_or_else(|| format!("there is no {file}"))?;
            let found: Vec<&str> = text.lines().filter(|line| line.starts_with(start)).collect();
            let [found] = found[..] else { return Err(format!("{file} has {} lines `{start}…`", found.len())) };
            *text = text.replacen(found, line, 1);
        }
        let copy = target.join("tmp/lro-mutants");
        fs::create_dir_all(&copy).map_err(|error| format!("cannot make {}: {error}", copy.display()))?;
        // Cargo takes what the copy does not need off it.
        fs::copy(root().join("Cargo.lock"), copy.join("Cargo.lock")).map_err(|error| error.to_string())?;
        Ok(Self { copy, target, source })
    }

    /// Builds the program with these edits of the guest, none for the guest as it is.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn build(&self, edits: &[Edit]) -> Result<PathBuf, String> {
        let mut wanted = self.source.clone();
        for edit in edits {
            let text = wanted.get_mut(Path::new(&edit.file)).ok_or_else(|| format!("{} is not copied", edit.file))?;
            *text = text.replace(&edit.find, &edit.replace);
        }
        self.write(&wanted).map_err(|error| format!("cannot write the copy: {error}"))?;
        let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .current_dir(&self.copy)
            .env("CARGO_TARGET_DIR", &self.target)
            // Of the crate that a mutant is in, little changes.
            .env("CARGO_INCREMENTAL", "1")
            .args(["build", "--quiet", "--offline", "--package", "lro-mutant"])
            .output()
            .map_err(|error| format!("cannot start cargo: {error}"))?;
        if !output.status.success() {
            return Err(format!("does not compile: {}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(self.target.join("debug").join(format!("lro-mutant{}", env::consts::EXE_SUFFIX)))
    }

    /// Writes what differs, so that cargo builds nothing else anew, and removes what is in the source no more.
    fn write(&self, wanted: &BTreeMap<PathBuf, String>) -> io::Result<()> {
        for (file, text) in wanted {
            write_changed(&self.copy.join(file), text.as_bytes())?;
        }
        remove_others(&self.copy, Path::new("guest/src"), wanted)
    }
}

/// Writes a file unless it is as it should be: cargo compiles what is newer than before.
pub(crate) fn write_changed(file: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(file).is_ok_and(|found| found == bytes) {
        return Ok(());
    }
    fs::create_dir_all(file.parent().expect("a file is in a folder"))?;
    fs::write(file, bytes)
}

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in a workspace")
}

/// The folder that this program was built in: it has the dependencies.
pub(crate) fn target_folder() -> PathBuf {
    let this = env::current_exe().expect("a program has a path");
    this.ancestors().nth(2).expect("programs lie in <target>/<profile>").to_owned()
}

/// The texts of a file, or of all files below a folder, by their paths from the root.
fn read_all(part: &Path, found: &mut BTreeMap<PathBuf, String>) -> io::Result<()> {
    let path = root().join(part);
    if !path.is_dir() {
        found.insert(part.to_owned(), fs::read_to_string(path)?);
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|entry| read_all(&part.join(entry?.file_name()), found))
}

fn remove_others(copy: &Path, folder: &Path, wanted: &BTreeMap<PathBuf, String>) -> io::Result<()> {
    for entry in fs::read_dir(copy.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => remove_others(copy, &name, wanted)?,
            false if !wanted.contains_key(&name) => fs::remove_file(entry.path())?,
            false => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_mutant_is_named() {
        let rows = [
            ("sound", "guest/src/lib.rs", "pub mod calls;", false),
            ("gone", "guest/src/lib.rs", "pub mod nothing;", true),
            ("ambiguous", "guest/src/lib.rs", "pub mod ", true),
            ("without-a-file", "guest/src/nothing.rs", "pub mod calls;", true),
        ];
        let mutant = |(name, file, find, _): &(&str, &str, &str, bool)| {
            let edit = Edit { file: (*file).into(), find: (*find).into(), replace: String::new() };
            Mutant { name: (*name).into(), clause: "LRO-05".into(), edits: vec![edit] }
        };
        let found = stale(&rows.iter().map(mutant).collect::<Vec<_>>());
        let expected = rows.iter().filter(|row| row.3).map(|row| format!("{}: stale: `{}` ", row.0, row.2.trim()));
        assert_eq!(found.len(), expected.clone().count(), "{found:?}");
        assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(&expected)), "{found:?}");
    }
}
