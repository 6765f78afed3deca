//! Everything outside the records of a file, by its address in the document that they came in: `.relations` is a list
//! of records like any other.

use lro_query::json::{Scan, Type, elements, unquote};
use serde_json::value::RawValue;

use crate::error::Error;
use crate::file::header::{Deviations, Header};
use crate::file::kind::Kind;
use crate::offload::records::Records;
use crate::payload::frame::Frame;
use crate::payload::keyed::{self, Look};
use crate::payload::path::Path;
use crate::payload::shown;
use crate::settings::Settings;
use crate::settings::request;

pub use super::steps::Address;

/// An error names at most this many addresses.
const MOST_NAMED: usize = 12;

/// Stands for the document in what surrounded it, which had it in a string.
const DOCUMENT: &str = "\"(the document)\"";

/// Reads an address.
pub fn parsed(operation: &str, address: &str) -> Result<Address, Error> {
    Address::parse(address).ok_or_else(|| {
        Error::invalid_argument(
            format!("cannot {operation}: `records` is `{}`, which is not a path", shown::name(address)),
            "give the keys that lead to a list, such as `.relations`, `.runs[0].results` or `.releases[\"1.0\"]`",
        )
    })
}

/// Refuses an address.
pub fn refused(operation: &str, address: &Address, reason: &str, hint: &str) -> Error {
    let shown = shown::address(&address.to_string());
    Error::invalid_argument(format!("cannot {operation}: `records` is `{shown}`, and {reason}"), hint)
}

/// What is known of the document that a file belongs to.
#[derive(Debug)]
pub struct Origin {
    /// The header of the file that knows the document.
    pub header: Header,
    /// The file that knows it, where that is another one.
    pub(super) main: Option<String>,
    /// Where the file's own records were.
    pub(super) path: Path,
    pub(super) frame: Option<Frame>,
}

impl Origin {
    /// The document that a file with this header knows.
    pub fn of(header: Header) -> Self {
        let frame = header.lro.document.clone();
        let own = || frame.as_ref()?.lists.iter().find(|list| list.file.is_none()).map(|list| list.path.clone());
        Self { path: own().unwrap_or_default(), header, main: None, frame }
    }

    /// The document that another file knows, which is called `main` and has this header; the file's own records were at
    /// `path`.
    pub fn of_section(path: Path, main: String, header: Header) -> Self {
        Self { frame: header.lro.document.clone(), header, main: Some(main), path }
    }

    /// True for the address of the file's own records.
    pub fn is_at(&self, path: &Path) -> bool {
        self.path == *path
    }

    /// The file that has the list at a path.
    pub fn file_of(&self, path: &Path) -> Option<&str> {
        let place = self.frame.as_ref()?.lists.iter().find(|list| list.path == *path)?;
        place.file.as_deref().or(self.main.as_deref())
    }

    /// True if what an address leads to may have lists in it that are in files, or is in such a list.
    pub fn has_lists_at(&self, address: &Address) -> bool {
        let path = address.path();
        let mut lists = self.frame.iter().flat_map(|frame| &frame.lists).map(|list| &list.path.0);
        lists.any(|list| list.starts_with(&path.0) || !address.is_path() && path.0.starts_with(list))
    }

    /// True if a list that is in a file is on the way to a path.
    pub fn has_list_before(&self, path: &Path) -> bool {
        self.frame.iter().flat_map(|frame| &frame.lists).any(|list| path.0.starts_with(&list.path.0))
    }

    /// The JSON texts in which an address may lead somewhere: the text around the lists, what surrounded the document,
    /// and a record that is alone. `first_record` reads that from the file `main`, or from the file itself.
    pub fn texts(
        &self,
        first_record: impl FnOnce(Option<&str>) -> Result<String, Error>,
    ) -> Result<Vec<String>, Error> {
        let around = |frame: &Frame| frame.around.as_ref().map(|around| around.wrapped(DOCUMENT));
        let mut texts: Vec<String> =
            self.frame.iter().flat_map(|frame| [Some(frame.hollow()), around(frame)]).flatten().collect();
        if self.header.count == 1 && self.header.lro.kind != Kind::Text {
            texts.push(first_record(self.main.as_deref())?);
        }
        texts.retain(|text| serde_json::from_str::<&RawValue>(text).is_ok());
        Ok(texts)
    }

