//! A client of `lro proxy` over standard input and output, which counts the answers to each request.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::process::ended;

/// How long a client waits for the proxy to end. Two seconds are promised; the rest is for machines that do much else.
const END: Duration = Duration::from_secs(8);

/// A conversation.
pub(in crate::faults) struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    shared: Arc<Shared>,
    readers: Vec<JoinHandle<()>>,
    asked: Vec<String>,
}

#[derive(Default)]
struct Shared {
    heard: Mutex<Heard>,
    changed: Condvar,
    /// True while the client does not read.
    is_paused: AtomicBool,
}

#[derive(Default)]
struct Heard {
    /// Answers by the ids as they are written.
    answers: HashMap<String, Vec<Answer>>,
    /// What is not an answer.
    others: usize,
    /// Lines that are not JSON.
    broken: Vec<String>,
    has_ended: bool,
    remarks: String,
    secrets: Vec<String>,
    /// Where a secret was seen.
    leaks: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(in crate::faults) enum Answer {
    /// The text of the result.
    Result(String),
    /// The message of the error.
    Error(String),
}

/// How a conversation went.
#[derive(Debug)]
pub(in crate::faults) struct End {
    /// How long the proxy took to end.
    pub(in crate::faults) took: Duration,
    pub(in crate::faults) others: usize,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    result: Option<Value>,
    error: Option<Value>,
}

impl Talk {
    /// Starts the command, which has its arguments. None of `secrets` may be in what it says.
    pub(in crate::faults) fn begin(mut command: Command, secrets: &[&str]) -> Result<Self, String> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        let shared = Arc::new(Shared::default());
        shared.heard().secrets = secrets.iter().map(|&secret| secret.to_owned()).collect();
        let mut readers = Vec::new();
        if let Some(output) = child.stdout.take() {
            let shared = Arc::clone(&shared);
            readers.push(thread::spawn(move || shared.listen(output)));
        }
        if let Some(mut errors) = child.stderr.take() {
            let shared = Arc::clone(&shared);
            readers.push(thread::spawn(move || {
                let mut text = Vec::new();
                let _ = errors.read_to_end(&mut text);
                let mut heard = shared.heard();
                heard.look_for_secrets(&text);
                heard.remarks = String::from_utf8_lossy(&text).into_owned();
            }));
        }
        let input = child.stdin.take();
        Ok(Self { child, input, shared, readers, asked: Vec::new() })
    }

