//! What is asked of all servers: the handshake, their lists, and the level of their logs. The client gets one answer when all
//! have answered, or have ended, or the time is over.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::envelope::{self, Envelope, announced};
use super::super::parts::{each, member};
use super::merge::{self, Hello, LISTS};
use super::switch::{INVALID_PARAMS, NO_ANSWER, Out, State, Switch, with_id};

/// How long a list waits for a server.
const LISTING: Duration = Duration::from_secs(30);

/// A list of a server has at most so many pages.
const MOST_PAGES: usize = 200;

/// What is gathered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Hello,
    List(List),
    /// Answers without anything in them.
    Done,
}

/// A list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct List {
    method: &'static str,
    /// What a server can that has it.
    capability: &'static str,
    /// Where it is in the result.
    member: &'static str,
    /// What its items are known by.
    name: &'static str,
}

impl Kind {
    pub(super) const TOOLS: Self =
        Self::List(List { method: "tools/list", capability: "tools", member: "tools", name: "name" });
    pub(super) const PROMPTS: Self =
        Self::List(List { method: "prompts/list", capability: "prompts", member: "prompts", name: "name" });
    pub(super) const RESOURCES: Self =
        Self::List(List { method: "resources/list", capability: "resources", member: "resources", name: "uri" });
    pub(super) const TEMPLATES: Self = Self::List(List {
        method: "resources/templates/list",
        capability: "resources",
        member: "resourceTemplates",
        name: "uriTemplate",
    });
}

/// Something that is gathered for the client.
pub(super) struct Gather {
    kind: Kind,
    /// The id of the client's request, as it is written.
    id: String,
    waiting: BTreeSet<usize>,
    /// The items of each server as they are written, with commas between them.
    items: BTreeMap<usize, String>,
    pages: usize,
    is_answered: bool,
}

impl Switch {
    /// Passes the handshake to all servers.
    pub(super) fn initialize(&mut self, id: &str, line: &[u8]) {
        let running = |server: &usize| !matches!(self.members[*server].state, State::Ended(_));
        let running: Vec<usize> = (0..self.members.len()).filter(running).collect();
        let Some(envelope) = Envelope::of(line) else { return };
        let requested = envelope.param("protocolVersion").and_then(|version| version.as_str().map(str::to_owned));
        self.requested = requested.unwrap_or_default();
        let gather = self.begin(Kind::Hello, id, running.iter().copied().collect());
        for server in running {
            let number = self.own_request(gather, server);
            // PROXY-03: a remote server is always told that there is a proxy.
            let told = announced(line, &envelope).filter(|_| self.members[server].is_remote);
            let line = told.unwrap_or_else(|| line.to_owned());
            let line = Envelope::of(&line).map_or_else(|| line.clone(), |envelope| with_id(&line, &envelope, &number));
            self.out.push(Out::Server(server, line));
        }
        self.out.push(Out::Finish(gather, self.patience));
        self.finish_if_complete(gather);
    }

    /// Gathers a list.
    pub(super) fn gather(&mut self, kind: Kind, id: &str, envelope: &Envelope<'_>) {
        let Kind::List(list) = kind else { return };
        if envelope.param("cursor").is_some_and(|cursor| !cursor.is_null()) {
            return self.refuse(id, INVALID_PARAMS, "the cursor is not valid: lists of several servers have one page");
        }
        let able = self.able(list.capability);
        let gather = self.begin(kind, id, able.iter().copied().collect());
        for server in able {
            self.ask_for_page(gather, server, list, None);
        }
        self.out.push(Out::Finish(gather, LISTING));
        self.finish_if_complete(gather);
    }

