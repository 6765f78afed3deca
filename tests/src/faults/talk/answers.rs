//! The results that the server of the suites answers with: a text of records. Client and server make the same bytes.

/// What a record is: so many bytes in the line, the comma included.
pub const RECORD_BYTES: usize = 200;

/// Results of any number of records.
#[derive(Debug, Default)]
pub struct Answers(Vec<u8>);

impl Answers {
    /// The line of a result of so many records, for a request with this id.
    pub fn line(&mut self, id: &str, records: usize) -> Vec<u8> {
        let mut line =
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"[")
                .into_bytes();
        line.extend_from_slice(self.records(records));
        line.extend_from_slice(b"]\"}]}}\n");
        line
    }

    fn records(&mut self, count: usize) -> &[u8] {
        while self.0.len() < count * RECORD_BYTES {
            let number = self.0.len() / RECORD_BYTES;
            let escaped = record(number).replace('"', "\\\"");
            self.0.extend_from_slice(escaped.as_bytes());
            self.0.push(b',');
        }
        &self.0[..(count * RECORD_BYTES).saturating_sub(1)]
    }
}

/// A record as it stands in a file.
#[must_use]
pub fn record(number: usize) -> String {
    let start = format!("{{\"id\":\"r{number:09}\",\"state\":\"open\",\"body\":\"");
    // Quotes are escaped in the line: six names and values have two each.
    let rest = RECORD_BYTES - 1 - start.len() - "\"}".len() - 12;
    let body: String = "lorem ipsum dolor ".chars().cycle().take(rest).collect();
    format!("{start}{body}\"}}")
}

/// Lists without end, and the handshake before them.
#[derive(Debug, Default)]
pub struct Pages {
    /// The length of a page.
    pub bytes: usize,
    /// Items of all pages so far: each has another name.
    pub said: usize,
}

impl Pages {
    /// The line of the answer to a request of this method.
    pub fn answer(&mut self, id: &str, method: &str) -> Vec<u8> {
        let list = match method {
            "initialize" => return initialized(id),
            "resources/templates/list" => "resourceTemplates",
            _ => method.split('/').next().unwrap_or_default(),
        };
        let mut line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"nextCursor\":\"x\",\"{list}\":[");
        while line.len() + 300 < self.bytes {
            self.said += 1;
            let uri = format!("x://{}/{:080}", self.said, 0);
            line.push_str(&format!("{{\"name\":\"{uri}\",\"uri\":\"{uri}\",\"uriTemplate\":\"{uri}\"}},"));
        }
        line.truncate(line.trim_end_matches(',').len());
        line.push_str("]}}\n");
        line.into_bytes()
    }
}

fn initialized(id: &str) -> Vec<u8> {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"protocolVersion\":\"2025-11-25\",\"capabilities\":\
         {{\"tools\":{{}},\"prompts\":{{}},\"resources\":{{}}}},\"serverInfo\":{{\"name\":\"pages\",\"version\":\"1\"}}}}}}\n"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Answers, Pages, RECORD_BYTES, record};

    #[test]
    fn records_have_their_length_and_are_json() {
        let line = Answers::default().line("7", 12);
        let message: Value = serde_json::from_slice(&line).unwrap();
        let text = message["result"]["content"][0]["text"].as_str().unwrap();
        let records: Vec<Value> = serde_json::from_str(text).unwrap();
        assert_eq!(records.len(), 12);
        assert_eq!(records[11], serde_json::from_str::<Value>(&record(11)).unwrap());
        let empty = Answers::default().line("7", 0);
        assert_eq!(line.len() - empty.len(), 12 * RECORD_BYTES - 1);
    }

    #[test]
    fn pages_fill_their_bytes_and_repeat_nothing() {
        let mut pages = Pages { bytes: 3000, said: 0 };
        let mut page = || {
            let line = pages.answer("7", "resources/templates/list");
            let message: Value = serde_json::from_slice(&line).unwrap();
            assert!(line.len() <= 3000 && line.len() > 2600, "{}", line.len());
            message["result"]["resourceTemplates"][0]["uriTemplate"].clone()
        };
        assert_ne!(page(), page());
        let hello: Value = serde_json::from_slice(&pages.answer("7", "initialize")).unwrap();
        assert!(hello["result"]["capabilities"]["tools"].is_object());
    }
}