    /// The handshake.
    pub(in crate::faults) fn initialize(&mut self) -> Result<Answer, String> {
        self.ask(
            "0",
            "initialize",
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}"#,
        )?;
        let answer = self.wait("0", Duration::from_secs(30))?;
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(answer)
    }

    pub(in crate::faults) fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the client has ended its input")?;
        input.write_all(bytes).map_err(|error| format!("the proxy does not listen: {error}"))
    }

    /// Sends a request. The id is JSON.
    pub(in crate::faults) fn ask(&mut self, id: &str, method: &str, params: &str) -> Result<(), String> {
        self.asked.push(id.to_owned());
        self.write(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n").as_bytes(),
        )
    }

    /// Calls a tool with more parameters than its name, as `"name":value,…`.
    pub(in crate::faults) fn call(&mut self, id: &str, tool: &str, more: &str) -> Result<(), String> {
        let more = if more.is_empty() { String::new() } else { format!(",{more}") };
        self.ask(id, "tools/call", &format!("{{\"name\":\"{tool}\"{more}}}"))
    }

    /// The first answer to a request, whose id is written so.
    pub(in crate::faults) fn wait(&self, id: &str, longest: Duration) -> Result<Answer, String> {
        let deadline = Instant::now() + longest;
        let mut heard = self.shared.heard();
        loop {
            if let Some(answer) = heard.answers.get(id).and_then(|answers| answers.first()) {
                return Ok(answer.clone());
            }
            let rest = deadline.saturating_duration_since(Instant::now());
            if rest.is_zero() || heard.has_ended {
                return Err(format!("request {id} has no answer after {longest:?}"));
            }
            heard = self.shared.changed.wait_timeout(heard, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(in crate::faults) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Reads nothing from now on.
    pub(in crate::faults) fn pause(&self) {
        self.shared.is_paused.store(true, Ordering::Relaxed);
    }

    /// Reads again.
    pub(in crate::faults) fn go_on(&self) {
        self.shared.is_paused.store(false, Ordering::Relaxed);
    }

    /// For a proxy that could not begin a conversation: it has ended with an error, and says why.
    pub(in crate::faults) fn gave_up(mut self) -> Result<(), String> {
        self.input = None;
        ended(&mut self.child, END)?;
        let status = self.child.wait().map_err(|error| error.to_string())?;
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
        let heard = self.shared.heard();
        let remarks = &heard.remarks;
        let is_told = heard.answers.values().flatten().any(|answer| matches!(answer, Answer::Error(_)));
        match status.code() {
            Some(1..) if !remarks.trim().is_empty() && !remarks.contains("panicked") => Ok(()),
            Some(_) if is_told && !remarks.contains("panicked") => Ok(()),
            _ => Err(format!("it ended with {status}, and said: {remarks:.300}")),
        }
    }

    /// Ends the input, waits until the proxy ends, and checks that each request has exactly one answer, that nothing else
    /// was answered, and that no secret was shown.
    pub(in crate::faults) fn end(mut self) -> Result<End, String> {
        self.input = None;
        let took = ended(&mut self.child, END)?;
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
        let heard = self.shared.heard();
        let mut asked: HashMap<&str, usize> = HashMap::new();
        for id in &self.asked {
            *asked.entry(id).or_default() += 1;
        }
        let mut wrong = Vec::new();
        for (id, count) in &asked {
            let answers = heard.answers.get(*id).map_or(0, Vec::len);
            if answers != *count {
                wrong.push(format!("request {id} has {answers} answers, not {count}"));
            }
        }
        let unasked = heard.answers.keys().filter(|id| !asked.contains_key(id.as_str()));
        wrong.extend(unasked.map(|id| format!("an answer to {id}, which was not asked")));
        wrong.extend(heard.broken.iter().map(|line| format!("a line that is not JSON: {line}")));
        wrong.extend(heard.leaks.iter().cloned());
        if heard.remarks.contains("panicked") {
            wrong.push(format!("a panic: {}", heard.remarks));
        }
        wrong.truncate(5);
        match wrong.is_empty() {
            true => Ok(End { took, others: heard.others }),
            false => Err(wrong.join("; ")),
        }
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        // One that ended well is not there any more.
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Shared {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(&self, output: impl Read) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            while self.is_paused.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(5));
            }
            if !output.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                break;
            }
            self.heard().take(&line);
            self.changed.notify_all();
            line.clear();
        }
        self.heard().has_ended = true;
        self.changed.notify_all();
    }
}

impl Heard {
    fn take(&mut self, line: &[u8]) {
        self.look_for_secrets(line);
        if line.trim_ascii().starts_with(b"[")
            && let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(line)
        {
            return batch.into_iter().for_each(|part| self.take_one(part.get().as_bytes()));
        }
        self.take_one(line);
    }

    fn take_one(&mut self, line: &[u8]) {
        let Ok(message) = serde_json::from_slice::<Line<'_>>(line) else {
            self.broken.push(String::from_utf8_lossy(line).chars().take(200).collect());
            return;
        };
        let (Some(id), None) = (message.id, message.method) else {
            self.others += 1;
            return;
        };
        let answer = match message.error {
            Some(error) => Answer::Error(error["message"].as_str().unwrap_or_default().to_owned()),
            None => Answer::Result(shown(&message.result.unwrap_or_default())),
        };
        self.answers.entry(id.get().to_owned()).or_default().push(answer);
    }

    fn look_for_secrets(&mut self, text: &[u8]) {
        for secret in &self.secrets {
            if text.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                let text: String = String::from_utf8_lossy(text).chars().take(300).collect();
                self.leaks.push(format!("the secret {secret} is shown: {text}"));
            }
        }
    }
}

/// What a result says: its text, or the number of records of one that is in a file.
fn shown(result: &Value) -> String {
    let count = &result["structuredContent"]["summary"]["count"];
    match count.as_u64() {
        Some(count) => format!("{count} records in a file"),
        None => result["content"][0]["text"].as_str().map_or_else(|| result.to_string(), str::to_owned),
    }
}
