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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Answers, RECORD_BYTES, record};

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
}
