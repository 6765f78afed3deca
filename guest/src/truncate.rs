//! What is answered when the file cannot be written (LRO-38, LRO-39, decision 11).

use crate::frame::Form;
use crate::path::Path;
use crate::payload;
use crate::shown;
use crate::tokens::{Tally, Tokenizer};

/// Whole records from the front whose tokens fit a budget.
pub fn fitting<S: AsRef<str>>(records: &[S], tokenizer: Tokenizer, budget: u32) -> &[S] {
    let mut tally = Tally::new(tokenizer);
    let too_many = |record: &S| {
        tally.add(record.as_ref());
        tally.tokens() > budget
    };
    let end = records.iter().position(too_many).unwrap_or(records.len());
    &records[..end]
}

/// The truncated answer. The reason is that of the failed write; `of` is the list of a document that the records were in.
pub fn render<S: AsRef<str>>(kept: &[S], total: usize, reason: &str, of: Option<&Path>) -> String {
    let of = of.map(|path| format!(" of {}, and what stands beside it is left out", shown::path(path)));
    let of = of.unwrap_or_default();
    let warning = format!("Offloading failed ({reason}); the results are truncated to {} of {total}{of}.", kept.len());
    format!(
        r#"{{"offloaded":false,"warning":{},"results":{},"returned":{},"total":{total}}}"#,
        serde_json::Value::from(warning),
        payload::write(Form::Array, kept),
        kept.len(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_records_are_kept_from_the_front_while_they_fit() {
        let records = ["12345678", "1234", "1", "1"];
        let rows = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (9, 4)];
        for (budget, kept) in rows {
            assert_eq!(fitting(&records, Tokenizer::Chars, budget).len(), kept, "{budget}");
        }
    }

    #[test]
    fn the_answer_is_one_json_document_and_says_what_is_missing() {
        let text = render(&[r#"{"a":1.0}"#], 3, "cannot write `x`: disk \"full\"", None);
        assert!(text.contains(r#""results":[{"a":1.0}],"returned":1,"total":3}"#), "{text}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["offloaded"], false);
        assert!(value["warning"].as_str().unwrap().contains("truncated to 1 of 3"));
    }
}
