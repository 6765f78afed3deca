//! What is known of a message that is too long to be held: its top-level members, which say whose answer it is. They may
//! come before the long part or after it, so all of the text is scanned, byte by byte.

use serde::de::IgnoredAny;

/// Longer ids and names are not kept.
const MOST_BYTES: usize = 1024;

/// What is known so far.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// How many brackets are open.
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    /// A list at the top level is a batch, of which nothing is known.
    is_other: bool,
    /// The top-level member that is being read: its name, and whether its value has begun.
    name: Vec<u8>,
    is_value: bool,
    text: Vec<u8>,
    id: Option<String>,
    has_id: bool,
    has_method: bool,
    has_answer: bool,
}

impl Outline {
    /// The id as it is written, if it is known.
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// True for what wants an answer, false for an answer.
    pub(super) fn is_request(&self) -> bool {
        self.has_method
    }

    /// True for an answer, which gets none itself.
    #[cfg(feature = "mcp")]
    pub(super) fn is_answer(&self) -> bool {
        self.has_answer && !self.has_method
    }

    /// True for what has an id, in whichever form: an id may be `null`, a list, no UTF-8 or too long to be kept.
    #[cfg(feature = "mcp")]
    pub(super) fn has_id(&self) -> bool {
        self.has_id
    }

    /// True when nothing that follows would change what is done.
    pub(super) fn is_enough(&self) -> bool {
        self.is_other || (self.id.is_some() && (self.has_method || self.has_answer))
    }

    /// Takes the next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_enough() {
                return;
            }
            self.take(*byte);
        }
    }

    fn take(&mut self, byte: u8) {
        if self.is_in_string {
            self.is_in_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            return self.keep(byte);
        }
        match byte {
            b'"' => {
                self.is_in_string = true;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.is_other |= self.depth == 0 && byte == b'[';
                self.keep(byte);
                self.depth += 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 { self.end_member() } else { self.keep(byte) }
            }
            b':' if self.depth == 1 && !self.is_value => self.begin_value(),
            b',' if self.depth == 1 => self.end_member(),
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                self.is_other |= self.depth == 0;
                self.keep(byte);
            }
        }
    }

    /// Keeps only what is directly at the top level; one byte more than the limit shows that there was more.
    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.text.len() <= MOST_BYTES {
            self.text.push(byte);
        }
    }

    fn begin_value(&mut self) {
        self.name = std::mem::take(&mut self.text);
        self.is_value = true;
        self.has_id |= self.name == b"\"id\"";
        self.has_method |= self.name == b"\"method\"";
        self.has_answer |= matches!(self.name.as_slice(), b"\"result\"" | b"\"error\"");
    }

    fn end_member(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.is_value = false;
        // Of a list or an object only the brackets are here.
        if self.name == b"\"id\"" && text.len() <= MOST_BYTES && !text.starts_with(b"{") && !text.starts_with(b"[") {
            // An answer repeats the id, so one of a message that is not JSON must be JSON itself, for strict readers too:
            // some read no half of a surrogate pair.
            let is_json = |id: &String| match id.starts_with('"') {
                true => serde_json::from_str::<String>(id).is_ok(),
                false => serde_json::from_str::<IgnoredAny>(id).is_ok(),
            };
            self.id = String::from_utf8(text).ok().filter(|id| id != "null" && is_json(id));
        }
        self.name.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[cfg(feature = "mcp")]
    #[test]
    fn an_id_of_any_form_is_one() {
        let long = format!(r#"{{"method":"a","id":"{}"}}"#, "i".repeat(2000));
        for (text, has_id, is_answer) in [
            (br#"{"method":"a","id":null}"#.as_slice(), true, false),
            (br#"{"id":{"id":1},"method":"a"}"#, true, false),
            (b"{\"id\":\"\xff\",\"method\":\"a\"}", true, false),
            (long.as_bytes(), true, false),
            (br#"{"method":"a","params":{"id":1}}"#, false, false),
            (br#"{"id":1,"error":{}}"#, true, true),
            (br#"{"id":1}"#, true, false),
            (b"garbage", false, false),
        ] {
            let mut outline = Outline::default();
            outline.add(text);
            assert_eq!(
                (outline.has_id(), outline.is_answer()),
                (has_id, is_answer),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }

    #[test]
    fn the_members_at_the_top_are_found_wherever_they_stand() {
        let long = "1".repeat(2000);
        let rows: [(String, Option<&str>, bool); 14] = [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":8,"method":"x"#.to_owned(), Some("7"), false),
            (r#"{"result":{"id":8,"x":"}\",\"id\":9"},"jsonrpc":"2.0","id":1e2}"#.to_owned(), Some("1e2"), false),
            (r#" { "error" : [1,{"a":[]}] , "id" : "a\"b" }"#.to_owned(), Some(r#""a\"b""#), false),
            (r#"{"params":{"method":1},"method":"tools/call","id":3}"#.to_owned(), Some("3"), true),
            (r#"{"method":"notifications/x","params":{"id":1}}"#.to_owned(), None, true),
            (r#"[{"id":1,"result":2}]"#.to_owned(), None, false),
            (r#"{"id":null,"result":1}"#.to_owned(), None, false),
            (r#"{"id":{"a":1},"result":1}"#.to_owned(), None, false),
            (format!(r#"{{"id":{long},"result":1}}"#), None, false),
            (r#"{"id":"{"a":m33","method":"x"}"#.to_owned(), None, true),
            (r#"{"id":"\ud8005","method":"x"}"#.to_owned(), None, true),
            (r#"{"id":nul,"method":"x"}"#.to_owned(), None, true),
            ("garbage \"id\":5}".to_owned(), None, false),
            ("}}]\\\"".to_owned(), None, false),
        ];
        for (text, id, is_request) in rows {
            for length in [1, 3, text.len()] {
                let mut outline = Outline::default();
                text.as_bytes().chunks(length).for_each(|piece| outline.add(piece));
                assert_eq!((outline.id(), outline.is_request()), (id, is_request), "{text}");
            }
        }
    }
}
