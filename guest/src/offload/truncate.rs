//! Renders what replaces a large result that cannot be stored: whole records from the front, or the two ends of a
//! text, and what cut it (LRO-38, LRO-39, decision 11).

use std::borrow::Cow;

use lro_query::json::{self, cut, quote};
use serde_json::Value;

use crate::payload;
use crate::payload::frame::Form;
use crate::payload::path::Path;
use crate::payload::shown;
use crate::settings::tokens::{Tally, Tokenizer};

/// The head gets this part of what is kept. The end of a log or an error says what went wrong, its beginning what
/// it is.
const HEAD_PERCENT: u32 = 75;

/// At most this many characters of a reason are quoted: it may contain text of others.
const REASON_CHARACTERS: usize = 300;

/// Ends of fewer tokens say nothing.
const LEAST_TOKENS: u32 = 16;

/// Text in a message.
#[derive(Debug, Clone, Copy)]
pub enum Passage<'a> {
    /// As it is.
    Plain(&'a str),
    /// The text of a JSON string, quotes included. Only its ends are decoded.
    Literal(&'a str),
}

/// The two ends of a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Ends {
    /// Its first characters.
    pub head: String,
    /// Its last characters.
    pub tail: String,
    /// Bytes of the whole.
    pub bytes: usize,
}

/// Renders the truncated answer of a failed write: as many whole records from the front as fit the budget, or the ends
/// of the first one where not even that fits.
pub fn records<S: AsRef<str>>(
    records: &[S],
    tokenizer: Tokenizer,
    budget: u32,
    reason: &str,
    of: Option<&Path>,
) -> String {
    match (fitting(records, tokenizer, budget), records) {
        ([], [first, ..]) if budget >= LEAST_TOKENS => {
            let ends = Ends::of(&[Passage::Plain(first.as_ref())], tokenizer, budget);
            render_ends(&ends, records.len(), &failed(reason))
        }
        (kept, _) => render(kept, records.len(), reason, of),
    }
}

/// Whole records from the front whose tokens fit a budget.
fn fitting<S: AsRef<str>>(records: &[S], tokenizer: Tokenizer, budget: u32) -> &[S] {
    let mut tally = Tally::new(tokenizer);
    let too_many = |record: &S| {
        tally.add(record.as_ref());
        tally.tokens() > budget
    };
    let end = records.iter().position(too_many).unwrap_or(records.len());
    &records[..end]
}

/// The truncated answer with whole records. The reason is that of the failed write; `of` is the list of a document that
/// the records were in.
fn render<S: AsRef<str>>(kept: &[S], total: usize, reason: &str, of: Option<&Path>) -> String {
    let of = of.map(|path| format!(" of {}, without the rest of the document", shown::path(path)));
    let of = of.unwrap_or_default();
    let warning = format!("{}; the results are truncated to {} of {total}{of}.", failed(reason), kept.len());
    answer(&warning, &payload::write(Form::Array, kept), kept.len(), total)
}

/// What a warning begins with where offloading has failed (LRO-39).
pub fn failed(reason: &str) -> String {
    format!("Offloading failed ({})", cut(reason, REASON_CHARACTERS))
}

/// The truncated answer with the ends of a text, where not even one whole record can be kept. `cause` says why.
pub fn render_ends(ends: &Ends, total: usize, cause: &str) -> String {
    let results = [&ends.head, &ends.notice(), &ends.tail].map(|text| Value::from(text.as_str()).to_string());
    json::escape_hidden(answer(&ends.warning(cause), &payload::write(Form::Array, &results), 0, total))
}

