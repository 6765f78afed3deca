//! Runs one case on one engine.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::case::{Case, Directory, Function, GivenFile, Payload, Source, Step};
use crate::engine::{Answer, Call, Engine};
use crate::names::Names;
use crate::pattern::mismatch;
use crate::suite;

/// How a case ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All steps came to what they must.
    Passed,
    /// The first difference, with its step.
    Failed(String),
    /// The engine has no way to run it; why.
    Unable(String),
}

/// Runs a case in a temporary directory of its own.
pub fn run(case: &Case, engine: &dyn Engine) -> Verdict {
    if let Some(reason) = engine.unable(case) {
        return Verdict::Unable(reason);
    }
    match Scene::set(case).and_then(|mut scene| scene.play(engine)) {
        Ok(verdict) => verdict,
        Err(error) => Verdict::Failed(error),
    }
}

/// A temporary folder with a short path where there is one: a response says less the longer the paths in it are, and
/// some systems have a long path to temporary files.
fn temporary() -> std::io::Result<tempfile::TempDir> {
    #[cfg(unix)]
    if let Ok(folder) = tempfile::tempdir_in("/tmp") {
        return Ok(folder);
    }
    tempfile::tempdir()
}

/// A case on its way.
struct Scene<'a> {
    case: &'a Case,
    names: Names,
    directory: PathBuf,
    /// Deleted with the scene.
    _root: tempfile::TempDir,
}

impl<'a> Scene<'a> {
    fn set(case: &'a Case) -> Result<Self, String> {
        let root = temporary().map_err(|error| format!("no temporary directory: {error}"))?;
        let root_path = root.path().canonicalize().map_err(|error| error.to_string())?;
        // Where the folder above it is missing too, no engine makes it by the way.
        let is_missing = case.given.directory == Directory::Missing;
        let directory = root_path.join(if is_missing { "nowhere/output" } else { "output" });
        let mut names = Names::default();
        names.set("directory", &directory.display().to_string());
        names.set("outside", &directory.with_file_name("outside").display().to_string());
        if !is_missing {
            fs::create_dir(&directory).map_err(|error| error.to_string())?;
        }
        for file in &case.given.files {
            place(&directory, file, &names).map_err(|error| format!("cannot place `{}`: {error}", file.name))?;
        }
        Ok(Self { case, names, directory, _root: root })
    }

    fn play(&mut self, engine: &dyn Engine) -> Result<Verdict, String> {
        for (i, step) in self.case.steps.iter().enumerate() {
            let place = |error: String| format!("step {} ({:?}): {error}", i + 1, step.call);
            if let Verdict::Failed(error) = self.step(step, engine).map_err(place)? {
                return Ok(Verdict::Failed(place(error)));
            }
        }
        Ok(Verdict::Passed)
    }

    fn step(&mut self, step: &Step, engine: &dyn Engine) -> Result<Verdict, String> {
        let payload = self
            .payload(&step.payload)?
            .map_or_else(|| self.payload(&self.case.given.payload), |text| Ok(Some(text)))?;
        let given = if step.call == Function::Resolve { Map::new() } else { self.case.given.settings.clone() };
        let settings = given.into_iter().chain(step.settings.clone()).collect();
        let source = self.source(step);
        let call = Call {
            function: step.call,
            payload: payload.as_deref().unwrap_or_default(),
            source: source.as_ref(),
            request: &self.filled(&step.request),
            settings: &self.filled(&settings),
            file_text: &step.file_text,
            environment: &step.environment,
            directory: &self.directory,
            access: self.case.given.directory,
        };
        let found = match (engine.call(&call), &step.then.error) {
            (Answer::Accident(reason), _) => return Ok(Verdict::Failed(reason)),
            (Answer::Failed(found), Some(expected)) => return Ok(self.compared(expected, &found, "error", engine)),
            (Answer::Failed(found), None) => return Ok(Verdict::Failed(format!("unexpected error {found}"))),
            (Answer::Done(found), Some(expected)) => {
                return Ok(Verdict::Failed(format!("expected the error {expected}, found {found}")));
            }
            (Answer::Done(found), None) => self.derived(step.call, found),
        };
        let checks = [
            ("answer", step.then.answer.as_ref(), Some(found)),
            ("files", step.then.files.as_ref(), step.then.files.as_ref().map(|_| files_below(&self.directory))),
            ("file", step.then.file.as_ref(), step.then.file.as_ref().map(|_| self.last_file())),
        ];
        for (what, expected, found) in checks {
            if let (Some(expected), Some(found)) = (expected, found) {
                let verdict = self.compared(expected, &found, what, engine);
                if verdict != Verdict::Passed {
                    return Ok(verdict);
                }
            }
        }
        Ok(Verdict::Passed)
    }

    fn compared(&self, expected: &Value, found: &Value, what: &str, engine: &dyn Engine) -> Verdict {
        let mut expected = expected.clone();
        if let Value::Object(keys) = &mut expected {
            keys.retain(|key, _| engine.shows(key));
        }
        match mismatch(&expected, found, &self.names) {
            Some(difference) => Verdict::Failed(format!("{what}{difference}")),
            None => Verdict::Passed,
        }
    }

