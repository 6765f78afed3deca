//! The two ends of a text.

use std::borrow::Cow;

use lro_query::json;

use super::graphemes::{close_head, close_tail};
use crate::offload::budget::{Budget, Meter, Unit};

/// The head gets this part of what is kept. The end of a log or an error says what went wrong, its beginning what
/// it is.
pub(super) const HEAD_PERCENT: u32 = 75;

/// An end is cut at the end of a line if no more than this part of it is lost: a quarter.
const LINE_PART: usize = 4;

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

impl Ends {
    /// The ends of passages that follow each other, which together fit a budget.
    pub fn of(passages: &[Passage<'_>], budget: Budget) -> Self {
        let for_head = share_of_head(budget.most);
        let mut head = BoundedText::new(budget.with(for_head));
        let mut tail = BoundedText::new(budget.with(budget.most - for_head));
        passages.iter().for_each(|passage| head.fill(passage.start(head.most_characters()).chars(), false));
        passages.iter().rev().for_each(|passage| {
            tail.fill(passage.end(tail.most_characters()).chars().rev(), true);
        });
        close_head(&mut head.text, head.next);
        close_tail(&mut tail.text, tail.next);
        let bytes = passages.iter().map(Passage::bytes).sum();
        let tail = tail.text.chars().rev().collect();
        Self { head: head.text, tail, bytes }.at_line_ends()
    }

    /// Returns the text between the ends: how much is missing, and who removed it.
    pub fn notice(&self) -> String {
        let kept = self.head.len() + self.tail.len();
        format!("… [lro cut {} of {} bytes here] …", self.bytes.saturating_sub(kept), self.bytes)
    }

    /// The same with what to do about it.
    pub fn advised_notice(&self, advice: Option<&str>) -> String {
        match (advice, self.notice().strip_suffix("] …")) {
            (Some(advice), Some(notice)) => format!("{notice}. {advice}] …"),
            _ => self.notice(),
        }
    }

    /// What a warning says of them.
    pub(super) fn told(&self) -> String {
        let Self { head, tail, bytes } = self;
        format!(
            "the result is truncated: of {bytes} bytes, lro kept the first {} and the last {}.",
            head.len(),
            tail.len()
        )
    }

    /// The ends without parts of lines, where little is lost.
    fn at_line_ends(mut self) -> Self {
        if let Some(end) = self.head.rfind('\n').filter(|end| self.head.len() - end <= self.head.len() / LINE_PART) {
            self.head.truncate(end + 1);
        }
        if let Some(end) = self.tail.find('\n').filter(|end| *end < self.tail.len() / LINE_PART) {
            self.tail.drain(..=end);
        }
        self
    }
}

/// What of a budget is for the head.
pub(super) fn share_of_head(most: u32) -> u32 {
    u32::try_from(u64::from(most) * u64::from(HEAD_PERCENT) / 100).unwrap_or(most)
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
    meter: Meter,
    budget: Budget,
    /// The first character that did not fit.
    next: Option<char>,
}

impl BoundedText {
    fn new(budget: Budget) -> Self {
        Self { text: String::new(), meter: budget.meter(), budget, next: None }
    }

    /// More characters than this never fit what is left: of the cheapest ones, ten make a token.
    fn most_characters(&self) -> usize {
        if self.next.is_some() {
            return 0;
        }
        let left = (self.budget.most - self.meter.used().min(self.budget.most)) as usize;
        // One more, which does not fit: it says whether a cluster is torn.
        let most = match self.budget.unit {
            Unit::Tokens(_) => left.saturating_mul(10),
            Unit::Bytes => left,
        };
        most.saturating_add(1)
    }

    /// Takes characters as they cost in a JSON string, from the end of a text backwards or from its beginning. What does
    /// not fit ends it.
    fn fill(&mut self, mut characters: impl Iterator<Item = char>, is_backwards: bool) {
        while self.next.is_none() {
            let run: Vec<char> = characters.by_ref().take(RUN_CHARACTERS).collect();
            let next = self.with(&run, is_backwards);
            if run.is_empty() {
                return;
            }
            if next.used() > self.budget.most {
                return run.iter().for_each(|character| self.take(*character));
            }
            self.meter = next;
            self.text.extend(run);
        }
    }

    /// Takes a character, unless it or one before it does not fit: the text would have a hole.
    fn take(&mut self, character: char) {
        let meter = self.with(&[character], false);
        if self.next.is_none() && meter.used() <= self.budget.most {
            self.meter = meter;
            self.text.push(character);
        } else {
            self.next = self.next.or(Some(character));
        }
    }

    /// The meter with a run of characters.
    fn with(&self, run: &[char], is_backwards: bool) -> Meter {
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
        let mut meter = self.meter;
        meter.add(&literal);
        meter
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_is_left_out_where_that_costs_a_quarter_at_most() {
        let rows = [
            // Of eight bytes, two are a quarter: the end of the line and what follows it.
            ("123456\n8", "123456\n"),
            ("12345\n78", "12345\n78"),
            ("12345678", "12345678"),
            ("1\n345\n7\n", "1\n345\n7\n"),
        ];
        for (head, expected) in rows {
            let ends = Ends { head: head.into(), tail: String::new(), bytes: 100 }.at_line_ends();
            assert_eq!(ends.head, expected, "{head:?}");
        }
        for (tail, expected) in [("1\n345678", "345678"), ("12\n45678", "12\n45678"), ("\n2\n45678", "2\n45678")] {
            let ends = Ends { head: String::new(), tail: tail.into(), bytes: 100 }.at_line_ends();
            assert_eq!(ends.tail, expected, "{tail:?}");
        }
    }
}