fn answer(warning: &str, results: &str, returned: usize, total: usize) -> String {
    // Records keep their bytes, also here.
    let warning = json::escape_hidden(quote(warning));
    format!(r#"{{"offloaded":false,"warning":{warning},"results":{results},"returned":{returned},"total":{total}}}"#)
}

impl Ends {
    /// The ends of passages that follow each other, which together fit a budget.
    pub fn of(passages: &[Passage<'_>], tokenizer: Tokenizer, budget: u32) -> Self {
        let for_head = u32::try_from(u64::from(budget) * u64::from(HEAD_PERCENT) / 100).unwrap_or(budget);
        let mut head = BoundedText::new(tokenizer, for_head);
        let mut tail = BoundedText::new(tokenizer, budget - for_head);
        passages.iter().for_each(|passage| head.fill(passage.start(head.most_characters()).chars(), false));
        passages.iter().rev().for_each(|passage| {
            tail.fill(passage.end(tail.most_characters()).chars().rev(), true);
        });
        let bytes = passages.iter().map(Passage::bytes).sum();
        Self { head: head.text, tail: tail.text.chars().rev().collect(), bytes }
    }

    /// Returns the text between the ends: how much is missing, and who removed it.
    pub fn notice(&self) -> String {
        let kept = self.head.len() + self.tail.len();
        format!("… [lro cut {} of {} bytes here] …", self.bytes.saturating_sub(kept), self.bytes)
    }

    fn warning(&self, cause: &str) -> String {
        format!(
            "{cause}; the result is truncated: of {} bytes, lro kept the first {} and the last {}.",
            self.bytes,
            self.head.len(),
            self.tail.len()
        )
    }
}

impl Passage<'_> {
    fn bytes(&self) -> usize {
        match self {
            Self::Plain(text) => text.len(),
            Self::Literal(literal) => literal.len().saturating_sub(2),
        }
    }

    /// Returns its beginning, with at least `characters` characters if it has them.
    fn start(&self, characters: usize) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => text[..text.floor_char_boundary(characters.saturating_mul(4))].into(),
            Self::Literal(literal) => json::start_of_literal(literal, characters).into(),
        }
    }

    /// Returns its end, with at least `characters` characters if it has them.
    fn end(&self, characters: usize) -> Cow<'_, str> {
        match self {
            Self::Plain(text) => {
                let from = text.len().saturating_sub(characters.saturating_mul(4));
                text[text.ceil_char_boundary(from)..].into()
            }
            Self::Literal(literal) => json::end_of_literal(literal, characters).into(),
        }
    }
}

/// So many characters are counted together: an exact tokenizer finds few of its tokens in single ones.
const RUN_CHARACTERS: usize = 64;

/// A text that grows until a budget is used up.
struct BoundedText {
    text: String,
    tally: Tally,
    budget: u32,
}

impl BoundedText {
    fn new(tokenizer: Tokenizer, budget: u32) -> Self {
        Self { text: String::new(), tally: Tally::new(tokenizer), budget }
    }

    /// More characters than this never fit what is left: of the cheapest ones, ten make a token.
    fn most_characters(&self) -> usize {
        10 * (self.budget - self.tally.tokens().min(self.budget)) as usize
    }

    /// Takes characters as they cost in a JSON string, from the end of a text backwards or from its beginning. What does
    /// not fit ends it.
    fn fill(&mut self, mut characters: impl Iterator<Item = char>, is_backwards: bool) {
        loop {
            let run: Vec<char> = characters.by_ref().take(RUN_CHARACTERS).collect();
            let next = self.with(&run, is_backwards);
            if run.is_empty() {
                return;
            }
            if next.tokens() > self.budget {
                return run.iter().for_each(|character| self.take(*character));
            }
            self.tally = next;
            self.text.extend(run);
        }
    }

    /// Takes a character, unless it or one before it does not fit: the text would have a hole.
    fn take(&mut self, character: char) {
        self.tally = self.with(&[character], false);
        if self.tally.tokens() <= self.budget {
            self.text.push(character);
        }
    }