    /// Passes the level of logs to all servers that have logs.
    pub(super) fn set_level(&mut self, id: &str, envelope: &Envelope<'_>) {
        let able = self.able("logging");
        let gather = self.begin(Kind::Done, id, able.iter().copied().collect());
        let params = envelope.params.map_or("{}", RawValue::get);
        for server in able {
            let number = self.own_request(gather, server);
            let line = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"logging/setLevel\",\"params\":{params}}}\n"
            );
            self.out.push(Out::Server(server, line.into_bytes()));
        }
        self.out.push(Out::Finish(gather, LISTING));
        self.finish_if_complete(gather);
    }

    fn begin(&mut self, kind: Kind, id: &str, waiting: BTreeSet<usize>) -> u64 {
        self.count += 1;
        let (id, items) = (id.to_owned(), BTreeMap::new());
        self.gathers.insert(self.count, Gather { kind, id, waiting, items, pages: 0, is_answered: false });
        self.count
    }

    /// The id of a request of our own to a server.
    fn own_request(&mut self, gather: u64, server: usize) -> String {
        self.count += 1;
        self.own.insert(self.count, (gather, server));
        format!("\"lro:{}\"", self.count)
    }

    fn ask_for_page(&mut self, gather: u64, server: usize, list: List, cursor: Option<&str>) {
        let number = self.own_request(gather, server);
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
        let line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"{}\",\"params\":{params}}}\n", list.method);
        self.out.push(Out::Server(server, line.into_bytes()));
    }

    /// Takes the answer to a request of our own.
    pub(super) fn gathered(&mut self, number: u64, envelope: &Envelope<'_>) {
        let Some((id, server)) = self.own.remove(&number) else { return };
        let Some(gather) = self.gathers.get_mut(&id) else { return };
        let (kind, was_answered) = (gather.kind, gather.is_answered);
        let result = envelope.result.map(RawValue::get);
        match kind {
            Kind::Hello => self.greeted(server, result, was_answered),
            Kind::List(list) => {
                let next = result.and_then(|result| self.listed(id, server, list, result));
                if let Some(cursor) = next.filter(|_| !was_answered) {
                    return self.ask_for_page(id, server, list, Some(&cursor));
                }
            }
            Kind::Done => {}
        }
        if let Some(gather) = self.gathers.get_mut(&id) {
            gather.waiting.remove(&server);
        }
        self.finish_if_complete(id);
    }

    /// A server has answered to `initialize`.
    fn greeted(&mut self, server: usize, result: Option<&str>, is_late: bool) {
        let Some(hello) = result.and_then(Hello::of) else {
            let reason = match result.is_some_and(|result| result.len() > merge::MOST_BYTES) {
                true => "its answer to the handshake is too long",
                false => "it refused the handshake",
            };
            self.members[server].state = State::Ended(reason.to_owned());
            let message = format!("the server `{}` is left out: {reason}", self.members[server].name);
            return self.out.push(Out::Remark(message));
        };
        self.members[server].state = State::Ready(hello.clone());
        if is_late && self.is_initialized {
            let line = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
            self.out.push(Out::Server(server, line.as_bytes().to_vec()));
            self.tell_of_changes(&hello);
        }
    }

    /// Tells the client that lists have changed, because a server has come or gone.
    pub(super) fn tell_of_changes(&mut self, hello: &Hello) {
        for list in LISTS.into_iter().filter(|list| self.is_initialized && hello.can(list)) {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/{list}/list_changed\"}}\n");
            self.out.push(Out::Client(line.into_bytes()));
        }
    }

    /// Takes a page of a list. Returns the cursor of the next one.
    fn listed(&mut self, gather: u64, server: usize, list: List, result: &str) -> Option<String> {
        let mut items = self.gathers.get_mut(&gather)?.items.remove(&server).unwrap_or_default();
        let room = self.room(server);
        let mut is_cut = false;
        let read = member(result, list.member).and_then(|page| {
            each(page, |item| {
                let shown = if is_cut { None } else { self.shown(server, list, item) };
                let Some(shown) = shown else { return };
                is_cut = items.len() + shown.len() >= room;
                if !is_cut {
                    items.push_str(if items.is_empty() { "" } else { "," });
                    items.push_str(&shown);
                }
            })
        });
        let gather = self.gathers.get_mut(&gather)?;
        gather.items.insert(server, items);
        gather.pages += 1;
        let has_more = read.is_some() && gather.pages < MOST_PAGES;
        if is_cut {
            let (name, members) = (&self.members[server].name, list.member);
            self.out.push(Out::Remark(format!(
                "the list of {members} of the server `{name}` is cut: it has more than {room} bytes; --max-message allows more"
            )));
            return None;
        }
        serde_json::from_str(member(result, "nextCursor").filter(|_| has_more)?).ok()
    }

    /// How long a list of a server may be: all servers have a message of the greatest length together, for all lists that are
    /// gathered now.
    fn room(&self, server: usize) -> usize {
        let held: usize = self.gathers.values().filter_map(|gather| gather.items.get(&server)).map(String::len).sum();
        (self.most_bytes / self.members.len().max(1)).saturating_sub(held)
    }

    /// An item of a list as the client sees it. Another server may have the resource already.
    fn shown(&mut self, server: usize, list: List, item: &str) -> Option<String> {
        let written = member(item, list.name)?;
        let name: String = serde_json::from_str(written).ok()?;
        let names = match list.member {
            "tools" => &mut self.tools,
            "prompts" => &mut self.prompts,
            "resources" => return self.resources.list(server, &name).then(|| item.to_owned()),
            _ => {
                self.resources.template(server, &name);
                return Some(item.to_owned());
            }
        };
        let listed = names.listed(server, &self.members[server].name, &name);
        let shown = envelope::with(item.as_bytes(), written, &Value::from(listed).to_string());
        String::from_utf8(shown).ok()
    }

    /// A server that has ended answers no more.
    pub(super) fn missed(&mut self, server: usize) {
        self.own.retain(|_, (_, of)| *of != server);
        let all: Vec<u64> = self.gathers.keys().copied().collect();
        for id in all {
            if let Some(gather) = self.gathers.get_mut(&id) {
                gather.waiting.remove(&server);
            }
            self.finish_if_complete(id);
        }
    }

    fn finish_if_complete(&mut self, id: u64) {
        if self.gathers.get(&id).is_some_and(|gather| gather.waiting.is_empty()) {
            self.finish(id);
            self.gathers.remove(&id);
        }
    }

    /// The time for a gathering is over.
    pub(super) fn time_is_over(&mut self, id: u64) -> Vec<Out> {
        self.finish(id);
        std::mem::take(&mut self.out)
    }

    /// Answers the client, if that has not happened before.
    fn finish(&mut self, id: u64) {
        let Some(gather) = self.gathers.get_mut(&id).filter(|gather| !gather.is_answered) else { return };
        gather.is_answered = true;
        let (kind, request, waiting) = (gather.kind, gather.id.clone(), gather.waiting.clone());
        let items = std::mem::take(&mut gather.items);
        for server in &waiting {
            let message =
                format!("the server `{}` has not answered in time; the others go on", self.members[*server].name);
            self.out.push(Out::Remark(message));
        }
        match kind {
            Kind::Hello => self.greet(&request, !waiting.is_empty()),
            Kind::Done => self.answer(&request, &json!({})),
            Kind::List(list) => {
                let mut result = format!("{{\"{}\":[", list.member);
                for items in items.into_values().filter(|items| !items.is_empty()) {
                    result.push_str(if result.ends_with('[') { "" } else { "," });
                    result.push_str(&items);
                }
                result.push_str("]}");
                self.out.push(Out::Client(envelope::response(&request, &result)));
            }
        }
    }

    /// Answers the handshake for all servers.
    fn greet(&mut self, id: &str, has_late: bool) {
        let mut ready = Vec::new();
        let mut ended = Vec::new();
        for member in &self.members {
            match &member.state {
                State::Ready(hello) => ready.push((member.name.as_str(), hello)),
                State::Ended(reason) => ended.push(format!("`{}`: {reason}", member.name)),
                State::Starting => {}
            }
        }
        match ready.is_empty() && !has_late {
            true => {
                let message = format!("no server runs: {}", ended.join("; "));
                self.refuse(id, NO_ANSWER, &message);
            }
            false => {
                let result = merge::hello(&ready, has_late, &self.requested);
                self.answer(id, &result);
            }
        }
    }
}
