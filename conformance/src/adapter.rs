//! An engine in any language: a process that reads a request a line and writes a reply a line. `docs/CONFORMANCE.md`
//! explains the protocol; [`message`](super::message) has its words.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};

use super::case::{Case, Directory, Function};
use super::engine::{Answer, Call, Engine};
use super::message::{self, Reply};

/// The version of the protocol.
const PROTOCOL: u32 = 1;

/// How long an adapter has to end after its input has.
const LEAVE: Duration = Duration::from_secs(2);

/// An adapter process. It is started again after it has ended or has been stopped.
pub struct AdapterEngine {
    command: Vec<String>,
    patience: Patience,
    hello: Hello,
    state: Mutex<State>,
}

/// What is borne of an adapter.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The time that a reply may take.
    pub reply: Duration,
    /// Calls in a row that the adapter may leave unanswered, because it ends or is too slow. The next one ends the run.
    pub accidents: u32,
}

impl Default for Patience {
    fn default() -> Self {
        Self { reply: Duration::from_secs(60), accidents: 2 }
    }
}

/// What an adapter says of itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hello {
    /// Its name in reports.
    name: String,
    /// The kinds of directory and the calls that it has no way to offer, with the reason.
    #[serde(default)]
    unable: BTreeMap<Ability, String>,
}

/// What an adapter may be unable to do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
enum Ability {
    Directory(Directory),
    Call(Function),
}

impl TryFrom<String> for Ability {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let value = || Value::from(name.as_str());
        let directory = || serde_json::from_value(value()).map(Self::Directory);
        let call = serde_json::from_value(value()).map(Self::Call);
        call.or_else(|_| directory()).map_err(|_| format!("`{name}` is neither a kind of directory nor a call"))
    }
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// Accidents since the last reply.
    accidents: u32,
    fault: Option<String>,
}

/// Why there is no reply.
enum Trouble {
    /// The adapter has ended or is too slow. Another call may do better.
    Accident(String),
    /// The adapter breaks the protocol. No call does better.
    Fault(String),
}

impl AdapterEngine {
    /// Starts an adapter by its command line and greets it.
    ///
    /// # Errors
    /// Why it cannot be started or does not greet back.
    pub fn start(command: &str, patience: Patience) -> Result<Self, String> {
        let command = words(command)?;
        let (running, hello) = Running::start(&command, patience.reply)?;
        let state = State { running: Some(running), ..State::default() };
        Ok(Self { command, patience, hello, state: Mutex::new(state) })
    }

    fn ask(&self, state: &mut State, call: &Call<'_>) -> Result<Reply, Trouble> {
        if let Some(fault) = &state.fault {
            return Err(Trouble::Fault(fault.clone()));
        }
        let running = match &mut state.running {
            Some(running) => running,
            None => {
                let (running, _) = Running::start(&self.command, self.patience.reply).map_err(Trouble::Fault)?;
                state.running.insert(running)
            }
        };
        running.ask(message::request(call), self.patience.reply)
    }

    /// Remembers what went wrong, and says it.
    fn told(&self, state: &mut State, trouble: Trouble) -> String {
        state.running = None;
        let (text, is_fault) = match trouble {
            Trouble::Fault(text) => (text, true),
            Trouble::Accident(text) => {
                state.accidents += 1;
                match state.accidents > self.patience.accidents {
                    true => (format!("{text}; {} calls in a row had no reply", state.accidents), true),
                    false => (text, false),
                }
            }
        };
        if is_fault {
            state.fault = Some(text.clone());
        }
        text
    }
}

impl Engine for AdapterEngine {
    fn name(&self) -> &str {
        &self.hello.name
    }

    fn unable(&self, case: &Case) -> Option<String> {
        let calls = case.steps.iter().map(|step| Ability::Call(step.call));
        let mut needed = calls.chain([Ability::Directory(case.given.directory)]);
        needed.find_map(|ability| self.hello.unable.get(&ability).cloned())
    }

    fn fault(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).fault.clone()
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = match self.ask(&mut state, call) {
            Ok(reply) => reply,
            Err(trouble) => return Answer::Accident(self.told(&mut state, trouble)),
        };
        state.accidents = 0;
        match reply {
            Reply::Answer(answer) => message::answer(call, answer).map_or_else(Answer::Accident, Answer::Done),
            Reply::Error(error) => Answer::Failed(error),
            Reply::Trap(text) => Answer::Accident(format!("trap: {text}")),
        }
    }
}