    /// The tally with a run of characters.
    fn with(&self, run: &[char], is_backwards: bool) -> Tally {
        let mut literal = String::with_capacity(run.len());
        let mut write = |character: &char| match *character {
            '"' | '\\' => literal.push_str("\\\\"),
            '\n' | '\r' | '\t' => literal.push_str("\\n"),
            '\u{20}'.. => literal.push(*character),
            _ => literal.push_str("\\u0000"),
        };
        match is_backwards {
            true => run.iter().rev().for_each(&mut write),
            false => run.iter().for_each(&mut write),
        }
        let mut tally = self.tally;
        tally.add(&literal);
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(passages: &[Passage<'_>], budget: u32) -> Ends {
        Ends::of(passages, Tokenizer::Chars, budget)
    }

    #[test]
    fn whole_records_are_kept_from_the_front_while_they_fit() {
        let records = ["12345678", "1234", "1", "1"];
        let rows = [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (9, 4)];
        for (budget, kept) in rows {
            assert_eq!(fitting(&records, Tokenizer::Chars, budget).len(), kept, "{budget}");
        }
    }

    #[test]
    fn the_answer_says_what_is_missing_and_why() {
        let text = render(&[r#"{"id": 1.0}"#], 3, "no space left", None);
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["offloaded"], false);
        assert_eq!(value["warning"], "Offloading failed (no space left); the results are truncated to 1 of 3.");
        assert_eq!((&value["returned"], &value["total"]), (&1.into(), &3.into()));
        assert!(text.contains(r#""results":[{"id": 1.0}]"#), "{text}");
        let path = Path::parse(".items").unwrap();
        assert!(
            render::<&str>(&[], 3, "x", Some(&path)).contains("0 of 3 of .items, without the rest of the document")
        );
        let long = Path::parse(&format!(".{}", "k".repeat(1_000_000))).unwrap();
        assert!(render::<&str>(&[], 3, &"r".repeat(1_000_000), Some(&long)).len() < 600);
    }

    #[test]
    fn the_ends_of_a_text_fit_the_budget() {
        let text: String = (0..1000).map(|n| format!("{n:04}")).collect();
        let ends = chars(&[Passage::Plain(&text)], 8);
        assert_eq!((ends.head.as_str(), ends.tail.as_str()), ("000000010002000300040005", "09980999"));
        assert_eq!(ends.notice(), "… [lro cut 3968 of 4000 bytes here] …");
        let answer = render_ends(&ends, 1, &failed("too slow"));
        let value: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(value["results"], serde_json::json!([ends.head, ends.notice(), ends.tail]));
        assert!(
            value["warning"]
                .as_str()
                .unwrap()
                .starts_with("Offloading failed (too slow); the result is truncated: of 4000 bytes")
        );
    }

    #[test]
    fn passages_follow_each_other() {
        let passages = [Passage::Plain("ab"), Passage::Literal(r#""c\"d""#), Passage::Plain("ef")];
        let ends = chars(&passages, 4);
        assert_eq!((ends.head.as_str(), ends.tail.as_str()), ("abc\"def", "d\"ef".trim_start_matches("d\"")));
    }

    #[test]
    fn escapes_are_not_torn() {
        let literal = format!("\"{}\"", r"\u00e9\\\n😀\ud800".repeat(200));
        for budget in 1..60 {
            let ends = chars(&[Passage::Literal(&literal)], budget);
            for text in [&ends.head, &ends.tail] {
                assert!(text.chars().all(|c| "é\\\n😀\u{fffd}0123456789abcdefu".contains(c)), "{text}");
            }
            assert!(ends.head.starts_with("é\\\n😀"[..].get(..2).unwrap_or_default()) || ends.head.is_empty());
        }
    }

    #[test]
    fn control_characters_cost_what_they_are_written_with() {
        let text = "\u{1}".repeat(1000);
        let ends = chars(&[Passage::Plain(&text)], 12);
        assert_eq!((ends.head.len(), ends.tail.len()), (6, 2));
    }
}
