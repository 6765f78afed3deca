//! A careful model behind our proxy: it names only fields that it has read, and takes the answer from what our tools
//! return. Where a field has not been shown, it asks `lro_describe` first, which costs a call.

use serde_json::{Map, Value, json};

use super::Played;
use crate::tasks::client::Client;
use crate::tasks::conversation::Conversation;
use crate::tasks::documents::Raw;
use crate::tasks::reader::sorted;
use crate::tasks::task::{Condition, Get, Kind, Operator, Task, Want};

/// Calls after which a strategy gives up: nothing takes so many.
const MOST_CALLS: usize = 400;

/// The proxy before a server, and the tools that it offers.
pub struct Ours {
    client: Client,
    tools: Vec<Value>,
}

/// One task being played.
struct Game<'a> {
    ours: &'a mut Ours,
    conversation: Conversation,
    file_path: String,
    task: &'a Task,
}

impl Ours {
    /// Takes a started proxy, and asks it for its tools.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn new(mut client: Client) -> Result<Self, String> {
        let is_ours = |tool: &Value| tool["name"].as_str().is_some_and(|name| name.starts_with("lro_"));
        let tools: Vec<Value> = client.tools()?.into_iter().filter(is_ours).collect();
        if tools.len() < 2 {
            return Err("the proxy does not list its tools".into());
        }
        Ok(Self { client, tools })
    }

    /// Our tools as each request carries them.
    pub fn tools(&self) -> &[Value] {
        &self.tools
    }

    /// True when a tool has a parameter.
    fn has(&self, parameter: &str) -> bool {
        self.tools.iter().any(|tool| tool["inputSchema"]["properties"].get(parameter).is_some())
    }

    /// What the proxy returns for the server's own call.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn response(&mut self, raw: &Raw) -> Result<String, String> {
        Ok(self.client.call(&raw.document.tool, &raw.arguments)?.0)
    }

    /// Calls a tool of the proxy: the text that a model reads.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<String, String> {
        Ok(self.client.call(tool, arguments)?.0)
    }

    /// The response for a document and its description, for a person.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn look(&mut self, raw: &Raw) -> Result<[String; 2], String> {
        let response = self.response(raw)?;
        let parsed: Value = serde_json::from_str(&response).unwrap_or_default();
        let described = match parsed.get("file_path") {
            Some(path) => self.client.call("lro_describe", &json!({"file_path": path}))?.0,
            None => String::new(),
        };
        Ok([response, described])
    }

    /// Plays a task.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn play(&mut self, raw: &Raw, task: &Task) -> Result<Played, String> {
        let response = self.response(raw)?;
        let conversation = Conversation::begin(&raw.document.tool, &raw.arguments, &response);
        let parsed: Value = serde_json::from_str(&response).unwrap_or_default();
        let Some(file_path) = parsed["file_path"].as_str().filter(|_| parsed["offloaded"] == true) else {
            // It stayed inline: everything has been read.
            return Ok(Played { answer: Some(task.answer.clone()), conversation });
        };
        let file_path = file_path.to_owned();
        let mut game = Game { ours: self, conversation, file_path, task };
        let answer = if task.want.get == Get::Overview { game.overview(&parsed) } else { game.answer() }?;
        Ok(Played { answer, conversation: game.conversation })
    }
}

