//! Plays tasks with strategies, and keeps what came out.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::conversation::tokens;
use super::documents::{Place, Raw, Server};
use super::model::{Model, Start};
use super::reader::{same, sorted};
use super::strategies::ours::Ours;
use super::strategies::{Played, is_ours, others, preview};
use super::task::{Kind, Task};

/// A strategy, ready to play.
pub struct Player<'a> {
    place: &'a Place,
    name: &'static str,
    /// Settings of the proxy beside the descriptor.
    settings: &'static str,
    proxies: HashMap<Server, Ours>,
}

/// What came out of one task.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The task.
    pub id: String,
    /// Its kind.
    pub kind: Kind,
    /// True when the answer is the expected one.
    pub is_right: bool,
    /// Calls after the server's own.
    pub calls: usize,
    /// Tokens of all results.
    pub read: usize,
    /// Tokens of all calls.
    pub written: usize,
    /// Tokens of all requests, each of which sends everything before it again.
    pub sent: usize,
    /// The calls, and what was answered.
    pub log: String,
}

impl<'a> Player<'a> {
    /// A player of one strategy.
    pub fn new(place: &'a Place, name: &'static str) -> Self {
        Self { place, name, settings: "", proxies: HashMap::new() }
    }

    /// The same player with other settings of the proxy, as lines of TOML.
    pub fn with(self, settings: &'static str) -> Self {
        Self { settings, ..self }
    }

    /// The proxy before a server, with the descriptor of this strategy.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn proxy(&mut self, server: Server) -> Result<&mut Ours, String> {
        if !self.proxies.contains_key(&server) {
            let client = self.place.server(server, Some(&settings(self.name, self.settings)))?;
            self.proxies.insert(server, Ours::new(client)?);
        }
        self.proxies.get_mut(&server).ok_or_else(|| "a proxy that was started is there".into())
    }

    /// Plays a task.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn play(&mut self, raw: &Raw, task: &Task) -> Result<Outcome, String> {
        let Played { answer, conversation } = match self.name {
            "inline" => others::inline(raw, task),
            "page" => others::page(raw, task),
            "cut" => others::cut(raw, task),
            "chunks" => others::chunks(raw, task),
            "preview" => preview::play(preview::Rule { threshold_tokens: 10_000 }, raw, task),
            "preview-1600" => preview::play(preview::Rule { threshold_tokens: 1600 }, raw, task),
            _ => self.proxy(Server::of(&raw.document))?.play(raw, task)?,
        };
        Ok(Outcome::of(task, Played { answer, conversation }))
    }

    /// Plays a task with a real model.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn ask(&mut self, model: &Model, raw: &Raw, task: &Task) -> Result<Outcome, String> {
        let ours = self.proxy(Server::of(&raw.document))?;
        let response = ours.response(raw)?;
        let tools = ours.tools().to_vec();
        let (tool, arguments) = (raw.document.tool.as_str(), &raw.arguments);
        let start = Start { tool, arguments, response: &response, tools: &tools };
        let played = model.play(task, &start, &mut |name, arguments| ours.call(name, arguments))?;
        Ok(Outcome::of(task, played))
    }

    /// Plays all tasks.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn play_all(&mut self, pairs: &[(Rc<Raw>, Task)]) -> Result<Vec<Outcome>, String> {
        pairs.iter().map(|(raw, task)| self.play(raw, task)).collect()
    }

    /// Tokens of the definitions of a strategy's own tools, which each request carries.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn definitions(&mut self) -> Result<usize, String> {
        let of = |tools: &[Value]| tools.iter().map(|tool| tokens(&tool.to_string())).sum();
        match self.name {
            "preview" | "preview-1600" => Ok(of(preview::tools().as_array().map(Vec::as_slice).unwrap_or_default())),
            name if is_ours(name) => Ok(of(self.proxy(Server::Files)?.tools())),
            _ => Ok(0),
        }
    }
}

impl Outcome {
    fn of(task: &Task, Played { answer, conversation }: Played) -> Self {
        let is_right =
            answer.as_ref().is_some_and(|answer| same(&in_order(task, &task.answer), &in_order(task, answer)));
        let answer = answer.map_or_else(|| "nothing".into(), |answer| answer.to_string());
        Self {
            id: task.id.clone(),
            kind: task.kind,
            is_right,
            calls: conversation.calls,
            read: conversation.read,
            written: conversation.written,
            sent: conversation.sent,
            log: format!(
                "{}\nanswer:   {answer:.2000}\nexpected: {:.2000}",
                conversation.log.join("\n"),
                task.answer.to_string()
            ),
        }
    }
}

/// The settings of the proxy for a strategy.
fn settings(name: &str, others: &str) -> String {
    let descriptor = if knows_descriptors() { format!("descriptor = \"{name}\"\n") } else { String::new() };
    format!("[prompt.offload]\n{descriptor}{others}")
}

/// True when the component has more than one descriptor.
pub fn knows_descriptors() -> bool {
    include_str!("../../../wit/settings.schema.json").contains("\"descriptor\"")
}

/// A list that the question asks for in no order, in an order of its own.
fn in_order(task: &Task, answer: &Value) -> Value {
    match answer {
        Value::Array(values) if matches!(task.kind, Kind::Filter | Kind::Range) => sorted(values.clone()),
        _ => answer.clone(),
    }
}
