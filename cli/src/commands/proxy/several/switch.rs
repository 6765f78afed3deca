//! Which message goes where between one client and several servers. Nothing is sent here.
//!
//! Ids of the client's requests are one client's, so they stay as they are. Ids of the servers' requests may be equal, so the
//! client sees others (`asked`). A list is gathered from all servers (`gather`).

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde_json::{Value, json};

use super::super::envelope::{self, Envelope, key};
use super::super::parts::each;
use super::asked::Asked;
use super::gather::{Gather, Kind};
use super::merge::Hello;
use super::names::Names;
use super::resources::Resources;

pub(super) const METHOD_NOT_FOUND: i32 = -32601;
pub(super) const INVALID_PARAMS: i32 = -32602;
const PARSE_ERROR: i32 = -32700;
const NO_MESSAGE: &str = "the line is not a JSON-RPC message";

/// JSON-RPC leaves these numbers to implementations.
pub(super) const NO_ANSWER: i32 = -32000;

/// Tasks that are remembered.
const MOST_TASKS: usize = 10_000;

/// The id of a task that is remembered has at most so many bytes.
const MOST_TASK_BYTES: usize = 1024;

/// Something to do.
#[derive(Debug, PartialEq)]
pub(super) enum Out {
    /// Send this to the client.
    Client(Vec<u8>),
    /// Send this to a server.
    Server(usize, Vec<u8>),
    /// Finish this gathering after a time, whoever is missing.
    Finish(u64, Duration),
    /// Tell the user.
    Remark(String),
}

/// A server, as far as it is known.
pub(super) struct Member {
    pub(super) name: String,
    pub(super) is_remote: bool,
    pub(super) state: State,
}

pub(super) enum State {
    /// It has not answered to `initialize`.
    Starting,
    Ready(Hello),
    /// It has ended, or could not be started, for this reason.
    Ended(String),
}

/// A request of the client that a server has.
struct Pending {
    server: usize,
    /// The id as it is written.
    id: String,
    /// Servers to try if this one does not know the resource, and what to send them.
    others: Vec<usize>,
    line: Vec<u8>,
}

/// What is known of the conversation.
pub(super) struct Switch {
    pub(super) members: Vec<Member>,
    pub(super) patience: Duration,
    /// The length of the longest message.
    pub(super) most_bytes: usize,
    pub(super) tools: Names,
    pub(super) prompts: Names,
    pub(super) resources: Resources,
    pub(super) gathers: BTreeMap<u64, Gather>,
    /// Requests of our own: their numbers, the gathering that they are for, and the server.
    pub(super) own: HashMap<u64, (u64, usize)>,
    pub(super) count: u64,
    /// The version that the client asked for.
    pub(super) requested: String,
    pub(super) is_initialized: bool,
    /// The client has ended, and the servers end after it.
    pub(super) is_over: bool,
    pub(super) out: Vec<Out>,
    pending: HashMap<String, Pending>,
    asked: Asked,
    tasks: HashMap<String, usize>,
}

impl Switch {
    /// A switch for these servers: their names, and whether they are remote. `patience` is how long a handshake waits, and
    /// `most_bytes` the length of the longest message.
    pub(super) fn new(servers: Vec<(String, bool)>, patience: Duration, most_bytes: usize) -> Self {
        let member = |(name, is_remote)| Member { name, is_remote, state: State::Starting };
        Self {
            members: servers.into_iter().map(member).collect(),
            patience,
            most_bytes,
            tools: Names::default(),
            prompts: Names::default(),
            resources: Resources::default(),
            gathers: BTreeMap::new(),
            own: HashMap::new(),
            count: 0,
            requested: String::new(),
            is_initialized: false,
            is_over: false,
            out: Vec::new(),
            pending: HashMap::new(),
            asked: Asked::default(),
            tasks: HashMap::new(),
        }
    }