    /// The answer with what follows from it, and the names that later steps may use.
    fn derived(&mut self, function: Function, mut answer: Value) -> Value {
        let text = answer["text"].as_str().unwrap_or_default().to_owned();
        match function {
            Function::Offload => {
                let response: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                if let (Some(path), Some(name)) = (response["file_path"].as_str(), answer["file_name"].as_str()) {
                    self.names.set("file", path);
                    self.names.set("name", name);
                    self.names.set("artifact_id", response["artifact_id"].as_str().unwrap_or_default());
                    self.names.set("content", answer["content"].as_str().unwrap_or_default());
                }
                answer["response"] = response;
            }
            Function::ListFiles => {
                answer["listing"] = serde_json::from_str(&text).unwrap_or(Value::Null);
                self.names.set("next", answer["listing"]["next"].as_str().unwrap_or_default());
            }
            Function::Copies => answer["copies"] = serde_json::from_str(&text).unwrap_or(Value::Null),
            Function::Describe => answer["description"] = serde_json::from_str(&text).unwrap_or(Value::Null),
            _ if function.is_mcp() => {
                let message: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
                // A task that has been completed carries its result.
                let result = message.get("result").unwrap_or(&message);
                let path = result["structuredContent"]["file_path"].as_str();
                if let (Some(path), Some(name)) = (path, answer["file_name"].as_str()) {
                    self.names.set("file", path);
                    self.names.set("name", name);
                    let artifact_id = &result["structuredContent"]["artifact_id"];
                    self.names.set("artifact_id", artifact_id.as_str().unwrap_or_default());
                }
                self.names.set("next", result["structuredContent"]["next"].as_str().unwrap_or_default());
                answer["message"] = message;
            }
            Function::Read | Function::Search => {
                self.names.set("next", answer["next"].as_str().unwrap_or_default());
            }
            Function::Extract => {
                let results: Option<Vec<Value>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
                answer["results"] = results.into();
                self.names.set("next", answer["next"].as_str().unwrap_or_default());
                self.name_new_file(&mut answer);
            }
            _ => {}
        }
        answer
    }

    /// Results that went into a file of their own: its response, and its names for later steps.
    fn name_new_file(&mut self, answer: &mut Value) {
        let response = answer["results"][0].clone();
        let Some(path) = response["file_path"].as_str().filter(|_| response["offloaded"] == true) else { return };
        let directory = self.directory.display().to_string();
        let name = path.strip_prefix(&directory).unwrap_or(path).trim_start_matches(['/', '\\']);
        self.names.set("file", path);
        self.names.set("name", name);
        answer["response"] = response;
    }

    fn payload(&self, payload: &Payload) -> Result<Option<String>, String> {
        Ok(match payload {
            Payload { payload: Some(text), .. } => Some(self.names.fill(text)),
            Payload { records: Some(records), .. } => Some(self.names.fill(&json!(records).to_string())),
            Payload { fixture: Some(name), .. } => {
                Some(suite::fixture(name).ok_or_else(|| format!("no fixture `{name}`"))?.to_owned())
            }
            Payload { message: Some(message), .. } => Some(fill(message, &self.names).to_string()),
            _ => None,
        })
    }

    fn source(&self, step: &Step) -> Option<Source> {
        match &step.source {
            Some(Source::File(file)) => Some(Source::File(self.names.fill(file))),
            Some(Source::Content(text)) => Some(Source::Content(self.names.fill(text))),
            None => self.names.get("file").map(|file| Source::File(file.to_owned())),
        }
    }

    fn filled(&self, object: &Map<String, Value>) -> Map<String, Value> {
        object.iter().map(|(key, value)| (key.clone(), fill(value, &self.names))).collect()
    }

    /// The file that was offloaded last, taken apart.
    fn last_file(&self) -> Value {
        let name = self.names.get("name").unwrap_or_default();
        let text = fs::read_to_string(self.directory.join(name)).unwrap_or_default();
        let (header, rest) = text.split_once('\n').unwrap_or((&text, ""));
        json!({
            "name": name,
            "header": serde_json::from_str::<Value>(header).unwrap_or(Value::Null),
            "header_text": header,
            "lines": rest.lines().collect::<Vec<_>>(),
            "ends_with_newline": text.ends_with('\n'),
        })
    }
}

fn fill(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => names.fill(text).into(),
        Value::Array(values) => values.iter().map(|value| fill(value, names)).collect(),
        Value::Object(members) => members.iter().map(|(key, value)| (key.clone(), fill(value, names))).collect(),
        other => other.clone(),
    }
}

/// Puts what is given into the output directory.
fn place(directory: &Path, file: &GivenFile, names: &Names) -> std::io::Result<()> {
    let path = directory.join(names.fill(&file.name));
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match (&file.lines, &file.link) {
        (Some(lines), _) => {
            let line = |line: &Value| names.fill(&line.as_str().map_or_else(|| line.to_string(), str::to_owned)) + "\n";
            fs::write(path, lines.iter().map(line).collect::<String>())
        }
        (None, Some(target)) => link(&names.fill(target), &path),
        (None, None) => fs::create_dir_all(path),
    }
}

#[cfg(unix)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn link(target: &str, path: &Path) -> std::io::Result<()> {
    std::os::windows::fs::symlink_file(target, path)
}

/// The paths of all files below a directory, with slashes, and of empty folders, sorted.
fn files_below(directory: &Path) -> Value {
    fn collect(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                let before = found.len();
                collect(&entry.path(), &format!("{name}/"), found);
                if found.len() == before {
                    found.push(format!("{name}/"));
                }
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    collect(directory, "", &mut found);
    found.sort();
    found.into()
}
