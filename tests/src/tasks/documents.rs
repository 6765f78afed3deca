//! The place of a run: documents in a folder, the real servers that return them, and what jq makes of their results.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use serde_json::{Value, json};

use super::client::{Client, StandIns};
use super::task::{Document, Source, Task};
use super::{made, task};
use crate::{command, jq, peers};

/// Where a model believes that the documents are, and where files go that were offloaded.
const SHOWN: [&str; 2] = ["/home/ada/project", "/tmp/lro-1000"];

/// The session of the proxy, the same in each run. A random name costs eight tokens more in a compact response; a full
/// one, which has the path 16 times, would be at its bound.
const SESSION: &str = "s";

/// A folder with all documents, and the packages of the servers.
pub struct Place {
    folder: tempfile::TempDir,
    packages: PathBuf,
}

/// The documents by name, with what a server returns for each.
pub type Raws = HashMap<String, Rc<Raw>>;

/// A document with what its server returns without a proxy.
pub struct Raw {
    /// The document.
    pub document: Document,
    /// The arguments of the server's tool.
    pub arguments: Value,
    /// The result, as one text.
    pub text: String,
    lists: RefCell<HashMap<String, Rc<Vec<Value>>>>,
    places: RefCell<HashMap<String, Rc<Vec<Range<usize>>>>>,
}

/// A new folder. Its name is one of a few that cost the same: letters at random cost one token more or less, which decides
/// how much a response says that stands at a bound.
fn folder_in(parent: &Path) -> std::io::Result<tempfile::TempDir> {
    let named =
        |letter| tempfile::Builder::new().prefix(&format!("lro-tasks-{letter}")).rand_bytes(0).tempdir_in(parent);
    ('a'..='y').map(named).find(|made| !made.as_ref().is_err_and(is_taken)).unwrap_or_else(|| named('z'))
}

fn is_taken(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::AlreadyExists
}

impl Place {
    /// Installs the packages, and puts the documents into a new folder.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn new(documents: &[Document]) -> Result<Self, String> {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/npm");
        let target = command::profile().parent().ok_or("a profile is in a target folder")?.join("tmp");
        let packages = peers::javascript(&sources, &target)?;
        // Not the temporary directory of the machine: a long path makes a full response shorter.
        let parent = fs::canonicalize("/tmp").map_err(|error| error.to_string())?;
        let place = Self { folder: folder_in(&parent).map_err(|error| error.to_string())?, packages };
        let fill = || {
            fs::create_dir(place.data())?;
            fs::create_dir(place.output())?;
            documents.iter().try_for_each(|document| place.put(document))
        };
        fill().map_err(|error: std::io::Error| format!("cannot write the documents: {error}"))?;
        Ok(place)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("output")
    }

    fn put(&self, document: &Document) -> std::io::Result<()> {
        let path = self.data().join(file_name(document));
        let from = |text: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(text);
        match &document.source {
            Source::Fixture(name) => fs::copy(from(name), path).map(drop),
            Source::Package(name) => fs::copy(self.packages.join(name), path).map(drop),
            Source::Folder(name) => peers::copy_tree(&self.packages.join(name), &path),
            Source::Made(name, count) => fs::write(path, made::made(name, *count)),
        }
    }

    /// What stands for the paths of this place.
    pub fn stand_ins(&self) -> StandIns {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        StandIns::new(vec![(path(self.data()), SHOWN[0].into()), (path(self.output()), SHOWN[1].into())])
    }

    /// A server, alone or behind the proxy with these settings.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn server(&self, kind: Server, proxy: Option<&str>) -> Result<Client, String> {
        let script = self.packages.join("node_modules/@modelcontextprotocol").join(kind.script());
        let mut command = match proxy {
            None => Command::new("node"),
            Some(settings) => {
                let mut command = Command::new(command::lro());
                command.args(["proxy", "--session", SESSION, "--output-dir"]).arg(self.output());
                if !settings.is_empty() {
                    let file = self.folder.path().join("settings.toml");
                    fs::write(&file, settings).map_err(|error| error.to_string())?;
                    command.arg("--settings-file").arg(file);
                }
                command.args(["--", "node"]);
                command
            }
        };
        command.arg(script);
        match kind {
            Server::Files => command.arg(self.data()),
            Server::Memory => command.env("MEMORY_FILE_PATH", self.data().join("graph")),
        };
        Client::start(&mut command, self.stand_ins())
    }

    /// What the servers return for each document.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn raws(&self, documents: &[Document]) -> Result<Raws, String> {
        let mut raws = Raws::new();
        let (mut files, mut memory) = (self.server(Server::Files, None)?, self.server(Server::Memory, None)?);
        for document in documents {
            let server = if Server::of(document) == Server::Files { &mut files } else { &mut memory };
            let arguments = arguments(document);
            let (text, is_error) = server.call(&document.tool, &arguments)?;
            if is_error {
                return Err(format!("`{}` fails: {text:.300}", document.name));
            }
            let raw = Raw {
                document: document.clone(),
                arguments,
                text,
                lists: RefCell::default(),
                places: RefCell::default(),
            };
            raws.insert(document.name.clone(), Rc::new(raw));
        }
        Ok(raws)
    }
}

