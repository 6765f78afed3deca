//! Runs the command lines of a case: each in the case's folder, without a shell, with an environment of its own.
//!
//! What a shell would do and is done here: words in quotes, `NAME=VALUE` before the program, `< FILE` at the end, and one
//! `*` in the name of a file that exists once. Programs are `lro`, those of the system, and `modes FOLDER`, which lists
//! what is below with its mode.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Once;

use tempfile::TempDir;

use crate::case::Case;

const LRO: &str = env!("CARGO_BIN_EXE_lro");

/// Where the compiled component is kept between runs of the tests.
const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// What a command line printed, and how it ended.
#[derive(Clone, Default)]
pub(crate) struct Printed {
    /// Its exit status; -1 when a signal ended it.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A fresh folder for the command lines of one case, and another as the system's temporary directory.
pub(crate) struct Place {
    _root: TempDir,
    pub(crate) folder: PathBuf,
    pub(crate) temporary: PathBuf,
    /// The command lines, and names and texts of all that was there before the first of them.
    pub(crate) given: String,
}

impl Place {
    /// A folder with what is given to every case, and the files of this one.
    pub(crate) fn new(given: &Path, case: &Case) -> Result<Self, String> {
        compile_once();
        // A response says less the longer the paths in it are, and some systems have a long path to temporary files.
        let root = TempDir::new_in("/tmp").or_else(|_| TempDir::new()).map_err(|error| error.to_string())?;
        let canonical = root.path().canonicalize().map_err(|error| error.to_string())?;
        let (folder, temporary) = (canonical.join("case"), canonical.join("tmp"));
        let mut place = Self { _root: root, folder, temporary, given: String::new() };
        fs::create_dir(&place.temporary).map_err(|error| error.to_string())?;
        copy(given, &place.folder, &mut place.given)
            .map_err(|error| format!("cannot copy `{}`: {error}", given.display()))?;
        place.given.extend(case.steps.iter().map(|step| format!("{}\n", step.command)));
        for (name, text) in &case.files {
            place.given.push_str(&format!("{name}\n{text}\n"));
            let file = place.folder.join(name);
            fs::create_dir_all(file.parent().expect("a file is in a folder"))
                .and_then(|()| fs::write(&file, text))
                .map_err(|error| format!("cannot write `{name}`: {error}"))?;
        }
        Ok(place)
    }

    /// Runs a command line to its end.
    pub(crate) fn run(&self, line: &str) -> Result<Printed, String> {
        let mut words = self.words(line)?;
        let stdin = match words.iter().position(|word| word == "<") {
            Some(at) => words.drain(at..).nth(1),
            None => None,
        };
        let program = words.iter().position(|word| !is_assignment(word)).ok_or("no program is named")?;
        let (assignments, call) = words.split_at(program);
        if let ["modes", folder] = call.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            return Ok(Printed { stdout: modes(&self.folder.join(folder))?, ..Printed::default() });
        }
        let mut command = self.command(&call[0]);
        command.args(&call[1..]);
        command.envs(assignments.iter().filter_map(|word| word.split_once('=')));
        if let Some(file) = stdin {
            command.stdin(File::open(self.folder.join(&file)).map_err(|error| format!("`{file}`: {error}"))?);
        }
        let output = command.output().map_err(|error| format!("cannot start `{}`: {error}", call[0]))?;
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_else(|error| format!("{:x?}", error.as_bytes()));
        let status = output.status.code().unwrap_or(-1);
        Ok(Printed { status, stdout: text(output.stdout), stderr: text(output.stderr) })
    }

    /// A program in the case's folder, with nothing of our environment but where programs are.
    fn command(&self, program: &str) -> Command {
        let program = if program == "lro" { LRO } else { program };
        let ours = Path::new(LRO).parent().expect("a program is in a folder").to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([ours].into_iter().chain(std::env::split_paths(&path)));
        let mut command = Command::new(program);
        command.current_dir(&self.folder).stdin(Stdio::null()).env_clear();
        command.env("PATH", path.expect("folders of a path make a path"));
        command.env("TMPDIR", &self.temporary).env("LRO_CACHE_DIR", CACHE);
        command
    }

    /// The words of a command line.
    fn words(&self, line: &str) -> Result<Vec<String>, String> {
        let mut words = Vec::new();
        let (mut word, mut quote, mut is_word, mut is_pattern) = (String::new(), None, false, false);
        for character in line.chars().chain([' ']) {
            match (character, quote) {
                ('\'' | '"', None) => (quote, is_word) = (Some(character), true),
                (_, Some(open)) if open == character => quote = None,
                (' ', None) => {
                    if is_word {
                        words.push(if is_pattern { self.only_match(&word)? } else { word.clone() });
                    }
                    word.clear();
                    (is_word, is_pattern) = (false, false);
                }
                _ => {
                    is_pattern |= character == '*' && quote.is_none();
                    is_word = true;
                    word.push(character);
                }
            }
        }
        Ok(words)
    }

    /// The one file whose name fits `folder/before*after`.
    fn only_match(&self, pattern: &str) -> Result<String, String> {
        let (folder, name) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        let (before, after) = name.split_once('*').ok_or(format!("`{pattern}` has its star in a folder"))?;
        let entries = fs::read_dir(self.folder.join(folder)).map_err(|error| format!("`{folder}`: {error}"))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let fits = |name: &String| !name.starts_with('.') && name.starts_with(before) && name.ends_with(after);
        let fitting: Vec<String> = names.filter(fits).collect();
        match &fitting[..] {
            [name] if pattern.contains('/') => Ok(format!("{folder}/{name}")),
            [name] => Ok(name.clone()),
            names => Err(format!("`{pattern}` fits {names:?}")),
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && is_name(name))
}

/// Compiling the component takes seconds: once before all, not in every process of the first run.
fn compile_once() {
    static COMPILE: Once = Once::new();
    COMPILE.call_once(|| {
        let mut command = Command::new(LRO);
        command.arg("estimate").stdin(Stdio::null()).stdout(Stdio::null()).env("LRO_CACHE_DIR", CACHE);
        assert!(command.status().is_ok_and(|status| status.success()), "the component cannot be compiled");
    });
}

/// Copies the text files in a folder and below, and adds their names and texts to `seen`.
fn copy(from: &Path, to: &Path, seen: &mut String) -> std::io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target, seen)?;
            continue;
        }
        let text = fs::read_to_string(entry.path())?;
        fs::write(target, &text)?;
        seen.push_str(&format!("{}\n{text}\n", entry.file_name().display()));
    }
    Ok(())
}

/// `0600 path` for everything below a folder, sorted by path.
fn modes(folder: &Path) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).map_err(|error| format!("`{}`: {error}", next.display()))?.flatten() {
            let metadata = entry.metadata().map_err(|error| error.to_string())?;
            let below = entry.path().strip_prefix(folder).expect("it is below").display().to_string();
            if metadata.is_dir() {
                folders.push(entry.path());
                lines.push((format!("{below}/"), mode(&metadata)));
            } else {
                lines.push((below, mode(&metadata)));
            }
        }
    }
    lines.sort();
    Ok(lines.into_iter().map(|(path, mode)| format!("{mode} {path}\n")).collect())
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> String {
    use std::os::unix::fs::PermissionsExt;
    format!("{:04o}", metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> String {
    "----".to_owned()
}
