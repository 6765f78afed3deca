//! The servers that get the load, installed and built as their users would.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::corpus::synthetic;
use crate::sources::root;
use crate::{command, peers};

/// A server, and results of its tools.
pub(super) struct Server {
    pub(super) name: &'static str,
    program: PathBuf,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    folder: PathBuf,
    /// Where it puts large results.
    pub(super) output: PathBuf,
    pub(super) results: Vec<Expected>,
    /// How many threads its pools may start, at any time.
    pub(super) pooled: u64,
}

/// A call, and what it gives.
pub(super) struct Expected {
    pub(super) tool: &'static str,
    pub(super) arguments: Value,
    /// How many records the result has.
    pub(super) records: usize,
    /// Whether it is above the threshold.
    pub(super) is_large: bool,
}

impl Server {
    /// The command that starts it.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).envs(self.variables.iter().cloned());
        command
    }
}

/// The threads of both pools of the Python package (`_MOST` of `lro.threads`). `ThreadPoolExecutor` starts one more for a call
/// that comes before the thread of the call before has said that it is free, which a busy processor decides.
const POOLS_OF_PYTHON: u64 = 16 + 8;

/// Numbers of records of the files that are read: 1 KB to 3 MB.
const SIZES: [usize; 6] = [2, 100, 1000, 50, 5000, 300];

/// All servers, with folders for their results below `folder`.
pub(super) fn all(lro: &Path, folder: &Path) -> Result<Vec<Server>, String> {
    // As the tests of the packages install them: below the target folder, once.
    let target = command::profile().parent().ok_or("the target folder is unknown")?.join("tmp");
    let files = folder.join("files");
    fs::create_dir(&files).map_err(|error| format!("cannot make a folder: {error}"))?;
    for size in SIZES {
        let text = synthetic(size as u64, size);
        fs::write(files.join(format!("{size}.json")), text).map_err(|error| format!("cannot write: {error}"))?;
    }
    Ok(vec![
        mcp(lro, folder, &files),
        proxy(lro, folder, &files, &target)?,
        javascript(lro, folder, &files, &target)?,
        python(lro, folder, &files, &target)?,
    ])
}

fn mcp(lro: &Path, folder: &Path, files: &Path) -> Server {
    let output = folder.join("mcp");
    let of_size = |size: usize| Expected {
        tool: "lro_offload",
        arguments: json!({"file": files.join(format!("{size}.json")), "operation": "list"}),
        records: size,
        is_large: size > 10,
    };
    Server {
        name: "`lro mcp`",
        program: lro.to_owned(),
        arguments: ["mcp".into(), "--output-dir".into(), (&output).into(), "--root".into(), files.into()].into(),
        variables: Vec::new(),
        folder: folder.to_owned(),
        output,
        results: SIZES.map(of_size).into(),
        pooled: 0,
    }
}

fn proxy(lro: &Path, folder: &Path, files: &Path, target: &Path) -> Result<Server, String> {
    let packages = peers::javascript(&root().join("tests/peers/js"), target)?;
    let server = packages.join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    let output = folder.join("proxy");
    let of_size = |size: usize| Expected {
        tool: "read_text_file",
        arguments: json!({"path": files.join(format!("{size}.json"))}),
        records: size,
        is_large: size > 10,
    };
    let proxy = ["proxy".into(), "--output-dir".into(), (&output).into()];
    Ok(Server {
        name: "`lro proxy`",
        program: lro.to_owned(),
        arguments: proxy.into_iter().chain(["--".into(), "node".into(), server.into(), files.into()]).collect(),
        variables: Vec::new(),
        folder: folder.to_owned(),
        output,
        results: SIZES.map(of_size).into(),
        pooled: 0,
    })
}

fn javascript(lro: &Path, folder: &Path, files: &Path, target: &Path) -> Result<Server, String> {
    let package = peers::javascript_package(&root().join("embed/js"), target)?;
    let mut build = Command::new("node");
    build.arg("scripts/build.js").current_dir(&package).env("LRO", lro).env("LRO_REPOSITORY", root());
    peers::run(&mut build)?;
    let output = folder.join("javascript");
    Ok(Server {
        name: "the JavaScript package",
        program: "node".into(),
        arguments: ["example/server.js".into(), files.join("1000.json").into(), (&output).into()].into(),
        variables: Vec::new(),
        folder: package,
        results: memories(&files.join("1000.json"))?,
        pooled: 0,
        output,
    })
}

fn python(lro: &Path, folder: &Path, files: &Path, target: &Path) -> Result<Server, String> {
    let sources = root().join("embed/python");
    let python = peers::python(&sources, target)?;
    peers::run(Command::new("bash").arg(sources.join("build.sh")).env("LRO", lro))?;
    let output = folder.join("python");
    Ok(Server {
        name: "the Python package",
        program: python,
        arguments: [sources.join("example/server.py").into(), files.join("1000.json").into(), (&output).into()].into(),
        variables: vec![("PYTHONPATH", sources.join("src").into()), ("PYTHONDONTWRITEBYTECODE", "1".into())],
        folder: folder.to_owned(),
        results: memories(&files.join("1000.json"))?,
        pooled: POOLS_OF_PYTHON,
        output,
    })
}

/// What the example servers of the packages give of a file of memories: all, and a namespace alone.
fn memories(file: &Path) -> Result<Vec<Expected>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read: {error}"))?;
    let all: Vec<Value> = serde_json::from_str(&text).map_err(|error| format!("memories are JSON: {error}"))?;
    let of_namespace = |namespace: &str| {
        let is_in = |memory: &&Value| memory["namespace"].as_str().unwrap_or_default().starts_with(namespace);
        let records = all.iter().filter(is_in).count();
        let arguments = json!({"namespace": namespace});
        Expected { tool: "list_memories", arguments, records, is_large: records > 10 }
    };
    let namespaces = ["", "_semantic", "_episodic", "_procedural", "no such namespace"];
    Ok(namespaces.map(of_namespace).into())
}
