//! What stands around the records of a document, so that the document can be put together again (USER-01).

use serde::{Deserialize, Serialize};

use crate::path::Path;

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
    pub lists: Vec<Place>,
    /// All of it stood in a JSON string.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quoted: bool,
    /// It can be put together byte for byte. Otherwise only space between tokens is lost, or the way in which a string
    /// was escaped that all of it stood in.
    pub exact: bool,
}

/// Text, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Piece {
    /// As it stood in the document.
    Text(String),
    /// The elements of the list of this number.
    List(usize),
}

/// Where a list was, and where it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Where it was in the document.
    pub path: Path,
    /// What stood between its elements.
    pub separator: String,
    /// The file that has it, below the output directory; none for the file whose header this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Frame {
    /// A plain array.
    pub fn array() -> Self {
        let place = Place { path: Path::default(), separator: ",".into(), file: None };
        let pieces = vec![Piece::Text("[".into()), Piece::List(0), Piece::Text("]".into())];
        Self { form: Form::Array, pieces, lists: vec![place], quoted: false, exact: true }
    }

    /// The document. `elements` adds the elements of a list, with the separator between them.
    pub fn fill<E>(&self, mut elements: impl FnMut(&Place, &mut String) -> Result<(), E>) -> Result<String, E> {
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
        Ok(if self.quoted { quoted(&text) } else { text })
    }

    /// The text around the lists.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::List(_) => None,
        })
    }
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Adds texts with a separator between them.
pub fn join<'a>(text: &mut String, texts: impl Iterator<Item = &'a str>, separator: &str) {
    for (i, part) in texts.enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(part);
    }
}
