//! Results that take much memory for their length.

/// The kinds of them.
pub const FORMS: [&str; 7] =
    ["one text", "lines of text", "records in a text", "numbers", "objects", "levels", "blocks"];

/// The line of a result of one of these kinds and at most so many bytes, for a request with this id.
#[must_use]
pub fn line(id: &str, form: &str, bytes: usize) -> Vec<u8> {
    let levels = format!(",{}{}", "[".repeat(100), "]".repeat(100));
    let (head, piece, tail) = match form {
        "lines of text" => (TEXT.0, "abcdefg hij\\n", TEXT.1),
        "records in a text" => (TEXT.0, "{\\\"a\\\":1}\\n", TEXT.1),
        "numbers" => (ITEMS, ",1", "]}}"),
        "objects" => (ITEMS, ",{}", "]}}"),
        "levels" => (ITEMS, &*levels, "]}}"),
        "blocks" => (BLOCKS, ",{\"type\":\"text\",\"text\":\"a\"}", "]}"),
        _ => (TEXT.0, "x", TEXT.1),
    };
    let envelope = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{head}");
    let room = bytes.saturating_sub(envelope.len() + tail.len() + 2);
    [envelope, piece.repeat(room / piece.len()), tail.to_owned(), "}\n".to_owned()].concat().into_bytes()
}

const TEXT: (&str, &str) = ("{\"content\":[{\"type\":\"text\",\"text\":\"", "\"}]}");
const ITEMS: &str = "{\"content\":[],\"structuredContent\":{\"items\":[0";
const BLOCKS: &str = "{\"content\":[{\"type\":\"text\",\"text\":\"\"}";

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{FORMS, line};

    #[test]
    fn lines_are_results_and_fill_their_bytes() {
        for form in FORMS {
            let line = line("7", form, 3000);
            let message: Value = serde_json::from_slice(&line).unwrap();
            assert!(line.len() <= 3000 && line.len() > 2700 && message["result"]["content"].is_array(), "{form}");
        }
    }
}
