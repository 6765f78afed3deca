//! Names of offloaded files, and the file that a path means. A file is known by its session and name, never by a path.

use super::windows;
use crate::error::{Error, Problem};
use crate::file::naming::{self, Stem};
use crate::settings::request::is_session;
use crate::settings::{Profile, Settings};

/// Longer operations are cut: with prefix, ULID and extension a name stays far below the 255 bytes of file systems.
const OPERATION_CHARACTERS: usize = 64;

/// What a file is, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// JSON Lines.
    Lines,
    /// Text as it came.
    Text,
}

impl Extension {
    /// With its dot.
    pub fn text(self) -> &'static str {
        match self {
            Self::Lines => ".jsonl",
            Self::Text => ".txt",
        }
    }
}

/// What a reference to a file begins with, and in a store its path.
pub const SCHEME: &str = "lro://";

/// What a file is called while it is being written.
pub const PART: &str = ".part";

/// Where a file is, below the output directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileName {
    /// The folder, if it lies in one.
    pub session: Option<String>,
    /// `{prefix}-{operation}-{ulid}.jsonl`, or `.txt` for text; [`naming`] has the other form.
    pub name: String,
}

/// The parts of an offloaded file's name.
#[derive(Debug, PartialEq, Eq)]
pub struct Parts {
    /// Its operation and its ULID.
    pub stem: Stem,
    /// True while the file is being written, or when that was interrupted.
    pub is_part: bool,
}

impl FileName {
    /// LRO-13.
    pub fn new(stem: &Stem, session: Option<&str>, extension: Extension, settings: &Settings) -> Self {
        let name = stem.text(settings) + extension.text();
        Self { session: session.map(str::to_owned), name }
    }

    /// The path below the output directory, with slashes.
    pub fn relative(&self) -> String {
        match &self.session {
            Some(session) => format!("{session}/{}", self.name),
            None => self.name.clone(),
        }
    }

    /// The ULID in the name of a file that is whole.
    pub fn ulid(&self) -> Option<String> {
        let (stem, _) = self.name.rsplit_once('.')?;
        naming::ulid_of(stem)
    }

    /// LRO-19: the path as people and models know it.
    pub fn public_path(&self, settings: &Settings) -> String {
        let separator = settings.separator();
        let mut path = format!("{}{separator}", settings.public_dir());
        if let Some(session) = &self.session {
            path.push_str(session);
            path.push(separator);
        }
        path.push_str(&self.name);
        path
    }

    /// The file that a `file_path` means: the output directory by either of its names plus a file, or a bare name. If the
    /// host has named the conversation, a bare name means a file of its folder, and all other files are refused (GATE-18).
    ///
    /// Errors: `outside` for any other path; `not-an-offload` for a name that no offloaded file has.
    pub fn from_path(path: &str, settings: &Settings) -> Result<Self, Error> {
        let refused =
            |reason: &str, hint: &str| Error::Outside(Problem::new(format!("cannot open `{path}`: {reason}"), hint));
        let outside = || refused("it is outside the output directory", "pass the file_path of a response, unchanged");
        let path = without_scheme(path, settings);
        if path.contains('\0') {
            return Err(Error::invalid_argument(
                "cannot open the file: its path has a NUL character",
                "pass the file_path of a response, unchanged",
            ));
        }
        let below = below(path, settings);
        let parts: Vec<&str> = below.unwrap_or(path).split(['/', settings.separator()]).collect();
        let own = settings.call.session.as_deref();
        let (session, name) = match parts[..] {
            [name] => (own.filter(|_| below.is_none()), name),
            [session, name] if is_session(session) => (Some(session), name),
            _ => return Err(outside()),
        };
        if name == ".." || name == "." || name.is_empty() {
            return Err(outside());
        }
        if own.is_some() && session != own {
            return Err(refused("it belongs to another conversation", OF_ANOTHER));
        }
        match parse(name, &settings.prefix) {
            Some(Parts { is_part: false, .. }) => {
                Ok(Self { session: session.map(str::to_owned), name: name.to_owned() })
            }
            _ => Err(not_ours(path, settings)),
        }
    }
}

