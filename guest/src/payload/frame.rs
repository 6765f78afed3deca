//! The text around the records of a document, from which the document can be rebuilt (USER-01).

use lro_query::json::quote;
use serde::{Deserialize, Serialize};

use crate::payload::path::Path;

/// How a result was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// One JSON array; its elements are the records.
    #[default]
    Array,
    /// One JSON value after the other, as in JSON Lines; each is a record.
    Lines,
    /// A JSON object with one or several lists somewhere inside, whose elements are the records.
    Object,
    /// Text that is not JSON.
    Text,
}

/// A document with holes where its lists were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// How it was written down.
    pub form: Form,
    /// Its text, and the numbers of the lists in between.
    pub pieces: Vec<Piece>,
    /// The lists, in the order of the document.
    pub lists: Vec<ListLocation>,
    /// The whole document was in a JSON string.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quoted: bool,
    /// The text around that string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around: Option<Around>,
    /// What a text is written in whose records these are, such as `csv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notation: Option<String>,
    /// How many of those records are lines that have no fields, such as a heading: `{"line":3,"text":"Total 7"}`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_lines: u32,
    /// The file that has the text as it came, below the output directory, where records were made of it: lines of CSV,
    /// members of a map, nodes of a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<String>,
    /// Where the text has NaN or an infinity, which JSON has no number for, the records have null.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_no_number: bool,
    /// The text ends before its last list or record does, so some may be missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub breaks_off: bool,
    /// It can be put together byte for byte. Otherwise only space between tokens is lost, or the way in which a string
    /// was escaped that held all of it.
    pub exact: bool,
}

/// Text, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Piece {
    /// As in the document.
    Text(String),
    /// The elements of the list of this number.
    List(usize),
}

/// Where a list was, and where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListLocation {
    /// Where it was in the document.
    pub path: Path,
    /// The text between its elements.
    pub separator: String,
    /// It was an object, whose members are the records.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keyed: bool,
    /// The file that has it, below the output directory; none for the file whose header this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The text before and after a part.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// In front of it.
    pub before: String,
    /// Behind it.
    pub after: String,
}

impl Around {
    /// The whole text.
    pub fn wrapped(&self, text: &str) -> String {
        [&self.before, text, &self.after].concat()
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Frame {
    /// The other files of the document.
    pub fn files(&self) -> Vec<&str> {
        self.lists.iter().filter_map(|list| list.file.as_deref()).chain(self.original.as_deref()).collect()
    }

    /// A plain array.
    pub fn array() -> Self {
        let place = ListLocation { separator: ",".into(), ..ListLocation::default() };
        let pieces = vec![Piece::Text("[".into()), Piece::List(0), Piece::Text("]".into())];
        Self { pieces, lists: vec![place], ..Self::of(Form::Array) }
    }

    /// A text.
    pub fn text() -> Self {
        let place = ListLocation { separator: "\n".into(), ..ListLocation::default() };
        Self { pieces: vec![Piece::List(0)], lists: vec![place], ..Self::of(Form::Text) }
    }

    /// One of nothing so far.
    pub fn of(form: Form) -> Self {
        Self {
            form,
            pieces: Vec::new(),
            lists: Vec::new(),
            quoted: false,
            around: None,
            notation: None,
            other_lines: 0,
            original: None,
            has_no_number: false,
            breaks_off: false,
            exact: true,
        }
    }

    /// The document. `elements` adds the elements of a list, with the separator between them.
    pub fn fill<E>(&self, mut elements: impl FnMut(&ListLocation, &mut String) -> Result<(), E>) -> Result<String, E> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                // A header that names more lists than it has was not written by us: there is nothing to add.
                Piece::List(number) => {
                    if let Some(place) = self.lists.get(*number) {
                        elements(place, &mut text)?;
                    }
                }
            }
        }
        Ok(self.as_it_came(text))
    }

    /// Returns a document as it came: in a string, with the text around that string.
    pub fn as_it_came(&self, text: String) -> String {
        let text = if self.quoted { quote(&text) } else { text };
        match &self.around {
            Some(around) => around.wrapped(&text),
            None => text,
        }
    }

    /// Returns the document with empty lists: JSON text if the document was JSON.
    pub fn hollow(&self) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::List(number) if self.lists.get(*number).is_some_and(|place| place.keyed) => text.push_str("{}"),
                Piece::List(_) => {}
            }
        }
        text
    }

    /// The text around the lists.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::List(_) => None,
        })
    }
}

/// Adds texts with a separator between them.
pub fn join(text: &mut String, texts: impl Iterator<Item = impl AsRef<str>>, separator: &str) {
    for (i, part) in texts.enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(part.as_ref());
    }
}
