//! Renders what replaces a large result that is not stored: whole records from its head and its tail, or the two ends of
//! a text, and between them what was cut and by whom (LRO-38, LRO-39, GATE-17).

mod ends;
mod graphemes;
mod whole;

use std::borrow::Cow;

use lro_query::json::{self, Members, cut, quote};
use serde_json::Value;

use self::whole::Kept;
use crate::offload::budget::{Budget, Meter};
use crate::offload::contents::{Contents, Lists};
use crate::offload::inline;
use crate::payload::frame::Form;
use crate::payload::shown;

pub use ends::{Ends, Passage};

/// What a model can do about a result that is gone: nothing can be read back.
pub const ADVICE: &str =
    "Nothing is stored: to see more, ask the tool for less at a time, with a filter, a limit or a page.";

/// At most this many characters of a reason are quoted: it may contain text of others.
const REASON_CHARACTERS: usize = 300;

/// Ends of fewer tokens say nothing.
const LEAST_TOKENS: u32 = 16;

/// Members outside the lists get this part of what is kept: a quarter.
const INLINE_PART: u32 = 4;

/// An answer that is too long is made again with less: records are counted one by one, and their sum may be less than
/// what an exact tokenizer makes of the whole.
const MOST_TRIES: u32 = 4;

/// Why a result is truncated, and to what.
#[derive(Debug, Clone, Copy)]
pub struct Truncation<'a> {
    /// What the warning begins with.
    pub cause: &'a str,
    /// What the warning ends with.
    pub advice: Option<&'a str>,
    /// The most that may be kept.
    pub budget: Budget,
    /// The budget is for the whole answer, and not for the records alone.
    pub is_for_all: bool,
}

/// What a warning begins with where offloading has failed (LRO-39).
pub fn failed(reason: &str) -> String {
    format!("Offloading failed ({})", cut(reason, REASON_CHARACTERS))
}

/// The truncated answer with the ends of a text, where not even one whole record can be kept. `cause` says why.
pub fn render_ends(ends: &Ends, total: usize, cause: &str, advice: Option<&str>) -> String {
    let results = [&ends.head, &ends.notice(), &ends.tail].map(|text| Value::from(text.as_str()).to_string());
    let warning = advised(format!("{cause}; {}", ends.told()), advice);
    json::escape_hidden(Answer { warning: &warning, inline: None, results: &results, returned: 0, total }.render())
}

/// True for a truncated answer, which is not truncated again. What a text says about itself never makes it pass: the
/// caller bounds its length.
pub fn is_answer(text: &str) -> bool {
    let text = text.trim();
    if !text.starts_with("{\"offloaded\":false,\"warning\":\"") || !json::is_json(text) {
        return false;
    }
    let members = Members::of(text).unwrap_or_default();
    let keys = members.0.iter().map(|(key, _)| key.as_ref()).filter(|key| *key != "inline");
    keys.eq(["offloaded", "warning", "results", "returned", "total"])
}

impl Truncation<'_> {
    /// Renders the truncated answer of a result.
    pub fn of(&self, contents: &Contents<'_>) -> String {
        match contents {
            // Records that were made of a text are longer than its lines.
            Contents::Lists(Lists { original: Some(text), frame, .. }) if frame.notation.is_some() => {
                self.of_text(text, None)
            }
            Contents::Lists(lists) => self.of_lists(lists),
            Contents::Text(text) => self.of_text(text.text, text.inline.as_deref()),
        }
    }

    fn of_lists(&self, lists: &Lists<'_>) -> String {
        let records: Vec<Cow<'_, str>> = lists.main().texts.iter().collect();
        let records: Vec<&str> = records.iter().map(AsRef::as_ref).collect();
        let is_member = lists.frame.form == Form::Object;
        let place = if is_member { shown::path(&lists.main().path) } else { String::new() };
        let beside = Beside { place, inline: lists.inline.as_deref(), has_more_lists: lists.lists.len() > 1 };
        self.fitted(&Sequence { items: &records, is_text: false, beside })
    }

    fn of_text(&self, text: &str, inline: Option<&str>) -> String {
        let lines: Vec<&str> = text.lines().collect();
        let beside = Beside { inline, ..Beside::default() };
        self.fitted(&Sequence { items: &lines, is_text: true, beside })
    }

    /// The answer within its budget, as far as there is room for the frame at all.
    fn fitted(&self, sequence: &Sequence<'_>) -> String {
        if !self.is_for_all {
            return self.rendered(sequence, self.budget);
        }
        let frame = self.budget.measure(&self.frame(sequence));
        let least = self.budget.amount_of_tokens(LEAST_TOKENS);
        let Some(mut left) = self.budget.most.checked_sub(frame).filter(|left| *left >= least) else {
            return self.rendered(sequence, self.budget);
        };
        let mut text = String::new();
        for _ in 0..MOST_TRIES {
            text = self.rendered(sequence, self.budget.with(left));
            let over = self.budget.measure(&text).saturating_sub(self.budget.most);
            if over == 0 || left == 0 {
                break;
            }
            left = left.saturating_sub(over);
        }
        text
    }

    /// The longest frame that an answer may have: its numbers are as long as those of the whole.
    fn frame(&self, sequence: &Sequence<'_>) -> String {
        let total = sequence.items.len();
        let results = [quote(&sequence.notice(Kept::default()))];
        let warning = self.warning(sequence, total, true);
        Answer { warning: &warning, inline: Some(""), results: &results, returned: total, total }.render()
    }

    fn rendered(&self, sequence: &Sequence<'_>, budget: Budget) -> String {
        let beside = sequence.beside.bounded(budget);
        let used = beside.as_ref().map_or(0, |(text, _)| budget.measure(text));
        let is_rest_left = sequence.beside.has_more_lists || beside.as_ref().is_some_and(|(_, is_cut)| *is_cut);
        let is_rest_left = is_rest_left || (beside.is_none() && sequence.beside.members().is_some());
        let budget = budget.with(budget.most - used);
        let kept = Kept::of(sequence.items, budget, |meter, item| self.add(sequence, meter, item));
        if kept.count() == 0 && !sequence.items.is_empty() && budget.most >= budget.amount_of_tokens(LEAST_TOKENS) {
            let passages: Vec<Passage<'_>> = sequence.items.iter().map(|item| Passage::Plain(item)).collect();
            return render_ends(&Ends::of(&passages, budget), sequence.items.len(), self.cause, self.advice);
        }
        let warning = self.warning(sequence, kept.count(), is_rest_left);
        let (returned, total) = (kept.count(), sequence.items.len());
        let inline = beside.as_ref().map(|(text, _)| text.as_str());
        Answer { warning: &warning, inline, results: &sequence.results(kept), returned, total }.render()
    }

    /// Adds what an item costs, with its comma where the whole answer counts.
    fn add(&self, sequence: &Sequence<'_>, meter: &mut Meter, item: &str) {
        if sequence.is_text {
            meter.add(&quote(item))
        } else {
            meter.add(item)
        }
        if self.is_for_all {
            meter.add(",");
        }
    }

    fn warning(&self, sequence: &Sequence<'_>, kept: usize, is_rest_left: bool) -> String {
        let Beside { place, .. } = &sequence.beside;
        let of = if place.is_empty() { String::new() } else { format!(" of {place}") };
        let rest = if is_rest_left { ", without the rest of the document" } else { "" };
        let total = sequence.items.len();
        advised(format!("{}; the results are truncated to {kept} of {total}{of}{rest}.", self.cause), self.advice)
    }
}