    /// Takes a line of the client.
    pub(super) fn client_says(&mut self, line: &[u8]) -> Vec<Out> {
        match Envelope::of(line) {
            None if line.trim_ascii().is_empty() => {}
            None if line.trim_ascii_start().starts_with(b"[") => return self.batch(line),
            None => self.refuse("null", PARSE_ERROR, NO_MESSAGE),
            Some(envelope) => match (envelope.method.as_deref(), envelope.id_text()) {
                (Some(method), Some(id)) => self.request(method, id, &envelope, line),
                (Some(method), None) => self.notification(method, &envelope, line),
                (None, Some(id)) => {
                    let answered = self.asked.answered(id);
                    self.out.extend(answered.map(|(server, id)| Out::Server(server, with_id(line, &envelope, &id))));
                }
                (None, None) => {}
            },
        }
        std::mem::take(&mut self.out)
    }

    /// Takes a batch: all of its messages, or none where one of them is broken.
    fn batch(&mut self, line: &[u8]) -> Vec<Out> {
        let (batch, mut out) = (std::str::from_utf8(line).unwrap_or_default(), Vec::new());
        match each(batch, |_| {}) {
            Some(()) => _ = each(batch, |message| out.extend(self.client_says(&ended(message.as_bytes())))),
            None => out.push(Out::Client(envelope::error("null", PARSE_ERROR, NO_MESSAGE))),
        }
        out
    }

    fn request(&mut self, method: &str, id: &str, envelope: &Envelope<'_>, line: &[u8]) {
        match method {
            "initialize" => self.initialize(id, line),
            "ping" => self.answer(id, &json!({})),
            "tools/list" => self.gather(Kind::TOOLS, id, envelope),
            "prompts/list" => self.gather(Kind::PROMPTS, id, envelope),
            "resources/list" => self.gather(Kind::RESOURCES, id, envelope),
            "resources/templates/list" => self.gather(Kind::TEMPLATES, id, envelope),
            "logging/setLevel" => self.set_level(id, envelope),
            "tools/call" | "prompts/get" => self.call(method, id, envelope, line),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => self.resource(id, envelope, line),
            "completion/complete" => self.complete(id, envelope, line),
            "tasks/get" | "tasks/result" | "tasks/cancel" => {
                let task = envelope.param("taskId").and_then(|task| task.as_str().map(str::to_owned));
                match task.and_then(|task| self.tasks.get(&task).copied()) {
                    Some(server) => self.forward(server, id, line.to_owned(), Vec::new()),
                    None => self.refuse(id, INVALID_PARAMS, "no server has this task"),
                }
            }
            _ if self.members.len() == 1 => self.forward(0, id, line.to_owned(), Vec::new()),
            _ => {
                let message = format!("`{method}` is not supported before several servers");
                self.refuse(id, METHOD_NOT_FOUND, &message);
            }
        }
    }

    /// A call of a tool, or a prompt: its name says whose it is.
    fn call(&mut self, method: &str, id: &str, envelope: &Envelope<'_>, line: &[u8]) {
        let written = envelope.param_text("name").unwrap_or_default();
        let name: String = serde_json::from_str(written).unwrap_or_default();
        let names = if method == "tools/call" { &self.tools } else { &self.prompts };
        let servers: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        match names.find(&name, &servers) {
            Some((server, own)) => {
                let line = envelope::with(line, written, &Value::from(own).to_string());
                self.forward(server, id, line, Vec::new());
            }
            None => {
                let message =
                    format!("no server has `{name}`: names begin with one of {}", servers.join("__, ") + "__");
                self.refuse(id, INVALID_PARAMS, &message);
            }
        }
    }

    /// A resource: whoever has listed it, or has a template for it, is asked first, and then the others in turn.
    fn resource(&mut self, id: &str, envelope: &Envelope<'_>, line: &[u8]) {
        let uri = envelope.param("uri").and_then(|uri| uri.as_str().map(str::to_owned)).unwrap_or_default();
        let known = self.resources.find(&uri);
        let able = self.able("resources");
        let mut order: Vec<usize> =
            known.into_iter().chain(able.into_iter().filter(|able| Some(*able) != known)).collect();
        if order.is_empty() {
            return self.refuse(id, INVALID_PARAMS, "no server has resources");
        }
        let first = order.remove(0);
        let others = if known.is_some() { Vec::new() } else { order };
        self.forward(first, id, line.to_owned(), others);
    }