/// The real servers, whose packages `tests/questions/npm` locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// The reference server of files.
    Files,
    /// The reference server of memory: its results have structured content too.
    Memory,
}

impl Server {
    /// The server that returns a document.
    pub fn of(document: &Document) -> Self {
        if document.tool == "read_graph" { Self::Memory } else { Self::Files }
    }

    fn script(self) -> &'static str {
        match self {
            Self::Files => "server-filesystem/dist/index.js",
            Self::Memory => "server-memory/dist/index.js",
        }
    }
}

/// The file of a document has its name, without an ending that a model could read something from.
fn file_name(document: &Document) -> &str {
    &document.name
}

/// The arguments of the call that returns a document.
fn arguments(document: &Document) -> Value {
    let path = format!("{}/{}", SHOWN[0], file_name(document));
    match document.tool.as_str() {
        "read_graph" => json!({}),
        "search_files" => json!({"path": path, "pattern": "**/*.js"}),
        _ => json!({"path": path}),
    }
}

impl Raw {
    /// The records of the document, or of one of its other lists.
    pub fn records(&self, list: Option<&str>) -> Rc<Vec<Value>> {
        let filter = list.unwrap_or(&self.document.records);
        if let Some(records) = self.lists.borrow().get(filter) {
            return records.clone();
        }
        let records = Rc::new(match self.jq(filter, "[]") {
            Ok(Value::Array(records)) => records,
            other => panic!("the records of `{}` are not an array: {other:?}", self.document.name),
        });
        self.lists.borrow_mut().insert(filter.to_owned(), records.clone());
        records
    }

    /// Where each record is in the text of the result: records take room in proportion to their JSON.
    pub fn places(&self, list: Option<&str>) -> Rc<Vec<Range<usize>>> {
        let filter = list.unwrap_or(&self.document.records);
        if let Some(places) = self.places.borrow().get(filter) {
            return places.clone();
        }
        let lengths: Vec<f64> = self.records(list).iter().map(|record| record.to_string().len() as f64).collect();
        let scale = self.text.len() as f64 / lengths.iter().sum::<f64>();
        let mut at = 0.0;
        let place = |length: f64| {
            let start = at;
            at += length * scale;
            start as usize..(at as usize).min(self.text.len())
        };
        let places = Rc::new(lengths.into_iter().map(place).collect::<Vec<_>>());
        self.places.borrow_mut().insert(filter.to_owned(), places.clone());
        places
    }

    /// What jq makes of the result.
    ///
    /// # Errors
    /// The words of jq.
    pub fn jq(&self, filter: &str, what: &str) -> Result<Value, String> {
        let options: &[&str] = if self.document.is_text { &["-c", "-R", "-s"] } else { &["-c"] };
        one(&jq::filter(options.iter().copied(), filter, &self.text), what)
    }

    /// The answer to a task as the real jq computes it.
    ///
    /// # Errors
    /// The words of jq.
    pub fn answer(&self, task: &Task) -> Result<Value, String> {
        let records = Value::Array(self.records(task.want.list.as_deref()).to_vec());
        one(&jq::filter(["-c"], &task.jq, &records.to_string()), &task.id)
    }
}

fn one(printed: &crate::shell::Printed, what: &str) -> Result<Value, String> {
    let values = jq::values(&printed.stdout);
    match <[Value; 1]>::try_from(values) {
        Ok([value]) if printed.status == Some(0) => Ok(value),
        other => Err(format!("`{what}`: jq gives {other:.0?}: {}", printed.stderr)),
    }
}

/// The tasks, each with its document.
///
/// # Errors
/// One line that names a task without a document.
pub fn pairs(raws: &Raws) -> Result<Vec<(Rc<Raw>, Task)>, String> {
    let pair = |task: Task| match raws.get(&task.document) {
        Some(raw) => Ok((raw.clone(), task)),
        None => Err(format!("the document `{}` of `{}` does not exist", task.document, task.id)),
    };
    task::tasks()?.into_iter().map(pair).collect()
}
