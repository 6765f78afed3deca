//! The operations that a fault meets, and the answers that each promises.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::document::Whole;
use super::program::Ran;
use super::stage::{Found, Laid, SELECTION, Stage};

/// A call of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operation {
    Offload,
    Extract,
    Into,
    Cleanup,
    Keep,
    Purge,
}

impl Operation {
    pub(super) const ALL: [Self; 6] =
        [Self::Offload, Self::Into, Self::Cleanup, Self::Extract, Self::Keep, Self::Purge];

    /// As the table has it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Offload => "an offload of three lists",
            Self::Extract => "an extraction",
            Self::Into => "`extract --into`",
            Self::Cleanup => "a cleanup of 40 files",
            Self::Keep => "`keep` of three files",
            Self::Purge => "a purge of 43 files",
        }
    }

    /// Fills the folder of a try: `out` is the output directory.
    pub(super) fn prepare(self, stage: &Stage, folder: &Path) -> Result<(), String> {
        stage.lay(&folder.join("out"), self.laid())
    }

    /// What is there when it begins.
    pub(super) fn laid(self) -> Laid {
        if matches!(self, Self::Cleanup | Self::Purge) { Laid::Expired } else { Laid::Documents }
    }

    pub(super) fn arguments(self, stage: &Stage, folder: &Path) -> Vec<String> {
        let path = |name: &str| folder.join(name).display().to_string();
        let (out, main) = (path("out"), path(&format!("out/{}", stage.main)));
        let words: Vec<&str> = match self {
            Self::Offload => {
                let document = stage.document_path.to_str().unwrap_or_default();
                return ["offload", document, "--operation", "things", "--output-dir", &out].map(str::to_owned).into();
            }
            Self::Extract => vec!["extract", &main, "--query", ".id"],
            Self::Into => vec!["extract", &main, "--query", SELECTION, "--into"],
            Self::Cleanup => vec!["cleanup", "--output-dir", &out],
            Self::Keep => return vec!["keep".to_owned(), main, "--to".to_owned(), path("kept")],
            Self::Purge => vec!["purge", "--output-dir", &out],
        };
        words.into_iter().map(str::to_owned).collect()
    }

    /// What is in the folder after the operation, or a part of it.
    pub(super) fn survived(self, stage: &Stage, folder: &Path) -> Result<Found, String> {
        let found = stage.survived(&folder.join("out"), self.laid(), self == Self::Purge)?;
        if self == Self::Keep {
            copies(stage, folder)?;
        }
        Ok(found)
    }

    /// The answer of an operation that ended is one of those that are promised, and true. Returns it in a few words.
    pub(super) fn answered(self, stage: &Stage, folder: &Path, ran: &Ran, found: &Found) -> Result<String, String> {
        ran.has_ended_well()?;
        if ran.is_error() {
            let is_said = ran.stderr.lines().any(|line| line.starts_with("lro: ") && line.contains(": "));
            return match (is_said, self) {
                (false, _) => Err(format!("an error does not say what failed: {:?}", ran.stderr)),
                (_, Self::Extract) if !stage.ids.starts_with(&ran.stdout) => {
                    Err(format!("wrong results before an error: {:?}", first(&ran.stdout)))
                }
                _ => Ok("errors".to_owned()),
            };
        }
        match self {
            Self::Offload => self.offloaded(stage, folder, ran, found),
            Self::Into => self.stored(ran, found),
            Self::Extract if ran.stdout == stage.ids => Ok("right".to_owned()),
            Self::Extract => Err(format!("wrong results: {:?}, {:?}", first(&ran.stdout), ran.stderr)),
            Self::Cleanup | Self::Purge => deleted(ran, found),
            Self::Keep if copies(stage, folder)? == 3 => Ok("whole".to_owned()),
            Self::Keep if ran.stderr.contains("is gone") => Ok("told".to_owned()),
            Self::Keep => Err(format!("a copy is missing, and nothing is said: {:?}", ran.stderr)),
        }
    }

    fn offloaded(self, stage: &Stage, folder: &Path, ran: &Ran, found: &Found) -> Result<String, String> {
        let answer: Value = serde_json::from_str(&ran.stdout)
            .map_err(|error| format!("the answer is not JSON ({error}): {:?}", first(&ran.stdout)))?;
        match (answer["offloaded"].as_bool(), answer["file_path"].as_str()) {
            (Some(true), Some(path)) if found.new == 3 => {
                stage.is_rebuilt(&folder.join("out"), path).map(|()| "whole".to_owned())
            }
            (Some(false), _) => truncated(&answer, ran, found),
            _ => Err(format!("{} new files, and the answer is {:?}", found.new, first(&ran.stdout))),
        }
    }

    fn stored(self, ran: &Ran, found: &Found) -> Result<String, String> {
        let answer: Value = serde_json::from_str(&ran.stdout)
            .map_err(|error| format!("the answer is not JSON ({error}): {:?}", first(&ran.stdout)))?;
        match answer["offloaded"].as_bool() {
            Some(true) if found.new == 1 => Ok("whole".to_owned()),
            Some(false) => truncated(&answer, ran, found),
            _ => Err(format!("{} new files, and the answer is {:?}", found.new, first(&ran.stdout))),
        }
    }
}

/// Copies of `keep` under final names are whole. Returns how many there are.
fn copies(stage: &Stage, folder: &Path) -> Result<usize, String> {
    let Ok(entries) = fs::read_dir(folder.join("kept")) else { return Ok(0) };
    let mut count = 0;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "part") {
            continue;
        }
        if !stage.is_known(&Whole::read(&path)?.body) {
            return Err(format!("the copy `{}` holds something else", path.display()));
        }
        count += 1;
    }
    Ok(count)
}

/// A write that failed is told, and leaves nothing.
fn truncated(answer: &Value, ran: &Ran, found: &Found) -> Result<String, String> {
    let is_told = answer["warning"].as_str().is_some_and(|warning| !warning.is_empty());
    if !is_told || ran.stderr.trim().is_empty() {
        return Err(format!("truncated without a word: {:?}, {:?}", first(&ran.stdout), ran.stderr));
    }
    match found {
        Found { new: 0, parts, .. } if parts.is_empty() => Ok("truncated".to_owned()),
        found => Err(format!("truncated, and these are left: {} new, {:?}", found.new, found.parts)),
    }
}

/// A cleanup says how many files it has deleted, and which it could not.
fn deleted(ran: &Ran, found: &Found) -> Result<String, String> {
    let is_all = found.mains.is_empty() && found.orphans.is_empty();
    let is_said = is_all || !found.may_be_torn || !ran.stderr.trim().is_empty();
    let word = ran.stdout.split_whitespace().nth(1).and_then(|word| word.parse::<usize>().ok());
    match word {
        Some(count) if count == found.gone && is_said => Ok("deleted".to_owned()),
        Some(count) if count == found.gone => Err("a purge left files without a word".to_owned()),
        _ => Err(format!("{} files are gone, and it says {:?}", found.gone, first(&ran.stdout))),
    }
}

fn first(text: &str) -> String {
    text.chars().take(200).collect()
}
