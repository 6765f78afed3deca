//! The lists of a JSON document: which of its arrays and maps are records.

use std::borrow::Cow;

use lro_query::json::{Scan, elements, unquote};

use crate::payload::keyed::{self, Look};
use crate::payload::path::Path;

/// Lists are looked for this deep in a document.
const DEEPEST: usize = 8;

/// A list of records in a document.
#[derive(Debug)]
pub struct List<'a> {
    /// Where it is.
    pub path: Path,
    /// All of it, as in the document.
    pub text: &'a str,
    /// It is an object, whose members are the records.
    pub keyed: bool,
}

impl<'a> List<'a> {
    /// The text of each record.
    pub fn records(&self) -> Vec<Cow<'a, str>> {
        if self.keyed { keyed::records(self.text) } else { elements(self.text) }
    }
}

/// The list at a path of an object: an array that is not empty, or a map.
pub fn at<'a>(object: &'a str, path: &Path) -> Option<List<'a>> {
    let text = value_at(object, path)?;
    let keyed = text.starts_with('{') && !path.0.is_empty();
    (keyed || is_list(text)).then(|| List { path: path.clone(), text, keyed })
}

/// The value at a path of an object; of keys that occur twice the last one counts.
pub fn value_at<'a>(object: &'a str, path: &Path) -> Option<&'a str> {
    path.0.iter().try_fold(object, |value, wanted| {
        let mut found = None;
        let mut scan = Scan::of(value);
        if scan.peek() == b'{' {
            scan.members(|scan, key| {
                let value = scan.value();
                if unquote(key) == *wanted {
                    found = Some(value);
                }
            });
        }
        found
    })
}

fn is_list(value: &str) -> bool {
    value.starts_with('[') && !value[1..].trim_start().starts_with(']')
}

/// Finds the lists of an object that have at least `least` bytes, in order.
pub fn find<'a>(object: &'a str, path: &Path, least: usize, look: Look, lists: &mut Vec<List<'a>>) {
    if keyed::is_map(object, look) {
        lists.push(List { path: path.clone(), text: object, keyed: true });
        return;
    }
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        if value.len() < least {
        } else if is_list(value) {
            lists.push(List { path: path.then(&unquote(key)), text: value, keyed: false });
        } else if value.starts_with('{') && path.0.len() < DEEPEST {
            find(value, &path.then(&unquote(key)), least, look, lists);
        }
    });
}