impl Game<'_> {
    /// A call of one of our tools, and what it returns as JSON. An error of the tool is an answer that nobody can use.
    fn call(&mut self, tool: &str, mut arguments: Value) -> Result<Value, String> {
        if self.conversation.calls >= MOST_CALLS {
            return Err(format!("`{}` takes more than {MOST_CALLS} calls", self.task.id));
        }
        arguments["file_path"] = Value::from(self.file_path.as_str());
        let (text, _) = self.ours.client.call(tool, &arguments)?;
        self.conversation.turn(tool, &arguments, &text);
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Asks for the fields, unless all that the task needs have been seen.
    fn learn(&mut self) -> Result<(), String> {
        let fields = self.task.want.fields();
        if fields.iter().all(|field| self.conversation.has_seen(field)) {
            return Ok(());
        }
        let arguments = self.task.want.list.as_ref().map_or_else(|| json!({}), |list| json!({"records": list}));
        self.call("lro_describe", arguments).map(drop)
    }

    fn answer(&mut self) -> Result<Option<Value>, String> {
        self.learn()?;
        let task = self.task;
        let mut arguments = self.criteria(&task.want);
        if let Get::Aggregate { .. } = task.want.get
            && arguments.get("aggregate").is_none()
        {
            arguments = json!({"query": task.jq, "slurp": true});
        }
        if let Some(list) = &task.want.list {
            arguments["records"] = Value::from(list.as_str());
        }
        if let Get::Around(lines) = task.want.get {
            return self.around(arguments, lines);
        }
        if task.want.get == Get::Count {
            let answer = self.call("lro_extract", arguments)?;
            return Ok(answer.get("answer").cloned());
        }
        let results = self.pages(arguments)?;
        Ok(results.and_then(|results| read(task, results)))
    }

    /// All results, page after page.
    fn pages(&mut self, mut arguments: Value) -> Result<Option<Vec<Value>>, String> {
        let wanted = arguments["limit"].as_u64().and_then(|limit| usize::try_from(limit).ok());
        let mut results = Vec::new();
        loop {
            let page = self.call("lro_extract", arguments.clone())?;
            let Some(found) = page["results"].as_array() else { return Ok(None) };
            results.extend(found.iter().cloned());
            let has_all = wanted.is_some_and(|wanted| results.len() >= wanted);
            match page["next"].as_str() {
                Some(next) if !has_all => arguments["next"] = Value::from(next),
                _ => return Ok(Some(results)),
            }
        }
    }

    /// The line that matches, then the lines around it.
    fn around(&mut self, mut arguments: Value, lines: usize) -> Result<Option<Value>, String> {
        arguments["limit"] = Value::from(1);
        let found = self.call("lro_extract", arguments)?;
        let Some(line) = found["lines"][0].as_u64() else { return Ok(None) };
        let first = line.saturating_sub(lines as u64).max(2);
        let results = self.pages(json!({"line": first, "lines": line + lines as u64 + 1 - first}))?;
        Ok(results.map(Value::Array))
    }

    /// How many records there are and which fields they have: as the response says it, or as a description does.
    fn overview(&mut self, response: &Value) -> Result<Option<Value>, String> {
        let count = response["summary"]["count"].as_u64().or_else(|| response["count"].as_u64());
        let names = names_of(response);
        if let (Some(count), Some(names)) = (count, names) {
            return Ok(Some(overview(count, names)));
        }
        let described = self.call("lro_describe", json!({}))?;
        let count = described["header"]["count"].as_u64();
        let top = |field: &Value| Some(field["path"].as_str()?.strip_prefix('.')?.to_owned());
        let is_top = |name: &String| !name.contains(['.', '[']);
        let fields = described["fields"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names: Vec<String> = fields.iter().filter_map(top).filter(is_top).collect();
        Ok(count.map(|count| overview(count, names)))
    }

    /// The arguments that say what is wanted.
    fn criteria(&self, want: &Want) -> Value {
        let mut arguments = Map::new();
        if !want.conditions.is_empty() {
            arguments.insert("where".into(), want.conditions.iter().map(condition).collect());
        }
        match &want.get {
            Get::Values { field, sort, limit } => {
                arguments.insert("select".into(), json!([field]));
                arguments.extend(sort.as_ref().map(|sort| ("sort_by".into(), json!(sort))));
                arguments.extend(limit.map(|limit| ("limit".into(), json!(limit))));
            }
            Get::Value(field) => drop(arguments.insert("select".into(), json!([field]))),
            Get::Count => drop(arguments.insert("count".into(), json!(true))),
            Get::Groups(field) => drop(arguments.insert("group_by".into(), json!(field))),
            Get::Aggregate { function, of, by } if self.ours.has("aggregate") => {
                arguments.insert("aggregate".into(), json!([format!("{function}({of})")]));
                arguments.extend(by.as_ref().map(|by| ("group_by".into(), json!(by))));
            }
            Get::Aggregate { .. } | Get::Record | Get::Records | Get::Around(_) | Get::Overview => {}
        }
        // A line of text has no fields to choose.
        if matches!(&want.get, Get::Values { field, .. } if field == "line") {
            arguments.remove("select");
        }
        Value::Object(arguments)
    }
}

/// A condition as the definition of the tool has it.
fn condition(Condition(field, operator, value): &Condition) -> String {
    let operator = match operator {
        Operator::Equal => "=",
        Operator::Differs => "!=",
        Operator::Less => "<",
        Operator::AtMost => "<=",
        Operator::Greater => ">",
        Operator::AtLeast => ">=",
        Operator::Begins => "^=",
        Operator::Contains => "~=",
    };
    // Blanks at the ends of a value count only in quotes.
    let is_plain = |text: &&str| text.trim() == *text;
    let value = value.as_str().filter(is_plain).map_or_else(|| value.to_string(), str::to_owned);
    format!("{field}{operator}{value}")
}

/// The answer in the results.
fn read(task: &Task, results: Vec<Value>) -> Option<Value> {
    let is_ordered = task.kind == Kind::Top;
    match &task.want.get {
        Get::Values { field, .. } => {
            let values: Option<Vec<Value>> = results.iter().map(|record| member(record, field)).collect();
            values.map(|values| if is_ordered { Value::Array(values) } else { sorted(values) })
        }
        Get::Value(field) => match results.as_slice() {
            [] => Some(Value::Null),
            [record] => member(record, field),
            _ => None,
        },
        Get::Records => Some(Value::Array(results)),
        Get::Record => <[Value; 1]>::try_from(results).ok().map(|[record]| record),
        Get::Groups(field) => {
            let group = |group: &Value| Some((key(&member(group, field)?), group.get("count")?.clone()));
            results.iter().map(group).collect::<Option<Map<String, Value>>>().map(Value::Object)
        }
        Get::Aggregate { function, of, by } => {
            let name = format!("{function}({of})");
            let number = |record: &Value| record.get(&name).or_else(|| record.get(function.as_str())).cloned();
            match (by, results.as_slice()) {
                (None, [record]) if record.is_object() => number(record),
                (_, [answer]) if by.is_none() || answer.get(&name).is_none() => Some(answer.clone()),
                (Some(by), groups) => {
                    let pair = |group: &Value| Some((key(&member(group, by)?), number(group)?));
                    groups.iter().map(pair).collect::<Option<Map<String, Value>>>().map(Value::Object)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// A value as the name of a group.
fn key(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A member of a result, by its path or by the path as a name.
fn member(record: &Value, path: &str) -> Option<Value> {
    if path == "line" && record.is_string() {
        return Some(record.clone());
    }
    let below = || path.split('.').try_fold(record, |value, name| value.get(name));
    record.get(path).or_else(below).cloned()
}

fn overview(count: u64, mut names: Vec<String>) -> Value {
    names.sort();
    json!({"count": count, "fields": names})
}

/// The names of all fields, if the response shows them all: in `compact`, a notation that has not been cut.
fn names_of(response: &Value) -> Option<Vec<String>> {
    let notation = response["fields"].as_str()?;
    let inner = notation.strip_prefix('{')?.strip_suffix('}')?;
    let (mut depth, mut start, mut quote, mut names) = (0_i32, 0, None, Vec::new());
    for (at, character) in inner.char_indices().chain([(inner.len(), ',')]) {
        match character {
            _ if quote == Some(character) => quote = None,
            _ if quote.is_some() => {}
            '\'' | '"' => quote = Some(character),
            '{' | '[' | '(' | '<' => depth += 1,
            '}' | ']' | ')' | '>' => depth -= 1,
            ',' if depth == 0 => {
                let name = inner[start..at].split(':').next().unwrap_or_default().trim();
                names.push(name.trim_end_matches('?').trim_matches('"').to_owned());
                start = at + 1;
            }
            _ => {}
        }
    }
    let is_whole = !names.iter().any(|name| name.is_empty() || name.contains(['…', '+']) || name == "...");
    is_whole.then_some(names)
}