/// A path without the scheme that it has in the arguments of other tools: a model may hand it to ours so too. Files of a store
/// have it in their own paths.
fn without_scheme<'a>(path: &'a str, settings: &Settings) -> &'a str {
    path.strip_prefix(SCHEME).filter(|_| !is_in_a_store(&settings.public_dir)).unwrap_or(path)
}

/// True for the path of a file in a store, `lro://NAME`, which no shell can read.
pub fn is_in_a_store(path: &str) -> bool {
    path.contains("://")
}

/// What to do about a file of another conversation, or of an earlier one.
const OF_ANOTHER: &str = "pass the file_path of a response of this conversation, to the tool of the server that gave it; \
    if there is none, call the tool again whose result you need";

/// The error for a file whose name is not of our pattern.
fn not_ours(path: &str, settings: &Settings) -> Error {
    Error::NotAnOffload(Problem::new(
        format!("cannot open `{path}`: its name is not that of an offloaded file"),
        format!("pass the file_path of a response; its name is `{}-OPERATION-ULID.jsonl`", settings.prefix),
    ))
}

/// What follows the output directory in a path.
pub(super) fn below<'a>(path: &'a str, settings: &Settings) -> Option<&'a str> {
    let public = (&settings.public_dir, settings.public_dir());
    let own = (&settings.output_dir, settings.output_dir.trim_end_matches('/'));
    // Of the root of a file system nothing is left but that it was given.
    let is_given = |(given, directory): &(&String, &str)| !given.is_empty() || !directory.is_empty();
    [public, own].into_iter().filter(is_given).find_map(|(_, directory)| {
        let rest = path.strip_prefix(directory).or_else(|| windows::strip_directory(path, directory))?;
        rest.strip_prefix(['/', settings.separator()])
    })
}

/// Splits the name of an offloaded file (decision 10): a stem, an extension, and `.part` while it is written.
pub fn parse(name: &str, prefix: &str) -> Option<Parts> {
    let (whole, is_part) = match name.strip_suffix(PART) {
        Some(whole) => (whole, true),
        None => (name, false),
    };
    let extensions = [Extension::Lines, Extension::Text];
    let stem = extensions.iter().find_map(|extension| whole.strip_suffix(extension.text()))?;
    Some(Parts { stem: Stem::parse(stem, prefix)?, is_part })
}

/// The operation in the name of a file of ours.
pub fn operation_in(name: &str, prefix: &str) -> Option<String> {
    Some(parse(name, prefix)?.stem.operation)
}

/// The operation that a tool performs (LRO-16): the specification's four by their tools' names, any other name made
/// safe for a file name and bounded in length.
pub fn operation(name: &str) -> String {
    match name {
        "recall_memories" => "recall".into(),
        "list_memories" => "list".into(),
        "inject_context" => "inject".into(),
        _ if name.starts_with("search") => "search".into(),
        _ => safe(name),
    }
}

/// The same as the profile has it: mcpagent keeps the name of the tool.
pub fn operation_for(name: &str, settings: &Settings) -> String {
    match settings.profile {
        Profile::Mcpagent => safe(name),
        Profile::Current | Profile::Early => operation(name),
    }
}

fn safe(name: &str) -> String {
    let mut safe = String::new();
    for character in name.chars() {
        let character = character.to_ascii_lowercase();
        if character.is_ascii_alphanumeric() || character == '_' {
            safe.push(character);
        } else if !safe.ends_with('-') {
            safe.push('-');
        }
        if safe.len() == OPERATION_CHARACTERS {
            break;
        }
    }
    let safe = safe.trim_matches('-');
    if safe.is_empty() { "tool".into() } else { safe.into() }
}