/// A process, and the threads that write to it and read from it: so neither side can keep the other waiting for ever.
struct Running {
    child: Child,
    requests: Option<Sender<String>>,
    replies: Receiver<Vec<u8>>,
    last_id: u64,
}

impl Running {
    fn start(command: &[String], limit: Duration) -> Result<(Self, Hello), String> {
        let (program, arguments) = command.split_first().ok_or("the command of the adapter is empty")?;
        let mut start = Command::new(program);
        start.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = start.spawn().map_err(|error| format!("cannot start the adapter `{program}`: {error}"))?;
        let (requests, lines) = channel::<String>();
        let mut input = child.stdin.take().expect("its input is a pipe");
        thread::spawn(move || lines.iter().try_for_each(|line| input.write_all(line.as_bytes())));
        let (sender, replies) = channel();
        let output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
        thread::spawn(move || output.split(b'\n').map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut running = Self { child, requests: Some(requests), replies, last_id: 0 };
        let greeting = json!({"call": "hello", "protocol": PROTOCOL});
        let hello = match running.ask(greeting, limit) {
            Ok(Reply::Answer(answer)) => serde_json::from_value(answer).map_err(|error| error.to_string()),
            Ok(Reply::Error(error)) => Err(error["message"].as_str().unwrap_or("it refuses").to_owned()),
            Ok(Reply::Trap(text)) => Err(text),
            Err(Trouble::Accident(text) | Trouble::Fault(text)) => return Err(text),
        };
        Ok((running, hello.map_err(|reason| format!("the adapter's answer to `hello` is not valid: {reason}"))?))
    }

    /// Sends a request with an id of its own, and waits for its reply.
    fn ask(&mut self, mut request: Value, limit: Duration) -> Result<Reply, Trouble> {
        self.last_id += 1;
        request["id"] = self.last_id.into();
        let call = format!("call {} ({})", self.last_id, request["call"].as_str().unwrap_or_default());
        let line = message::line(&request);
        // Where the adapter has ended, so has its output.
        _ = self.requests.as_ref().map(|requests| requests.send(line));
        match self.replies.recv_timeout(limit) {
            Ok(line) => message::reply(&line, self.last_id)
                .map_err(|reason| Trouble::Fault(format!("the adapter's reply to {call} {reason}"))),
            Err(RecvTimeoutError::Timeout) => {
                _ = self.child.kill();
                let seconds = limit.as_secs_f64();
                Err(Trouble::Accident(format!("the adapter did not reply to {call} within {seconds} s")))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status =
                    self.leave().map_or_else(|| "it closed its output".to_owned(), |status| status.to_string());
                Err(Trouble::Accident(format!("the adapter ended before it replied to {call}: {status}")))
            }
        }
    }

    /// Closes the input, which asks the adapter to end. It is killed where it does not.
    fn leave(&mut self) -> Option<std::process::ExitStatus> {
        self.requests = None;
        let start = Instant::now();
        while start.elapsed() < LEAVE {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        _ = self.child.kill();
        _ = self.child.wait();
        None
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.leave();
    }
}

/// The words of a command line: separated by spaces, unless quotes of either kind hold them together. A backslash is a
/// character like any other, as in paths of Windows.
fn words(command: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for character in command.chars() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('"' | '\'', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match quote {
        Some(open) => Err(format!("the command of the adapter has a quote {open} without its end")),
        None => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_words() {
        let rows = [
            ("node test/adapter.js", vec!["node", "test/adapter.js"]),
            ("  a\t b ", vec!["a", "b"]),
            (r#""C:\Program Files\x.exe" --name='a "b"' ''"#, vec![r"C:\Program Files\x.exe", r#"--name=a "b""#, ""]),
            ("", vec![]),
        ];
        for (command, expected) in rows {
            assert_eq!(words(command).unwrap(), expected, "{command}");
        }
        assert!(words("a 'b").is_err());
    }

    #[test]
    fn an_ability_is_a_directory_or_a_call() {
        let parsed = |text: &str| serde_json::from_str::<Hello>(text).map(|hello| hello.unable.into_keys().collect());
        let found: Vec<Ability> = parsed(r#"{"name": "x", "unable": {"read-only": "no", "mcp-call": "no"}}"#).unwrap();
        assert_eq!(found, [Ability::Directory(Directory::ReadOnly), Ability::Call(Function::McpCall)]);
        assert!(parsed(r#"{"name": "x", "unable": {"readonly": "no"}}"#).is_err());
    }
}
