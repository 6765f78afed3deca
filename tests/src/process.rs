//! An engine in a process of its own: each call is a line of JSON, and so is its answer.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Mutex;

use lro_conformance::case::{Case, Directory};
use lro_conformance::{Answer, Call, Engine};
use serde_json::{Value, json};

/// A program that answers calls, started when it is needed and again when it has ended.
pub struct ProcessEngine {
    program: PathBuf,
    plain: Mutex<Option<Running>>,
    without_room: Mutex<Option<Running>>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl ProcessEngine {
    /// Starts nothing yet.
    pub fn of(program: &Path) -> Self {
        Self { program: program.to_owned(), plain: Mutex::default(), without_room: Mutex::default() }
    }

    /// A limit on the size of files stands for a full disk: they can be created, and nothing can be written to them.
    fn start(&self, has_room: bool) -> Running {
        let mut command = Command::new("sh");
        let limit = if has_room { "" } else { "trap '' XFSZ; ulimit -f 0; " };
        command.args(["-c", &format!("{limit}exec \"$0\"")]).arg(&self.program);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell can be started");
        let input = child.stdin.take().expect("its input is a pipe");
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        Running { child, input, output }
    }
}

impl Engine for ProcessEngine {
    fn name(&self) -> &str {
        "native"
    }

    fn unable(&self, case: &Case) -> Option<String> {
        (case.given.directory == Directory::ReadOnly).then(|| "it has no sandbox".to_owned())
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        let has_room = call.access != Directory::Full;
        let slot = if has_room { &self.plain } else { &self.without_room };
        let mut slot = slot.lock().expect("no caller has panicked");
        let answer = slot.get_or_insert_with(|| self.start(has_room)).ask(&call.to_json());
        answer.unwrap_or_else(|| {
            slot.take();
            Answer::Failed(json!({"case": "trap", "message": "the engine has ended"}))
        })
    }
}

impl Running {
    /// Nothing when the program has ended.
    fn ask(&mut self, call: &Value) -> Option<Answer> {
        writeln!(self.input, "{call}").ok()?;
        let mut line = String::new();
        self.output.read_line(&mut line).ok()?;
        let mut answer: Value = serde_json::from_str(&line).ok()?;
        let is_done = answer.get("done").is_some();
        Some(if is_done { Answer::Done(answer["done"].take()) } else { Answer::Failed(answer["failed"].take()) })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
