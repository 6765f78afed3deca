//! `faults serve`: a server of MCP that says what it is asked to say.
//!
//! A message's `params.say` is a list of texts that it writes as they are. A call's arguments say how it is answered:
//! `records` (how many), `form` and `bytes` (a result that takes much memory instead), `progress` (how many notices before the answer), `junk` (a line that is no message before it),
//! `error` (an error instead), `silent` (nothing instead). `--hold N` keeps up to N calls back and answers them in any order, which `--seed` repeats.
//! Every line that it gets goes to the file of `--log`. With `--endless N` its lists have pages of N bytes, and no end.

use std::fs::File;
use std::io::{BufRead, Stdout, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::answers::{Answers, Pages};
use super::heavy;
use crate::faults::random::Random;

/// The word on the command line that makes this program the server.
pub const WORD: &str = "serve";

/// How long calls are held back when no more come.
const IDLE: Duration = Duration::from_millis(1);

/// How long it waits for the next call otherwise.
const FOREVER: Duration = Duration::from_secs(1 << 20);

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

/// What is read of the parameters, of which there may be millions.
#[derive(Deserialize, Default)]
struct Params {
    say: Option<Vec<Value>>,
    #[serde(default)]
    arguments: Value,
}

#[derive(Default)]
struct Flags {
    hold: usize,
    endless: usize,
    seed: u64,
    log: Option<File>,
}

/// Serves until its input ends.
pub fn run(arguments: impl Iterator<Item = String>) {
    let mut flags = flags(arguments);
    let (sender, lines) = sync_channel::<Vec<u8>>(1000);
    let mut log = flags.log.take();
    thread::spawn(move || {
        let mut input = stdin().lock();
        let mut line = Vec::new();
        while input.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
            if let Some(log) = &mut log {
                // What cannot be logged is missed by the suite.
                let _ = log.write_all(&line);
            }
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    serve(&flags, &lines);
}

fn flags(mut arguments: impl Iterator<Item = String>) -> Flags {
    let mut flags = Flags::default();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--hold" => flags.hold = value.parse().unwrap_or(0),
            "--endless" => flags.endless = value.parse().unwrap_or(0),
            "--seed" => flags.seed = value.parse().unwrap_or(0),
            _ => flags.log = File::create(value).ok(),
        }
    }
    flags
}

fn serve(flags: &Flags, lines: &Receiver<Vec<u8>>) {
    let mut server =
        Server { answers: Answers::default(), pages: Pages { bytes: flags.endless, said: 0 }, out: stdout() };
    let (mut random, mut held) = (Random::of(flags.seed), Vec::new());
    loop {
        match lines.recv_timeout(if held.is_empty() { FOREVER } else { IDLE }) {
            Ok(line) if flags.hold == 0 => server.answer(&line),
            Ok(line) => {
                held.push(line);
                if held.len() <= flags.hold {
                    continue;
                }
            }
            Err(RecvTimeoutError::Disconnected) if held.is_empty() => return,
            Err(_) => {}
        }
        if !held.is_empty() {
            let line = held.swap_remove(random.below(held.len()));
            server.answer(&line);
        }
    }
}

struct Server {
    answers: Answers,
    pages: Pages,
    out: Stdout,
}

impl Server {
    fn say(&mut self, bytes: &[u8]) {
        // A proxy that has gone does not listen.
        let _ = self.out.write_all(bytes).and_then(|()| self.out.flush());
    }

    fn answer(&mut self, line: &[u8]) {
        if let Ok(batch) = serde_json::from_slice::<Vec<Message<'_>>>(line) {
            let ids = batch.iter().filter_map(|message| message.id).map(RawValue::get);
            let answers: Vec<String> =
                ids.map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}")).collect();
            return self.say(format!("[{}]\n", answers.join(",")).as_bytes());
        }
        let Ok(Message { id, method, params }) = serde_json::from_slice(line) else { return };
        let params: Params = params.and_then(|params| serde_json::from_str(params.get()).ok()).unwrap_or_default();
        if let Some(texts) = params.say {
            return texts.iter().filter_map(Value::as_str).for_each(|text| self.say(text.as_bytes()));
        }
        if let (Some(id), Some(method)) = (id, method) {
            self.answer_request(id.get(), &method, &params.arguments);
        }
    }

    fn answer_request(&mut self, id: &str, method: &str, arguments: &Value) {
        let number = |name: &str| arguments[name].as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0);
        if arguments["silent"] == true {
            return;
        }
        for turn in 0..number("progress") {
            self.say(progress(id, turn).as_bytes());
        }
        if arguments["junk"] == true {
            self.say(junk(id).as_bytes());
        }
        if arguments["error"] == true {
            return self.say(error(id).as_bytes());
        }
        let line = match method {
            "tools/call" => match arguments["form"].as_str() {
                Some(form) => heavy::line(id, form, number("bytes")),
                None => self.answers.line(id, number("records")),
            },
            method if self.pages.bytes > 0 => self.pages.answer(id, method),
            "tools/list" => tools(id, number("elements")),
            _ => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}\n").into_bytes(),
        };
        self.say(&line);
    }
}

/// A list of so many elements, none of which is a tool.
fn tools(id: &str, elements: usize) -> Vec<u8> {
    let list = "0,".repeat(elements);
    let list = list.trim_end_matches(',');
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"tools\":[{list}]}}}}\n").into_bytes()
}

/// The notice of progress for the request with this id.
#[must_use]
pub fn progress(id: &str, turn: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\
         \"params\":{{\"progressToken\":{id},\"progress\":{turn}}}}}\n"
    )
}

/// A line that is no message.
#[must_use]
pub fn junk(id: &str) -> String {
    format!("junk before the answer to {id}, {{\"id\":{id},\n")
}

/// An answer that says what went wrong.
#[must_use]
pub fn error(id: &str) -> String {
    format!("{{ \"jsonrpc\": \"2.0\", \"error\": {{\"code\": -32001, \"message\": \"no\\u0021\"}}, \"id\": {id} }}\r\n")
}
