//! Asks a real model through an OpenAI-compatible API: chat completions with our tools.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::Conversation;
use super::strategies::Played;
use super::task::{Get, Task};

/// Answers of the model after which it has none.
const MOST_TURNS: usize = 12;

/// A model may think for so long.
const PATIENCE: Duration = Duration::from_secs(300);

/// A model and where it is asked.
pub struct Model {
    /// Its name.
    pub name: String,
    /// The address of the API, such as `http://localhost:11434/v1`.
    pub url: String,
    /// The key, if it needs one.
    pub key: Option<String>,
}

/// What a model has at the beginning: the result of the server's call, and our tools.
pub struct Start<'a> {
    /// The server's own tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: &'a Value,
    /// What it returned through the proxy.
    pub response: &'a str,
    /// Our tools, as the proxy lists them.
    pub tools: &'a [Value],
}

impl Model {
    /// Asks the question of a task, and calls tools as the model wants it.
    ///
    /// # Errors
    /// One line that says what failed.
    pub fn play(
        &self,
        task: &Task,
        start: &Start<'_>,
        call: &mut dyn FnMut(&str, &Value) -> Result<String, String>,
    ) -> Result<Played, String> {
        let mut conversation = Conversation::begin(start.tool, start.arguments, start.response);
        let mut messages = vec![
            json!({"role": "system", "content": system(&task.want.get)}),
            json!({"role": "user", "content": task.question}),
            json!({"role": "assistant", "content": null, "tool_calls": [{
                "id": "call_0", "type": "function",
                "function": {"name": start.tool, "arguments": start.arguments.to_string()}}]}),
            json!({"role": "tool", "tool_call_id": "call_0", "content": start.response}),
        ];
        let tools: Vec<Value> = start.tools.iter().map(function).collect();
        for _ in 0..MOST_TURNS {
            let request = json!({"model": self.name, "temperature": 0, "messages": messages, "tools": tools});
            let answer = self.post(&request)?;
            let message = &answer["choices"][0]["message"];
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            if calls.is_empty() {
                let answer = answer_in(message["content"].as_str().unwrap_or_default());
                return Ok(Played { answer, conversation });
            }
            messages.push(message.clone());
            for one in calls {
                let name = one["function"]["name"].as_str().unwrap_or_default();
                let text = one["function"]["arguments"].as_str().unwrap_or("{}");
                let arguments: Value = serde_json::from_str(text).unwrap_or_default();
                let result = call(name, &arguments).unwrap_or_else(|error| format!("error: {error}"));
                conversation.turn(name, &arguments, &result);
                messages.push(json!({"role": "tool", "tool_call_id": one["id"], "content": result}));
            }
        }
        Ok(Played { answer: None, conversation })
    }

    fn post(&self, request: &Value) -> Result<Value, String> {
        let address = format!("{}/chat/completions", self.url.trim_end_matches('/'));
        let body = request.to_string();
        let text = match address.strip_prefix("http://") {
            Some(rest) => self.over_http(rest, &body)?,
            None => self.by_curl(&address, &body)?,
        };
        let answer: Value = serde_json::from_str(&text)
            .map_err(|error| format!("the model's answer is not JSON: {error}: {text:.300}"))?;
        match answer.get("error").filter(|error| !error.is_null()) {
            Some(error) => Err(format!("the model's API returns an error: {error}")),
            None => Ok(answer),
        }
    }

