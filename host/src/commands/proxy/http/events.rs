//! Server-sent events, as far as MCP uses them: the data of each event is a message.

use std::io::{self, BufRead, BufReader, Read};

/// Hands out the data of each event. Comments, names and ids say nothing to a proxy.
pub(super) fn each(stream: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let (mut line, mut data) = (Vec::new(), Vec::new());
    while stream.read_until(b'\n', &mut line)? > 0 {
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        if text.is_empty() {
            take(&std::mem::take(&mut data));
        } else if let Some(value) = text.strip_prefix(b"data:") {
            if !data.is_empty() {
                data.push(b'\n');
            }
            data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
        }
        line.clear();
    }
    // A stream that breaks off within an event has not sent it.
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn the_data_of_each_event_is_a_message() {
        let stream =
            "id: 1\ndata:\n\n: hello\nevent: message\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\ndata:{}\n\ndata: half";
        let mut messages = Vec::new();
        each(stream.as_bytes(), |message| messages.push(String::from_utf8(message.to_vec()).unwrap())).unwrap();
        assert_eq!(messages, ["", "{\"a\":\n1}", "{}"]);
    }
}