fn advised(warning: String, advice: Option<&str>) -> String {
    match advice {
        Some(advice) => format!("{warning} {advice}"),
        None => warning,
    }
}

/// What is truncated: records, or lines of a text.
struct Sequence<'a> {
    items: &'a [&'a str],
    /// They are lines, and not JSON.
    is_text: bool,
    beside: Beside<'a>,
}

/// What a document has besides its largest list.
#[derive(Default)]
struct Beside<'a> {
    /// Where that list is; empty where it is the whole document.
    place: String,
    /// Its other members.
    inline: Option<&'a str>,
    /// There are other lists.
    has_more_lists: bool,
}

impl Beside<'_> {
    /// The other members, if there are any.
    fn members(&self) -> Option<&str> {
        self.inline.filter(|inline| *inline != "{}")
    }

    /// The same, whole or shortened, if they fit their part of a budget; and whether something is missing.
    fn bounded(&self, budget: Budget) -> Option<(String, bool)> {
        let inline = self.members()?;
        let most = budget.most / INLINE_PART;
        let bytes = budget.with(most).bytes();
        let (text, is_cut) = inline::bounded(inline, bytes);
        let has_room = |text: &String| budget.measure(text) <= most;
        match has_room(&text) {
            true => Some((text, is_cut)),
            // Keys of many members need more than what their values are cut to.
            false => Some((inline::outlined(inline, bytes), true)).filter(|(text, _)| has_room(text)),
        }
    }
}

impl Sequence<'_> {
    /// The text between head and tail: how much is missing, and who removed it.
    fn notice(&self, kept: Kept) -> String {
        let total = self.items.len();
        let gone = &self.items[kept.head..total - kept.tail];
        let bytes: usize = gone.iter().map(|item| item.len()).sum();
        let what = if self.is_text { "lines" } else { "records" };
        format!("… [lro cut {} of {total} {what} here, {bytes} bytes] …", gone.len())
    }

    /// The records of both ends, with the notice between them.
    fn results(&self, kept: Kept) -> Vec<String> {
        let (head, rest) = self.items.split_at(kept.head);
        let tail = &rest[rest.len() - kept.tail..];
        let written = |item: &&str| if self.is_text { quote(item) } else { (*item).to_owned() };
        let is_cut = kept.count() > 0 && kept.count() < self.items.len();
        let notice = is_cut.then(|| quote(&self.notice(kept)));
        head.iter().map(written).chain(notice).chain(tail.iter().map(written)).collect()
    }
}

/// The truncated answer.
struct Answer<'a> {
    warning: &'a str,
    inline: Option<&'a str>,
    results: &'a [String],
    returned: usize,
    total: usize,
}

impl Answer<'_> {
    fn render(&self) -> String {
        let Self { returned, total, .. } = self;
        // Records keep their bytes, also here.
        let warning = json::escape_hidden(quote(self.warning));
        let inline = self.inline.map(|text| format!(r#""inline":{text},"#)).unwrap_or_default();
        let results = self.results.join(",");
        format!(
            r#"{{"offloaded":false,"warning":{warning},{inline}"results":[{results}],"returned":{returned},"total":{total}}}"#
        )
    }
}

#[cfg(test)]
mod tests;
