//! A client that speaks bytes: it starts the command, writes lines and reads lines.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const LRO: &str = env!("CARGO_BIN_EXE_lro");

/// Where the compiled component is kept between runs of the tests.
pub(crate) const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// Compiles the component, so that no test waits for it.
pub(crate) fn compile_once() {
    let compiled = Command::new(LRO).args(["estimate"]).env("LRO_CACHE_DIR", CACHE).stdin(Stdio::null()).output();
    assert!(compiled.is_ok_and(|output| output.status.success()), "the component can be compiled");
}

/// A conversation with a command of ours.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    folder: TempDir,
}

/// A folder for files, and the command that talks there.
pub(crate) fn start(arguments: &[&str]) -> Client {
    let folder = tempfile::tempdir().expect("a folder can be made");
    start_in(folder, arguments)
}

/// The same with a folder that is there already.
pub(crate) fn start_in(folder: TempDir, arguments: &[&str]) -> Client {
    let command = command(&folder, &[]);
    started(folder, command, arguments)
}

/// The same with the compiled component in another folder, or not there yet.
pub(crate) fn start_with_cache(cache: &Path, arguments: &[&str]) -> Client {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut command = command(&folder, &[]);
    command.env("LRO_CACHE_DIR", cache);
    started(folder, command, arguments)
}

/// The same with more variables.
pub(crate) fn start_with_variables(folder: TempDir, variables: &[(&str, &str)], arguments: &[&str]) -> Client {
    let mut command = command(&folder, &[]);
    command.envs(variables.iter().copied());
    started(folder, command, arguments)
}

fn started(folder: TempDir, mut command: Command, arguments: &[&str]) -> Client {
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("the command can be started");
    let input = child.stdin.take();
    let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
    Client { child, input, output, folder }
}

/// The command, to be given arguments and streams. `wrapper` is a program, with arguments, that starts it.
pub(crate) fn command(folder: &TempDir, wrapper: &[&str]) -> Command {
    // It is created where it is needed.
    let results = folder.path().join("results");
    let words: Vec<&str> = wrapper.iter().copied().chain([LRO]).collect();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("LRO_CACHE_DIR", CACHE)
        .env("LRO_TEST_LOG", folder.path().join("log"))
        .env("TOKEN_OF_TEST", "secret")
        .env("LONG_TOKEN_OF_TEST", "token-in-variable")
        .env("ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR", &results)
        .stderr(Stdio::piped());
    command
}

/// The words that start the server of these tests.
pub(crate) fn server() -> [String; 2] {
    let this = std::env::current_exe().expect("a test has a path").display().to_string();
    [this, super::server::FLAG.to_owned()]
}

/// The proxy in front of a shell script.
#[cfg(unix)]
pub(crate) fn proxy_of(script: &str) -> Client {
    start(&["proxy", "--", "sh", "-c", script])
}

/// The proxy in front of the server of these tests.
pub(crate) fn proxy(flags: &[&str]) -> Client {
    let [this, flag] = server();
    start(&[&["proxy"], flags, &["--", &this, &flag]].concat())
}

impl Client {
    /// Writes bytes as they are.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the conversation goes on");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the command listens");
    }

    /// Writes a message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// Calls a tool again and again, in a thread of its own: whoever does not read while it writes waits for ever.
    pub(crate) fn call_meanwhile(&mut self, calls: Vec<(u32, &'static str, Value)>) -> JoinHandle<ChildStdin> {
        let mut input = self.input.take().expect("the conversation goes on");
        std::thread::spawn(move || {
            for (id, tool, result) in calls {
                writeln!(input, "{}", call(id, tool, &result)).expect("the command listens");
            }
            input
        })
    }

    /// Goes on after such calls.
    pub(crate) fn go_on(&mut self, calls: JoinHandle<ChildStdin>) {
        self.input = Some(calls.join().expect("the calls are made"));
    }

    /// Reads a line with its end; empty at the end of the output.
    pub(crate) fn line(&mut self) -> Vec<u8> {
        let mut line = Vec::new();
        self.output.read_until(b'\n', &mut line).expect("the command can be read from");
        line
    }

    /// Reads a message.
    pub(crate) fn receive(&mut self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&line)))
    }

    /// Calls a tool of the server, which answers with this result.
    pub(crate) fn call(&mut self, id: u32, tool: &str, result: &Value) {
        self.send(&call(id, tool, result));
    }

    /// Calls a tool and waits for what comes of it.
    pub(crate) fn result(&mut self, id: u32, tool: &str, arguments: &Value) -> Value {
        self.send(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments},
        }));
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer["result"].clone()
    }

    /// Where the files are.
    pub(crate) fn results(&self) -> PathBuf {
        self.folder.path().join("results")
    }

    /// Puts a file where the output directory was: nothing can be stored any more. One that is only gone is created again.
    pub(crate) fn block_results(&self) {
        std::fs::remove_dir(self.results()).expect("nothing is stored yet");
        std::fs::write(self.results(), "mine").expect("a file can be written in its place");
    }

    /// What the server has got.
    pub(crate) fn log(&self) -> Vec<u8> {
        std::fs::read(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the command.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "a signal can be sent");
    }

    /// Says nothing more.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Listens no more.
    #[cfg(unix)]
    pub(crate) fn close_output(&mut self) {
        let (reader, _) = std::io::pipe().expect("a pipe can be made");
        let output = ChildStdout::from(std::os::fd::OwnedFd::from(reader));
        self.output = BufReader::new(output);
    }

    /// Waits until the command has ended by itself, whatever it says, and returns its status. Two seconds are promised;
    /// the bound is for machines that do much else, and below what took longer before.
    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.wait_for(Duration::from_secs(8))
    }

    /// The same for a command that compiles the component first.
    pub(crate) fn wait_long(&mut self) -> ExitStatus {
        self.wait_for(Duration::from_secs(300))
    }

    fn wait_for(&mut self, longest: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("the command can be waited for") {
                return status;
            }
            if start.elapsed() > longest {
                self.child.kill().expect("the command can be killed");
                panic!("the command has not ended");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Says nothing more, and reads what is left until the command ends.
    pub(crate) fn end(mut self) -> (Output, Vec<u8>, TempDir) {
        self.input = None;
        let mut rest = Vec::new();
        std::io::Read::read_to_end(&mut self.output, &mut rest).expect("the command can be read from");
        let output = self.child.wait_with_output().expect("the command ends");
        (output, rest, self.folder)
    }

    /// Ends a conversation in which nothing went wrong.
    pub(crate) fn end_well(self) {
        let (output, rest, _folder) = self.end();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&rest), "");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// A call of a tool that the server answers with this result.
fn call(id: u32, tool: &str, result: &Value) -> Value {
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string() + "\n";
    json!({"id": id, "method": "tools/call", "params": {"name": tool, "say": [answer]}})
}

/// A CallToolResult of so many records.
pub(crate) fn records(count: usize) -> Value {
    let state = |n: usize| if n.is_multiple_of(2) { "open" } else { "closed" };
    let record = |n: usize| json!({"id": n, "state": state(n), "title": format!("Issue {n}")});
    let text = Value::from((0..count).map(record).collect::<Vec<_>>()).to_string();
    json!({"content": [{"type": "text", "text": text}]})
}

/// The text of the first block of a result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

/// The names of the files in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries.map(|entry| entry.expect("an entry can be read").file_name().to_string_lossy().into_owned()).collect()
}