    /// A completion is about a prompt or a template of resources.
    fn complete(&mut self, id: &str, envelope: &Envelope<'_>, line: &[u8]) {
        let reference = envelope.param("ref").unwrap_or_default();
        let servers: Vec<&str> = self.members.iter().map(|member| member.name.as_str()).collect();
        if let Some((server, own)) = reference["name"].as_str().and_then(|name| self.prompts.find(name, &servers)) {
            let (mut renamed, written) = (reference, envelope.param_text("ref").unwrap_or_default());
            renamed["name"] = own.into();
            let line = envelope::with(line, written, &renamed.to_string());
            return self.forward(server, id, line, Vec::new());
        }
        match reference["uri"].as_str().and_then(|uri| self.resources.find(uri)) {
            Some(server) => self.forward(server, id, line.to_owned(), Vec::new()),
            None => self.refuse(id, INVALID_PARAMS, "no server has what is to be completed; list prompts or templates"),
        }
    }

    fn notification(&mut self, method: &str, envelope: &Envelope<'_>, line: &[u8]) {
        match method {
            "notifications/cancelled" => {
                let id = envelope.param_text("requestId").and_then(key);
                let server = id.and_then(|id| self.pending.get(&id)).map(|pending| pending.server);
                self.out.extend(server.map(|server| Out::Server(server, line.to_owned())));
            }
            "notifications/progress" => {
                let token = envelope.param_text("progressToken").unwrap_or_default();
                if let Some((server, before)) = self.asked.token(token) {
                    self.out.push(Out::Server(server, envelope::with(line, token, &before)));
                }
            }
            _ => {
                self.is_initialized |= method == "notifications/initialized";
                for server in self.ready() {
                    self.out.push(Out::Server(server, line.to_owned()));
                }
            }
        }
    }

    /// Sends a request to a server.
    fn forward(&mut self, server: usize, id: &str, line: Vec<u8>, others: Vec<usize>) {
        let Some(key) = key(id) else { return };
        let member = &self.members[server];
        match &member.state {
            State::Ready(_) => {}
            State::Starting => {
                let message = format!("the server `{}` is still starting; try again in some seconds", member.name);
                return self.refuse(id, NO_ANSWER, &message);
            }
            State::Ended(reason) => {
                let message = format!("the server `{}` does not run: {reason}; the others do", member.name);
                return self.refuse(id, NO_ANSWER, &message);
            }
        }
        self.pending.insert(key, Pending { server, id: id.to_owned(), others, line: line.clone() });
        self.out.push(Out::Server(server, line));
    }

    /// Takes a line of a server.
    pub(super) fn server_says(&mut self, server: usize, line: &[u8]) -> Vec<Out> {
        // What is no message would belong to nobody.
        if let Some(envelope) = Envelope::of(line) {
            match (envelope.method.as_deref(), envelope.id_text()) {
                (None, Some(id)) => self.answered(server, id, &envelope, line),
                (Some(_), Some(id)) => {
                    let line = self.asked.ask(server, id, &envelope, line);
                    self.out.push(Out::Client(line));
                }
                (Some("notifications/cancelled"), None) => {
                    let written = envelope.param_text("requestId").unwrap_or_default();
                    if let Some(id) = self.asked.withdrawn(server, written) {
                        self.out.push(Out::Client(envelope::with(line, written, &id)));
                    }
                }
                (Some(method), None) if method.ends_with("list_changed") && !self.is_initialized => {}
                (Some(_), None) => self.out.push(Out::Client(line.to_owned())),
                (None, None) => {}
            }
        }
        std::mem::take(&mut self.out)
    }