/// A further file of the document that `path` belongs to: all of them are in one folder, wherever that is reached from.
pub fn beside(path: &str, file: &str, settings: &Settings) -> Result<String, Error> {
    let session = FileName::from_path(path, settings)?.session;
    let name = file.rsplit(['/', settings.separator()]).next().unwrap_or(file).to_owned();
    Ok(FileName { session, name }.relative())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Call;

    const ULID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

    fn settings() -> Settings {
        Settings { output_dir: "/output".into(), public_dir: "/home/me/out".into(), ..Settings::default() }
    }

    #[test]
    fn an_operation_is_mapped_or_made_safe() {
        let rows = [
            ("recall", "recall"),
            ("recall_memories", "recall"),
            ("list_memories", "list"),
            ("inject_context", "inject"),
            ("search_issues", "search"),
            ("GitHub/List Issues", "github-list-issues"),
            ("../../etc", "etc"),
            ("日本", "tool"),
        ];
        for (name, expected) in rows {
            assert_eq!(operation(name), expected, "{name}");
        }
        assert_eq!(operation(&"x".repeat(500)).len(), OPERATION_CHARACTERS);
    }

    #[test]
    fn names_of_ours_are_told_from_others() {
        let rows = [
            (format!("atlatl-recall-{ULID}.jsonl"), true),
            (format!("atlatl-a-b_c-{ULID}.jsonl"), true),
            (format!("atlatl-recall-{ULID}.txt"), true),
            (format!("atlatl-recall-{ULID}.jsonl.part"), true),
            (format!("other-recall-{ULID}.jsonl"), false),
            (format!("atlatl-recall-{}.jsonl", ULID.to_lowercase()), false),
            (format!("atlatl-Recall-{ULID}.jsonl"), false),
            (format!("atlatl--{ULID}.jsonl"), false),
            (format!("atlatl-recall-{ULID}.json"), false),
            ("atlatl-recall-01ARZ3NDEKTSV4RRFFQ69G5FAU0.jsonl".into(), false),
            (format!("atlatl-recall-{}.jsonl", ULID.replace('Z', "U")), false),
        ];
        for (name, ours) in rows {
            assert_eq!(parse(&name, "atlatl").is_some(), ours, "{name}");
        }
    }

    #[test]
    fn the_output_directory_may_be_the_root() {
        let name = format!("atlatl-recall-{ULID}.jsonl");
        let file = |session: Option<&str>| Ok(FileName { session: session.map(str::to_owned), name: name.clone() });
        let of = |output_dir: &str, public_dir: &str| Settings {
            output_dir: output_dir.into(),
            public_dir: public_dir.into(),
            ..Settings::default()
        };
        for settings in [of("/", ""), of("/output", "/"), of("/", "/home/me/out")] {
            assert_eq!(FileName::from_path(&format!("/{name}"), &settings), file(None));
            assert_eq!(FileName::from_path(&format!("/s1/{name}"), &settings), file(Some("s1")));
            assert!(FileName::from_path("/etc/passwd", &settings).is_err());
        }
        assert!(FileName::from_path(&format!("/{name}"), &of("", "")).is_err());
    }

    #[test]
    fn a_store_has_a_scheme_in_place_of_a_directory() {
        let settings = Settings { public_dir: "lro://".into(), ..settings() };
        let name = format!("atlatl-recall-{ULID}.jsonl");
        for (session, path) in [(None, format!("lro://{name}")), (Some("s1"), format!("lro://s1/{name}"))] {
            let file = FileName { session: session.map(str::to_owned), name: name.clone() };
            assert_eq!(file.public_path(&settings), path);
            assert_eq!(FileName::from_path(&path, &settings), Ok(file));
        }
        for path in ["lro:///etc/passwd", "lro://../x", "lro://a/b/c", "s3://s1/x"] {
            assert!(FileName::from_path(&format!("{path}{name}"), &settings).is_err(), "{path}");
        }
    }

    #[test]
    fn a_reference_means_a_file_of_the_directory() {
        let name = format!("atlatl-recall-{ULID}.jsonl");
        let paths = [name.clone(), settings().public_dir + "/" + &name];
        for path in paths {
            let found = FileName::from_path(&format!("lro://{path}"), &settings());
            assert_eq!(found, FileName::from_path(&path, &settings()), "{path}");
            assert!(found.is_ok(), "{path}");
        }
        for path in ["lro:///etc/passwd", "lro://../x", "lro://lro://x"] {
            assert!(FileName::from_path(&format!("{path}{name}"), &settings()).is_err(), "{path}");
        }
    }

    #[test]
    fn a_path_means_a_file_below_the_output_directory_or_nothing() {
        let name = format!("atlatl-recall-{ULID}.jsonl");
        let file = |session: Option<&str>| Ok(FileName { session: session.map(str::to_owned), name: name.clone() });
        assert_eq!(FileName::from_path(&name, &settings()), file(None));
        assert_eq!(FileName::from_path(&format!("/output/{name}"), &settings()), file(None));
        assert_eq!(FileName::from_path(&format!("/home/me/out/{name}"), &settings()), file(None));
        assert_eq!(FileName::from_path(&format!("/home/me/out/s1/{name}"), &settings()), file(Some("s1")));
        for path in [
            "/etc/passwd",
            "../x",
            "/home/me/out/../x",
            "/home/me/outside/x",
            "/home/me/out/a/b/c",
            "/home/me/out/..",
            ".",
        ] {
            assert!(matches!(FileName::from_path(path, &settings()), Err(Error::Outside(_))), "{path}");
        }
        for path in ["/home/me/out/notes.txt", "x.jsonl", &format!("{name}.part")] {
            assert!(matches!(FileName::from_path(path, &settings()), Err(Error::NotAnOffload(_))), "{path}");
        }
    }

    #[test]
    fn in_a_conversation_only_its_own_files_are_meant() {
        let call = Call { session: Some("s1".into()), ..Call::default() };
        let settings = Settings { call, ..settings() };
        let name = format!("atlatl-recall-{ULID}.jsonl");
        for path in ["", "s1/", "/output/s1/", "/home/me/out/s1/"] {
            let expected = FileName { session: Some("s1".to_owned()), name: name.clone() };
            assert_eq!(FileName::from_path(&format!("{path}{name}"), &settings), Ok(expected), "{path}");
        }
        for path in
            ["s2/", "/output/", "/home/me/out/", "/home/me/out/s2/", "/home/me/out/S1/", "/home/me/out/s1/../s2/"]
        {
            let refused = FileName::from_path(&format!("{path}{name}"), &settings);
            assert!(matches!(refused, Err(Error::Outside(_))), "{path}: {refused:?}");
        }
        let error = FileName::from_path(&format!("s2/{name}"), &settings).unwrap_err();
        assert!(error.message().ends_with("it belongs to another conversation"), "{error}");
    }

    #[test]
    fn a_further_file_is_in_the_folder_of_the_path() {
        let name = format!("atlatl-recall-{ULID}.jsonl");
        let windows = Settings { public_dir: r"C:\out".into(), ..Settings::default() };
        let rows = [
            (settings(), format!("/home/me/out/s1/{name}"), format!("s2/{name}")),
            (windows.clone(), format!(r"C:\out\s1\{name}"), format!("s1/{name}")),
            (windows, format!(r"s1\{name}"), format!(r"s2\{name}")),
        ];
        for (settings, path, file) in rows {
            assert_eq!(beside(&path, &file, &settings), Ok(format!("s1/{name}")), "{path} and {file}");
        }
    }

    #[test]
    fn a_public_path_has_the_separator_of_its_directory() {
        let stem = Stem { operation: "recall".into(), ulid: ULID.into() };
        let file = FileName::new(&stem, Some("s"), Extension::Lines, &settings());
        assert_eq!(file.public_path(&settings()), format!("/home/me/out/s/atlatl-recall-{ULID}.jsonl"));
        let windows = Settings { public_dir: r"C:\out\".into(), ..Settings::default() };
        assert_eq!(file.public_path(&windows), format!(r"C:\out\s\atlatl-recall-{ULID}.jsonl"));
        assert_eq!(FileName::from_path(&file.public_path(&windows), &windows), Ok(file.clone()));
        for directory in ["C:/out", "c:/OUT", r"\\?\C:\out", r"\\?\c:\out"] {
            let path = format!("{directory}/s/atlatl-recall-{ULID}.jsonl");
            assert_eq!(FileName::from_path(&path, &windows), Ok(file.clone()), "{path}");
        }
        for path in [r"D:\out\s\", r"C:\outside\s\", r"\out\s\", r"\\server\out\s\", r"C:\out\..\out\s\", "C:s/"] {
            let refused = FileName::from_path(&format!("{path}atlatl-recall-{ULID}.jsonl"), &windows);
            assert!(matches!(refused, Err(Error::Outside(_))), "{path}: {refused:?}");
        }
        // What a file system there takes for the same file, or for a stream or a device, is not the name of a file.
        for end in [".", " ", "::$DATA", ":stream", ".jsonl:x.jsonl"] {
            let refused = FileName::from_path(&format!("{}{end}", file.public_path(&windows)), &windows);
            assert!(matches!(refused, Err(Error::NotAnOffload(_))), "{end}: {refused:?}");
        }
    }
}
