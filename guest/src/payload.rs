//! Records written down again in the form in which they came.

use crate::frame::Form;

/// Writes records: each on a line of its own for JSON Lines, as one array for anything else.
pub fn write<S: AsRef<str>>(form: Form, records: &[S]) -> String {
    let (open, separator, close) = if form == Form::Lines { ("", "\n", "\n") } else { ("[", ",", "]") };
    let bytes: usize = records.iter().map(|record| record.as_ref().len() + 1).sum();
    let mut text = String::with_capacity(bytes + 2);
    text.push_str(open);
    for (i, record) in records.iter().enumerate() {
        if i > 0 {
            text.push_str(separator);
        }
        text.push_str(record.as_ref());
    }
    text.push_str(close);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_written_in_the_form_they_came_in() {
        assert_eq!(write(Form::Array, &["1", "2"]), "[1,2]");
        assert_eq!(write(Form::Lines, &["1", "2"]), "1\n2\n");
    }
}
