//! Names by which a caller may mean a file without its whole path: the id of an artifact (GATE-10), the name that
//! mcpagent gives to files, and the name of a file in a folder.
//!
//! Nothing is remembered for this: an id has the operation and the ULID that the name of its file has.

use super::file_name::{Extension, FileName, below, parse};
use super::naming::{Stem, is_dated, ulid_of};
use crate::error::{Error, Problem};
use crate::settings::Settings;

/// What an id begins with.
const ID: &str = "art_";

/// Fewer characters of a ULID's end mean too many files.
const LEAST_ENDING: usize = 4;

/// Characters of a whole ULID.
const ULID_CHARACTERS: usize = 26;

/// What a file is sought by.
#[derive(Debug, PartialEq, Eq)]
pub enum Sought<'a> {
    /// An id: the operation and the end of the ULID, mostly all of it.
    Artifact {
        /// What was called.
        operation: &'a str,
        /// In upper case.
        ending: String,
    },
    /// A name with a date and without the random part.
    Dated(&'a str),
    /// The whole name of a file.
    Name(&'a str),
}

impl<'a> Sought<'a> {
    /// What `path` is sought by; `None` for a path with a folder, and for what no file can be called. An id may stand
    /// after the output directory.
    ///
    /// Errors: `not-an-offload` for an id that none of ours can be.
    pub fn of(path: &'a str, settings: &Settings) -> Result<Option<Self>, Error> {
        if let Some(id) = below(path, settings) {
            return Ok(Self::of_bare(id, settings)?.filter(|sought| !matches!(sought, Self::Name(_))));
        }
        Self::of_bare(path, settings)
    }

    fn of_bare(path: &'a str, settings: &Settings) -> Result<Option<Self>, Error> {
        if path.contains(['/', '\\', '\0', '.']) {
            let bare = (!path.contains(['/', '\\', '\0'])).then_some(path);
            return Ok(bare.and_then(|name| Self::of_name(name, settings)));
        }
        let Some(id) = path.strip_prefix(ID) else {
            return Ok(is_dated(path, &settings.prefix).then_some(Self::Dated(path)));
        };
        let is_ending = |ending: &str| {
            (LEAST_ENDING..=ULID_CHARACTERS).contains(&ending.len())
                && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        match id.rsplit_once('_') {
            Some((operation, ending)) if is_ending(ending) && !operation.is_empty() => {
                Ok(Some(Self::Artifact { operation, ending: ending.to_ascii_uppercase() }))
            }
            _ => Err(Error::NotAnOffload(Problem::new(
                format!("cannot open `{path}`: it is not the id of an artifact"),
                "pass the artifact_id of a response, unchanged; it is `art_OPERATION_ULID`",
            ))),
        }
    }

    fn of_name(name: &'a str, settings: &Settings) -> Option<Self> {
        if parse(name, &settings.prefix).is_some_and(|parts| !parts.is_part) {
            return Some(Self::Name(name));
        }
        // mcpagent's own names end with json or txt.
        let (stem, extension) = name.rsplit_once('.')?;
        let is_known = ["json", "jsonl", "txt"].contains(&extension);
        (is_known && is_dated(stem, &settings.prefix)).then_some(Self::Dated(stem))
    }

    /// The names that the file can only have; none where all names have to be looked at.
    pub fn names(&self, settings: &Settings) -> Vec<String> {
        match self {
            Self::Artifact { operation, ending } if ending.len() == ULID_CHARACTERS => {
                let stem = Stem { operation: (*operation).to_owned(), ulid: ending.clone() };
                let named = |stem: &String| [Extension::Lines, Extension::Text].map(|end| stem.clone() + end.text());
                stem.texts(&settings.prefix).iter().flat_map(named).collect()
            }
            Self::Name(name) => vec![(*name).to_owned()],
            _ => Vec::new(),
        }
    }

    /// True for the name of a file that is meant.
    pub fn fits(&self, name: &str, settings: &Settings) -> bool {
        let Some(parts) = parse(name, &settings.prefix).filter(|parts| !parts.is_part) else { return false };
        match self {
            Self::Artifact { operation, ending } => {
                parts.stem.operation == *operation && parts.stem.ulid.ends_with(ending.as_str())
            }
            Self::Dated(stem) => {
                name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('_') && !rest[1..].contains('_'))
            }
            Self::Name(known) => name == *known,
        }
    }
}

/// GATE-10: an id that is as unique as the file. It is found again by [`Sought`].
pub fn artifact_id(file_path: &str, operation: &str) -> String {
    let name = file_path.rsplit(['/', '\\']).next().unwrap_or_default();
    let ulid = name.rsplit_once('.').and_then(|(stem, _)| ulid_of(stem)).unwrap_or_default();
    format!("{ID}{operation}_{}", ulid.to_ascii_lowercase())
}

/// The error for a name that several files have.
pub fn ambiguous(path: &str, files: &[FileName]) -> Error {
    let names: Vec<String> = files.iter().map(FileName::relative).collect();
    Error::invalid_argument(
        format!("cannot open `{path}`: several files are meant by it"),
        format!("pass one of {}", names.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const ULID: &str = "01ARZ3NDEKTSV4RRFFQ69G9K2X";

    #[test]
    fn an_id_means_the_file_that_it_was_made_of() {
        let settings = Settings::default();
        let file = FileName { session: None, name: format!("atlatl-tool_output-{ULID}.jsonl") };
        let id = artifact_id(&format!("/out/{}", file.name), "tool_output");
        assert_eq!(id, format!("art_tool_output_{}", ULID.to_ascii_lowercase()));
        for id in [id.as_str(), "art_tool_output_9k2x", "art_tool_output_9K2X"] {
            let sought = Sought::of(id, &settings).unwrap().unwrap();
            assert!(sought.fits(&file.name, &settings), "{id}");
            let names = sought.names(&settings);
            // Only a whole id says the names that the file can have.
            assert_eq!(names.contains(&file.name), id.len() > 30, "{id}: {names:?}");
        }
        assert_eq!(Sought::of(&file.name, &settings).unwrap().unwrap().names(&settings), [file.name.as_str()]);
        for other in ["art_tool_9k2x", "art_output_9k2x", "art_tool_output_9k2y"] {
            let sought = Sought::of(other, &settings).unwrap().unwrap();
            assert!(!sought.fits(&file.name, &settings), "{other}");
        }
    }

    #[test]
    fn a_name_of_mcpagent_means_the_file_with_the_random_part() {
        let settings = Settings { prefix: "tool".into(), ..Settings::default() };
        let name = "tool_20250727_093045_tavily-search_TSV4RRFFQ69G5FAV.jsonl";
        for short in ["tool_20250727_093045_tavily-search.json", "tool_20250727_093045_tavily-search", name] {
            let sought = Sought::of(short, &settings).unwrap().unwrap();
            assert!(sought.fits(name, &settings), "{short}");
        }
        let long = name.replace("-search", "_search");
        for (other, name) in [
            ("tool_20250727_093045_tavily.json", name),
            ("tool_20250727_093046_tavily-search.json", name),
            ("tool_20250727_093045_tavily.json", &long),
        ] {
            let sought = Sought::of(other, &settings).unwrap().unwrap();
            assert!(!sought.fits(name, &settings), "{other}");
        }
    }

    #[test]
    fn anything_else_is_a_path() {
        let settings = Settings::default();
        for path in ["/etc/passwd", "s/atlatl-a-b.jsonl", "", ".", "..", "notes.txt", "a\0b", "atlatl", r"a\art_x_9k2x"]
        {
            assert_eq!(Sought::of(path, &settings), Ok(None), "{path}");
        }
        for id in ["art_", "art_x", "art__9k2x", "art_a_", "art_a_9k2", "art_a_é9k2", &format!("art_a_{ULID}0")] {
            assert!(matches!(Sought::of(id, &settings), Err(Error::NotAnOffload(_))), "{id}");
        }
    }
}
