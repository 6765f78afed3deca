//! Rebuilds the document that the records of a file came in (USER-01).

use super::filling::{Filling, Position};
pub use super::filling::{ListLocation, OpenFile};
use crate::error::{Error, Problem};
use crate::file::header::Header;
use crate::file::kind::Kind;
use crate::payload::frame::Frame;

/// How the documents of files with this header were put together.
pub fn frame_of(header: &Header) -> Frame {
    match (&header.lro.document, header.lro.kind) {
        (Some(frame), _) => frame.clone(),
        (None, Kind::Text) => Frame::text(),
        (None, _) => Frame::array(),
    }
}

/// Rebuilds a document from the readers that `open` returns, positioned so many bytes after the header.
pub fn rebuild_from<'a>(
    path: &str,
    header: &Header,
    open: impl Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error>,
) -> Result<String, Error> {
    let frame = frame_of(header);
    Ok(frame.as_it_came(text_from(path, &frame, u64::MAX, open)?))
}

/// The text of a document without the string that it was in. It may have at most `most` bytes.
///
/// Errors: `limit-reached` for a larger one.
pub fn text_from<'a>(
    path: &str,
    frame: &Frame,
    most: u64,
    open: impl Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error>,
) -> Result<String, Error> {
    let mut text = String::new();
    match (Filling { path, frame, open }).fill(&mut text, Position::default(), most.saturating_add(1))? {
        Some(_) => Err(too_large(path, most)),
        None => Ok(text),
    }
}

/// The error of a document that has too many bytes for a filter.
fn too_large(path: &str, most: u64) -> Error {
    Error::LimitReached {
        problem: Problem::new(
            format!(
                "cannot run the filter on the document of `{path}`: it has more than {most} bytes, \
                 the limit max_document_bytes"
            ),
            "begin the filter with the path of a list, as in `.results[] | …` or `.results | length`: it then runs on \
             the records as they are read",
        ),
        limit: "max_document_bytes",
        value: u32::try_from(most).unwrap_or(u32::MAX),
    }
}

/// A document whose files are not all there.
pub fn incomplete(path: &str, file: &str, error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::NotFound(Problem::new(
            format!("cannot rebuild the document of `{path}`: its file `{file}` is missing"),
            "it has expired, or writing the document was interrupted: run the tool again",
        )),
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::header;

    const PATH: &str = "main.jsonl";

    /// Two lists, of which this file has the second.
    fn main() -> Header {
        let frame = json!({"form": "object", "pieces": ["{\"a\":[", 0, "], \"b\":[", 1, "]}"], "exact": true, "lists": [
            {"path": ".a", "separator": ", ", "file": "a.jsonl"}, {"path": ".b", "separator": ","}]});
        header(2, json!({"kind": "records", "document": frame}))
    }

    /// Opens files whose text after the header is this.
    fn open<'a>(a: &'a str, b: &'a str) -> impl Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error> {
        let records = json!({"kind": "records"});
        move |place, _| match &place.file {
            Some(file) if file == "a.jsonl" => Ok((header(3, records.clone()), Box::new(a.as_bytes()))),
            Some(file) => Err(Error::NotFound(Problem::new(file.clone(), ""))),
            None => Ok((main(), Box::new(b.as_bytes()))),
        }
    }

    #[test]
    fn a_document_is_put_together_from_its_files() {
        let document = rebuild_from(PATH, &main(), open("1\n2\n3\n", "[4]\n5\n")).unwrap();
        assert_eq!(document, r#"{"a":[1, 2, 3], "b":[[4],5]}"#);
        let array = |_: &ListLocation, _: u64| -> Result<OpenFile<'_>, Error> {
            Ok((header(2, json!({"kind": "records"})), Box::new(&b"1\n2\n"[..])))
        };
        assert_eq!(rebuild_from(PATH, &header(2, json!({"kind": "records"})), array).unwrap(), "[1,2]");
        let mut quoted = main();
        quoted.lro.document.as_mut().unwrap().quoted = true;
        let document = rebuild_from(PATH, &quoted, open("1\n2\n3\n", "\"x\"\n5\n")).unwrap();
        assert_eq!(document, r#""{\"a\":[1, 2, 3], \"b\":[\"x\",5]}""#);
    }

    #[test]
    fn a_document_of_a_file_that_was_cut_is_refused() {
        let rows = [
            ("1\n2\n", "4\n5\n", "`a.jsonl`: the file was cut: it has 2 of 3 records"),
            ("1\n2\n3\n", "4\n5", "`main.jsonl`: the file was cut: the last of its 2 records is there in part"),
            ("1\n2\n3\n", "4\n5\n6\n", "`main.jsonl`: the file has 3 records"),
        ];
        for (a, b, message) in rows {
            let error = rebuild_from(PATH, &main(), open(a, b)).unwrap_err();
            assert!(error.message().starts_with(&format!("cannot rebuild the document of {message}")), "{error}");
        }
        let text = |_: &ListLocation, _: u64| -> Result<OpenFile<'_>, Error> {
            Ok((header(2, json!({"kind": "text"})), Box::new(&b"one\n"[..])))
        };
        let error = rebuild_from(PATH, &header(2, json!({"kind": "text"})), text).unwrap_err();
        assert!(error.message().contains("the file was cut: it has 1 of 2 lines"), "{error}");
    }

    #[test]
    fn a_document_may_have_as_many_bytes_as_are_allowed() {
        let text = |_: &ListLocation, _: u64| -> Result<OpenFile<'_>, Error> {
            Ok((header(1, json!({"kind": "text"})), Box::new(&b"twelve bytes"[..])))
        };
        let array = |_: &ListLocation, _: u64| -> Result<OpenFile<'_>, Error> {
            Ok((header(2, json!({"kind": "records"})), Box::new(&b"\"a b c\"\n10\n"[..])))
        };
        for most in [11, 12] {
            assert_eq!(text_from(PATH, &Frame::text(), most, text).is_ok(), most == 12);
            // `["a b c",10` is what is counted.
            let document = text_from(PATH, &Frame::array(), most - 1, array);
            assert_eq!(document.is_ok(), most == 12, "{document:?}");
        }
    }
}