    fn answered(&mut self, server: usize, id: &str, envelope: &Envelope<'_>, line: &[u8]) {
        if let Some(number) = own_number(id).filter(|number| self.own.get(number).is_some_and(|own| own.1 == server)) {
            return self.gathered(number, envelope);
        }
        let Some(key) = key(id).filter(|key| self.pending.get(key).is_some_and(|pending| pending.server == server))
        else {
            return;
        };
        let Some(mut pending) = self.pending.remove(&key) else { return };
        if envelope.result.is_none() && !pending.others.is_empty() {
            let next = pending.others.remove(0);
            return self.forward(next, &pending.id, pending.line, pending.others);
        }
        let has_room = |task: &String| self.tasks.len() < MOST_TASKS && task.len() <= MOST_TASK_BYTES;
        if let Some(task) = envelope.result.and_then(|result| task(result.get())).filter(has_room) {
            self.tasks.insert(task, server);
        }
        self.out.push(Out::Client(line.to_owned()));
    }

    /// A server has ended. Its requests get an error, and its tools are gone.
    pub(super) fn ended(&mut self, server: usize, reason: &str) -> Vec<Out> {
        let before = std::mem::replace(&mut self.members[server].state, State::Ended(reason.to_owned()));
        let name = self.members[server].name.clone();
        if !self.is_over {
            self.out.push(Out::Remark(format!("the server `{name}` does not run: {reason}")));
        }
        self.tools.forget(server);
        self.prompts.forget(server);
        self.resources.forget(server);
        let open: Vec<String> =
            self.pending.iter().filter(|(_, pending)| pending.server == server).map(|(key, _)| key.clone()).collect();
        for key in open {
            if let Some(pending) = self.pending.remove(&key) {
                let message =
                    format!("the server `{name}` has ended before it answered: {reason}; the others still run");
                self.refuse(&pending.id, NO_ANSWER, &message);
            }
        }
        for id in self.asked.forget(server) {
            let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
            self.out.push(Out::Client(format!("{cancelled}\n").into_bytes()));
        }
        self.missed(server);
        if let State::Ready(hello) = before
            && !self.is_over
        {
            self.tell_of_changes(&hello);
        }
        std::mem::take(&mut self.out)
    }

    /// A line has not reached a server, which does not read.
    pub(super) fn not_sent(&mut self, server: usize, line: &[u8]) -> Vec<Out> {
        let id = Envelope::of(line).filter(|envelope| envelope.method.is_some()).and_then(|envelope| envelope.id());
        if let Some(pending) = id.and_then(|id| self.pending.remove(&id)) {
            let message = format!("the server `{}` does not read what it is sent", self.members[server].name);
            self.refuse(&pending.id, NO_ANSWER, &message);
        }
        std::mem::take(&mut self.out)
    }

    /// The servers that have answered to `initialize`.
    pub(super) fn ready(&self) -> Vec<usize> {
        let is_ready = |server: &usize| matches!(self.members[*server].state, State::Ready(_));
        (0..self.members.len()).filter(is_ready).collect()
    }

    /// The servers that can do something.
    pub(super) fn able(&self, capability: &str) -> Vec<usize> {
        let is_able = |server: &usize| match &self.members[*server].state {
            State::Ready(hello) => hello.can(capability),
            _ => false,
        };
        (0..self.members.len()).filter(is_able).collect()
    }

    pub(super) fn answer(&mut self, id: &str, result: &Value) {
        self.out.push(Out::Client(envelope::response(id, &result.to_string())));
    }

    pub(super) fn refuse(&mut self, id: &str, code: i32, message: &str) {
        self.out.push(Out::Client(envelope::error(id, code, message)));
    }
}

/// The number of a request of our own.
fn own_number(id: &str) -> Option<u64> {
    id.strip_prefix("\"lro:")?.strip_suffix('"')?.parse().ok()
}

/// Returns a message with another id.
pub(super) fn with_id(line: &[u8], envelope: &Envelope<'_>, id: &str) -> Vec<u8> {
    envelope.id_text().map_or_else(|| line.to_owned(), |before| envelope::with(line, before, id))
}

fn ended(message: &[u8]) -> Vec<u8> {
    [message, b"\n"].concat()
}

/// The task in a result.
fn task(result: &str) -> Option<String> {
    if !result.contains("\"taskId\"") {
        return None;
    }
    let result: Value = serde_json::from_str(result).ok()?;
    let task = if result["task"].is_object() { &result["task"] } else { &result };
    task["taskId"].as_str().map(str::to_owned)
}