    /// HTTP/1.0, whose answers end with the connection.
    fn over_http(&self, rest: &str, body: &str) -> Result<String, String> {
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let peer = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        let exchange = || {
            let mut stream = TcpStream::connect(peer)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let key = self.key.as_ref().map_or(String::new(), |key| format!("Authorization: Bearer {key}\r\n"));
            write!(
                stream,
                "POST /{path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\n{key}\
                 Content-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
            let mut text = String::new();
            stream.read_to_string(&mut text)?;
            Ok(text)
        };
        let text: String = exchange().map_err(|error: std::io::Error| format!("cannot ask `{host}`: {error}"))?;
        let (_, body) = text.split_once("\r\n\r\n").ok_or_else(|| format!("`{host}` does not speak HTTP"))?;
        Ok(body.to_owned())
    }

    /// HTTPS, through curl. The key is in its input: other users of the machine can see a command line.
    fn by_curl(&self, address: &str, body: &str) -> Result<String, String> {
        let quoted = |text: &str| Value::from(text).to_string();
        let key = self
            .key
            .as_ref()
            .map_or(String::new(), |key| format!("header = {}\n", quoted(&format!("Authorization: Bearer {key}"))));
        let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        std::fs::write(file.path(), body).map_err(|error| error.to_string())?;
        let mut curl = Command::new("curl")
            .args([
                "--silent",
                "--show-error",
                "--config",
                "-",
                "--header",
                "Content-Type: application/json",
                "--data-binary",
            ])
            .arg(format!("@{}", file.path().display()))
            .arg(address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start curl: {error}"))?;
        curl.stdin.take().ok_or("curl has no input")?.write_all(key.as_bytes()).map_err(|error| error.to_string())?;
        let output = curl.wait_with_output().map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// A tool of MCP as the API has tools.
fn function(tool: &Value) -> Value {
    json!({"type": "function", "function": {
        "name": tool["name"], "description": tool["description"], "parameters": tool["inputSchema"]}})
}

/// What the model is told: nothing about our tools, only the form of an answer.
fn system(get: &Get) -> String {
    let form = match get {
        Get::Values { .. } => "a list of values",
        Get::Count => "a number",
        Get::Groups(_) => "an object that has a number for each value",
        Get::Aggregate { by: None, .. } => "a number",
        Get::Aggregate { .. } => "an object that has a number for each value",
        Get::Value(_) => "the value, or null if there is no such record",
        Get::Record => "the record, whole",
        Get::Records => "a list of records, whole",
        Get::Around(_) => "a list of lines",
        Get::Overview => "an object: `count`, how many records, and `fields`, a sorted list of their names",
    };
    format!(
        "Answer the question from the result of the tool. Use the tools you have, as often as you need. End with one \
         line of JSON, {{\"answer\": ANSWER}}, where ANSWER is {form}."
    )
}

/// The answer in the model's last message.
fn answer_in(text: &str) -> Option<Value> {
    let (start, _) = text.match_indices("{\"answer\"").last()?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    values.next()?.ok()?.get("answer").cloned()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;
    use std::thread::{self, JoinHandle};

    use super::*;
    use crate::tasks::task::{Condition, Kind, Operator, Want};

    /// A server that gives these answers, one a connection, and returns the requests.
    fn scripted(answers: Vec<Value>) -> (String, JoinHandle<Vec<Value>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let serve = move || answers.into_iter().map(|answer| exchange(&listener, &answer)).collect();
        (url, thread::spawn(serve))
    }

    fn exchange(listener: &TcpListener, answer: &Value) -> Value {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut length, mut head) = (0, String::new());
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if line == "\r\n" {
                break;
            }
            length = line.strip_prefix("Content-Length: ").map_or(length, |text| text.trim().parse().unwrap());
            head.push_str(&line);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        write!(stream, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{answer}").unwrap();
        json!({"head": head, "body": serde_json::from_slice::<Value>(&body).unwrap()})
    }

    fn task() -> Task {
        let conditions = vec![Condition("state".into(), Operator::Equal, json!("open"))];
        Task {
            id: "open".into(),
            document: "issues".into(),
            question: "How many issues are open?".into(),
            kind: Kind::Count,
            want: Want { list: None, conditions, get: Get::Count },
            jq: String::new(),
            answer: json!(3),
            share: 0.0,
        }
    }

    fn play(answers: Vec<Value>) -> (Result<Played, String>, Vec<Value>, Vec<String>) {
        let (url, server) = scripted(answers);
        let model = Model { name: "small".into(), url, key: Some("secret".into()) };
        let tools =
            [json!({"name": "lro_extract", "description": "Reads records.", "inputSchema": {"type": "object"}})];
        let start = Start { tool: "list", arguments: &json!({}), response: r#"{"offloaded":true}"#, tools: &tools };
        let mut called = Vec::new();
        let played = model.play(&task(), &start, &mut |name, arguments| {
            called.push(format!("{name} {arguments}"));
            Ok(r#"{"answer":3}"#.into())
        });
        (played, server.join().unwrap(), called)
    }

    fn message(message: Value) -> Value {
        json!({"choices": [{"message": message}]})
    }

    #[test]
    fn a_model_calls_our_tools_and_answers() {
        let arguments = r#"{"file_path":"/f","where":["state=open"],"count":true}"#;
        let call =
            json!({"id": "call_1", "type": "function", "function": {"name": "lro_extract", "arguments": arguments}});
        let (played, requests, called) = play(vec![
            message(json!({"role": "assistant", "content": null, "tool_calls": [call]})),
            message(json!({"role": "assistant", "content": "Three of them.\n{\"answer\": 3}"})),
        ]);
        let played = played.unwrap();
        assert_eq!((played.answer, played.conversation.calls), (Some(json!(3)), 1));
        assert_eq!(called, [format!("lro_extract {arguments}")]);
        assert!(requests[0]["head"].as_str().unwrap().contains("Authorization: Bearer secret"));
        assert_eq!(requests[0]["body"]["tools"][0]["function"]["name"], "lro_extract");
        assert_eq!(requests[0]["body"]["messages"][1]["content"], "How many issues are open?");
        let last = requests[1]["body"]["messages"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["role"], &last["content"]), (&json!("tool"), &json!(r#"{"answer":3}"#)));
    }

    #[test]
    fn a_model_without_an_answer_has_none() {
        let (played, _, called) = play(vec![message(json!({"role": "assistant", "content": "I do not know."}))]);
        assert_eq!((played.unwrap().answer, called.len()), (None, 0));
    }

    #[test]
    fn an_error_of_the_api_is_told() {
        let (played, ..) = play(vec![json!({"error": {"message": "no such model"}})]);
        assert!(played.err().unwrap().contains("no such model"));
    }
}