    /// A sentence on where something is.
    pub fn known(&self, texts: &[String]) -> String {
        let lists = self.frame.iter().flat_map(|frame| &frame.lists).map(|list| list.path.clone());
        let mut paths: Vec<Path> = lists.collect();
        for text in texts.iter().filter(|text| text.trim_start().starts_with('{')) {
            Scan::of(text).members(|scan, key| {
                let path = Path::default().then(&unquote(key));
                if scan.value().starts_with(['{', '[']) && !paths.contains(&path) {
                    paths.push(path);
                }
            });
        }
        let shown: Vec<String> = paths.iter().take(MOST_NAMED).map(|path| format!("`{}`", shown::path(path))).collect();
        format!("the document has {}; leave `records` out for the records of the file", shown.join(", "))
    }
}

/// A value as the content of a file: the elements of an array, the members of a map, or the value as one record.
pub fn content(path: Path, value: &str, of: &Header, settings: &Settings) -> Result<String, Error> {
    let texts = match Type::of(value) {
        Type::Array => elements(value),
        Type::Object if keyed::is_map(value, Look::Named) => keyed::records(value),
        _ => vec![value.into()],
    };
    let mut records = Records::of(path, texts.into(), value, &request::Offload::default());
    records.infer(settings);
    let lro = Deviations { kind: Kind::Records, roles: records.roles(), ..Deviations::default() };
    let header = Header { count: records.count(), lro, ..of.clone() };
    let mut content = header.to_line();
    for record in records.texts.iter() {
        content.push('\n');
        content.push_str(&record);
    }
    content.push('\n');
    Ok(content)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::documents::header;
    use crate::fields::roles::Roles;

    #[test]
    fn an_address_leads_into_the_frame_and_into_a_record_that_is_alone() {
        let frame = json!({"form": "object", "pieces": ["{\"n\":1,\"a\":[", 0, "]}"], "lists": [{"path": ".a", "separator": ","}],
            "exact": true});
        let rows = [
            (header(1, json!({"kind": "records"})), vec!["{}"]),
            (header(1, json!({})), vec!["{}"]),
            (header(2, json!({"kind": "records"})), vec![]),
            (header(1, json!({"kind": "text"})), vec![]),
            (header(2, json!({"kind": "records", "document": frame})), vec![r#"{"n":1,"a":[]}"#]),
        ];
        for (header, expected) in rows {
            let shown = format!("{header:?}");
            let texts = Origin::of(header).texts(|main| Ok(main.map_or("{}", |_| "another file").to_owned())).unwrap();
            assert_eq!(texts, expected, "{shown}");
        }
    }

    #[test]
    fn nothing_is_in_the_place_of_the_document() {
        let around = json!({"before": "{\"exit\":0,\"out\":", "after": "}"});
        let frame = json!({"form": "object", "pieces": ["{\"n\":1,\"a\":[", 0, "]}"],
            "lists": [{"path": ".a", "separator": ","}], "exact": true, "around": around});
        let origin = Origin::of(header(2, json!({"kind": "records", "document": frame})));
        let texts = origin.texts(|_| unreachable!()).unwrap();
        let found = |address: &str| {
            let address = Address::parse(address).unwrap();
            texts.iter().find_map(|text| address.value_in(text).map(|value| value.into_owned()))
        };
        assert_eq!((found(".exit").as_deref(), found(".n").as_deref()), (Some("0"), Some("1")));
        // The string that held the document is not an empty list.
        assert_eq!((found(".out[].x"), found(".out.x")), (None, None));
    }

    #[test]
    fn a_value_becomes_the_content_of_a_file() {
        let of = header(70, json!({"document": null, "ttl_seconds": 60}));
        let lists: Vec<String> = (0..20).map(|n| format!(r#""v{n}":[{{"file":{n}}}]"#)).collect();
        let lists = format!("{{{}}}", lists.join(","));
        let map = r#"{"x1":{"id":1},"x2":{"id":2},"x3":{"id":3},"x4":{"id":4},"x5":{"id":5}}"#;
        let rows = [
            (r#"[{"id":1},{"id":2}]"#, 2, r#"{"id":1}"#),
            (map, 5, r#"{"key":"x1","id":1}"#),
            (&lists, 20, r#"{"key":"v0","value":[{"file":0}]}"#),
            (r#"{"id":1,"name":"one"}"#, 1, r#"{"id":1,"name":"one"}"#),
            ("7", 1, "7"),
        ];
        for (value, count, first) in rows {
            let content = content(Path::default(), value, &of, &Settings::default()).unwrap();
            let mut lines = content.lines();
            let header = Header::parse(lines.next().unwrap().as_bytes(), "lro_header").unwrap();
            assert_eq!(
                (header.count, header.lro.kind, header.lro.ttl_seconds),
                (count, Kind::Records, None),
                "{value}"
            );
            assert_eq!((lines.next(), lines.count() as u32), (Some(first), count - 1), "{value}");
            // What the recipes need to know of the fields is known.
            assert_ne!(header.lro.roles, Roles::default(), "{value}");
        }
    }
}
