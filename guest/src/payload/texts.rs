//! The texts of the records of a list.

use std::borrow::Cow;

use crate::payload::notation::Table;

/// The texts of records. Rows of a table stay what they are until somebody asks for them: as records they are several
/// times as large, because each has the names of all columns.
#[derive(Debug, Default)]
pub struct Texts<'a> {
    /// Texts of records, or parts of a table's text.
    held: Vec<Cow<'a, str>>,
    /// What the borrowed ones are rows of.
    table: Option<Box<Table>>,
}

impl<'a> Texts<'a> {
    /// Records of which those that are borrowed are rows of this table.
    pub fn of_table(held: Vec<Cow<'a, str>>, table: Table) -> Self {
        Self { held, table: Some(Box::new(table)) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// True if they are rows of a table, which are made records each time that somebody asks for them.
    pub fn are_rows(&self) -> bool {
        self.table.is_some()
    }

    /// Bytes that are held for them.
    pub fn bytes(&self) -> usize {
        self.held.iter().map(|text| text.len()).sum()
    }

    /// The record at this place, which must be there.
    pub fn at(&self, place: usize) -> Cow<'_, str> {
        match (&self.held[place], &self.table) {
            (Cow::Borrowed(row), Some(table)) => table.record(row).into(),
            (text, _) => Cow::Borrowed(text),
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, str>> + Clone {
        (0..self.len()).map(|place| self.at(place))
    }

    /// All of them to be changed. Rows become records first.
    pub fn records(&mut self) -> &mut Vec<Cow<'a, str>> {
        if let Some(table) = self.table.take() {
            for text in &mut self.held {
                if let Cow::Borrowed(row) = text {
                    *text = table.record(row).into();
                }
            }
        }
        &mut self.held
    }
}

impl<'a> From<Vec<Cow<'a, str>>> for Texts<'a> {
    fn from(held: Vec<Cow<'a, str>>) -> Self {
        Self { held, table: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::{self, Reading};

    #[test]
    fn a_row_is_a_part_of_its_text_and_the_same_record_however_it_is_asked_for() {
        // Records of a small table are made once.
        let long = "x".repeat(16 << 20);
        let first = "id,note\n1,plain\n2,\"in \"\"quotes\"\"\"\n\n3,\"two\nlines\"\nno row\n4,\r\n";
        let text = format!("{first}5,{long}\n6,a\\b\tand more than sixteen bytes\n7,\"open\n\n");
        let Some(Reading::Records { records: mut texts, .. }) = notation::read(&text, None) else { panic!("no table") };
        let expected = [
            r#"{"id":1,"note":"plain"}"#,
            r#"{"id":2,"note":"in \"quotes\""}"#,
            r#"{"id":3,"note":"two\nlines"}"#,
            r#"{"line":7,"text":"no row"}"#,
            r#"{"id":4,"note":""}"#,
            &format!(r#"{{"id":5,"note":"{long}"}}"#),
            r#"{"id":6,"note":"a\\b\tand more than sixteen bytes"}"#,
            r#"{"id":7,"note":"open\n\n"}"#,
        ];
        assert!(texts.are_rows());
        let held = texts.held.iter().map(|text| matches!(text, Cow::Borrowed(_)));
        assert_eq!(held.collect::<Vec<_>>(), [true, true, true, false, true, true, true, true]);
        assert_eq!(texts.iter().collect::<Vec<_>>(), expected);
        assert_eq!((0..texts.len()).map(|place| texts.at(place)).collect::<Vec<_>>(), expected);
        assert_eq!(texts.records(), &expected);
        assert!(!texts.are_rows());
    }
}
