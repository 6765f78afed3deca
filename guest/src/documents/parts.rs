//! A document part by part, for one that is too large to be held whole (USER-01).

use lro_query::json::quote;

use super::filling::{Filling, ListLocation, OpenFile, Position};
use super::reader::token;
use super::rebuild::frame_of;
use crate::error::Error;
use crate::file::header::Header;
use crate::payload::frame::Frame;
use crate::settings::request::Rebuild;

/// The most bytes of records in a part. It is held several times on its way to the caller: as text, in a string, in the
/// host.
const MOST_BYTES: u32 = 4 << 20;

/// A part of the text of a document.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// What follows the part before.
    pub text: String,
    /// Where the next part begins.
    pub next: Option<String>,
}

/// The part of a document that a request asks for, from the readers that `open` returns, positioned so many bytes after
/// the header. Before the first of several parts is returned, all files are looked at: nobody gets the beginning of a
/// document that was cut. A `next` belongs to the file with that path and header.
pub fn part_of<'a>(
    path: &str,
    header: &Header,
    request: &Rebuild,
    open: impl Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error>,
) -> Result<Part, Error> {
    let (frame, owner) = (&frame_of(header), token::Owner::of(path, header));
    let filling = Filling { path, frame, open };
    let from = request.next.as_deref().map(|next| position(next, &owner)).transpose()?;
    if from.is_some_and(|from| !filling.has(from)) {
        return Err(token::wrong("rebuild"));
    }
    let enough = request.max_bytes.unwrap_or(MOST_BYTES).min(MOST_BYTES);
    let mut text = String::new();
    let rest = filling.fill(&mut text, from.unwrap_or_default(), enough.into())?;
    if from.is_none() && rest.is_some() {
        filling.check()?;
    }
    let next = rest.map(|Position { piece, offset, number }| token::write('d', &[piece, offset, number], &owner));
    Ok(Part { text: as_it_came(frame, text, from.is_none(), next.is_none()), next })
}

fn position(next: &str, owner: &token::Owner) -> Result<Position, Error> {
    let (_, [piece, offset, number]) = token::read("rebuild", next, &['d'], owner)?;
    Ok(Position { piece, offset, number })
}

/// A part as it came: in a string, with the text around that string in front of the first part and behind the last one.
fn as_it_came(frame: &Frame, text: String, is_first: bool, is_last: bool) -> String {
    if !frame.quoted && frame.around.is_none() {
        return text;
    }
    let quoted = if frame.quoted { quote(&text) } else { text };
    let inner = match frame.quoted {
        true => &quoted[usize::from(!is_first)..quoted.len() - usize::from(!is_last)],
        false => &quoted,
    };
    let around = frame.around.as_ref();
    let before = around.filter(|_| is_first).map_or("", |around| &around.before);
    let after = around.filter(|_| is_last).map_or("", |around| &around.after);
    [before, inner, after].concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::header;
    use crate::documents::rebuild::rebuild_from;

    const PATH: &str = "main.jsonl";

    /// Opens the only list of a file whose text after the header is this.
    fn open<'a>(header: &Header, text: &'a str) -> impl Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error> {
        let header = header.clone();
        move |_, offset| {
            let bytes = text.as_bytes().get(usize::try_from(offset).unwrap()..).unwrap_or_default();
            Ok((header.clone(), Box::new(bytes)))
        }
    }

    /// The parts of so many bytes.
    fn parts(header: &Header, text: &str, max_bytes: u32) -> Result<Vec<String>, Error> {
        let (mut parts, mut next) = (Vec::new(), None);
        loop {
            let request = Rebuild { max_bytes: Some(max_bytes), next };
            let part = part_of(PATH, header, &request, open(header, text))?;
            parts.push(part.text);
            next = part.next;
            if next.is_none() {
                return Ok(parts);
            }
        }
    }

    #[test]
    fn parts_of_any_size_are_the_document() {
        let frame = |more: &str| {
            let mut frame = json!({"form": "object", "pieces": ["{\"n\": \"é\", \"a\":[", 0, "], \"b\": 1}"],
                "exact": true, "lists": [{"path": ".a", "separator": ", "}]});
            if !more.is_empty() {
                frame["quoted"] = true.into();
                frame["around"] = json!({"before": "{\"text\": ", "after": "}"});
            }
            header(3, json!({"kind": "records", "document": frame}))
        };
        let records = "{\"é\":\"\\\"é\"}\n[1,2]\n3\n";
        let rows = [
            (header(3, json!({"kind": "records"})), records, "an array"),
            (frame(""), records, "an object"),
            (frame("quoted"), records, "an object in a string"),
            (header(3, json!({"kind": "text"})), "é€😀\n\nzwei", "a text"),
            (header(0, json!({"kind": "records"})), "", "nothing"),
        ];
        for (header, text, what) in rows {
            let whole = rebuild_from(PATH, &header, open(&header, text)).unwrap();
            for max_bytes in 4..64 {
                assert_eq!(parts(&header, text, max_bytes).unwrap().concat(), whole, "{what} by {max_bytes} bytes");
            }
        }
    }

    #[test]
    fn nothing_comes_of_a_file_that_was_cut() {
        let records = header(3, json!({"kind": "records"}));
        for text in ["{}\n{}\n", "{}\n{}\n{}", "{}\n{}\n{}\n{}\n"] {
            for max_bytes in [4, 64] {
                let error = parts(&records, text, max_bytes).unwrap_err();
                assert!(
                    error.message().starts_with("cannot rebuild the document of `main.jsonl`: the file"),
                    "{error}"
                );
            }
        }
        let lines = header(3, json!({"kind": "text"}));
        assert!(parts(&lines, "one\ntwo\n", 4).unwrap_err().message().contains("it has 2 of 3 lines"));
    }

    #[test]
    fn another_calls_next_is_refused() {
        let records = header(1, json!({"kind": "records"}));
        let owned = |numbers: &[u64], owner: &token::Owner| token::write('d', numbers, owner);
        let owner = token::Owner::of(PATH, &records);
        for next in [
            String::new(),
            "d1.0.0".to_owned(),
            owned(&[0, 0, 0], &owner),
            owned(&[3, 0, 0], &owner),
            owned(&[99_999_999_999, 0, 0], &owner),
            owned(&[1, 0], &owner),
            owned(&[1, 0, 0], &token::Owner::of("other.jsonl", &records)),
        ] {
            let request = Rebuild { max_bytes: None, next: Some(next.clone()) };
            let error = part_of(PATH, &records, &request, open(&records, "1\n")).unwrap_err();
            assert!(error.message().starts_with("cannot rebuild the next page"), "{next}: {error}");
        }
    }
}
