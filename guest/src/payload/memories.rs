//! Memories: search hits are unwrapped, and scores never reach the records of a file (LRO-20). What is taken from them
//! goes into the header, so that the document can be rebuilt.

use std::borrow::Cow;
use std::sync::LazyLock;

use lro_query::json::Members;
use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

/// A longer number is not a score but data, and stays in its record.
const MOST_SCORE_BYTES: usize = 64;

/// What was taken from the records of a list, so that each can be made what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenScores {
    /// Each record came as a search hit, `{"memory": {…}, "score": n}`; otherwise as a memory with a `score` of its
    /// own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hits: bool,
    /// For each record the text of its score; null where it had none.
    pub scores: Vec<Option<String>>,
}

impl TakenScores {
    /// The scores as numbers.
    pub fn numbers(&self) -> impl Iterator<Item = f64> {
        self.scores.iter().flatten().filter_map(|score| score.parse().ok())
    }

    /// The record of this place as it came: equal JSON.
    pub fn put_back<'a>(&self, place: usize, record: &'a str) -> Cow<'a, str> {
        match (self.hits, self.scores.get(place).and_then(Option::as_deref)) {
            (true, Some(score)) => format!("{{\"memory\":{record},\"score\":{score}}}").into(),
            (true, None) => format!("{{\"memory\":{record}}}").into(),
            (false, Some(score)) => with_score(record, score).into(),
            (false, None) => record.into(),
        }
    }
}

/// Appends the score to the members of a memory.
fn with_score(record: &str, score: &str) -> String {
    let members = record.trim_end().strip_suffix('}').unwrap_or(record).trim_end();
    let comma = if members.ends_with('{') { "" } else { "," };
    format!("{members}{comma}\"score\":{score}}}")
}

/// Unwraps search hits and cuts scores out of memories; `None` if there are none. Hits are unwrapped where all
/// records are hits: a list of both is data of some other kind. Borrowed records are parts of `source`.
pub fn take_scores(texts: &mut [Cow<'_, str>], source: &str) -> Option<TakenScores> {
    let hits = !texts.is_empty() && texts.iter().all(|text| unwrap(text).is_some());
    let may_have_scores = hits || may_have_score(source);
    let take = |text: &mut Cow<'_, str>| match text {
        Cow::Borrowed(_) if !may_have_scores => None,
        _ if hits => take_hit(text),
        _ => take_score(text),
    };
    let scores: Vec<Option<String>> = texts.iter_mut().map(take).collect();
    (hits || scores.iter().any(Option::is_some)).then_some(TakenScores { hits, scores })
}

/// Leaves the memory of a search hit, and returns its score.
fn take_hit(text: &mut Cow<'_, str>) -> Option<String> {
    let Hit { memory, score } = unwrap(text)?;
    let score = score.map(str::to_owned);
    *text = narrowed(text, memory);
    score
}

/// Cuts the score out of a memory, and returns it.
fn take_score(text: &mut Cow<'_, str>) -> Option<String> {
    let (kept, score) = without_score(text)?;
    *text = kept.into();
    Some(score)
}

/// A part of a text that is borrowed where the text is.
fn narrowed<'a>(text: &Cow<'a, str>, part: &str) -> Cow<'a, str> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..start + part.len()]),
        Cow::Owned(_) => Cow::Owned(part.to_owned()),
    }
}

/// True for the text of a number that can be a score, or of null.
fn is_score(text: &str) -> bool {
    text == "null" || text.len() <= MOST_SCORE_BYTES && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A search hit `{"memory": {…}, "score": n}` taken apart.
#[derive(Debug, PartialEq)]
pub struct Hit<'a> {
    /// The memory's own bytes.
    pub memory: &'a str,
    /// Its score, as it is written.
    pub score: Option<&'a str>,
}

/// Takes a search hit apart; `None` for anything else. A hit with further members stays whole, since unwrapping it
/// would lose them, and so does one whose score is not a number.
fn unwrap(record: &str) -> Option<Hit<'_>> {
    let members = Members::of(record)?;
    let memory = members.get("memory").filter(|memory| memory.starts_with('{'))?;
    let score = members.get("score");
    let expected = members.0.len() == 1 + usize::from(score.is_some());
    (expected && score.is_none_or(is_score)).then_some(Hit { memory, score })
}

/// A memory without its top-level `score`, and that score. All other bytes stay as they are. `None` for a memory that
/// has no score, and for one with several or with one that is not a number: that is data.
fn without_score(memory: &str) -> Option<(String, String)> {
    if !may_have_score(memory) {
        return None;
    }
    let members = Members::of(memory)?;
    let mut places = members.0.iter().enumerate().filter(|(_, (key, _))| key == "score");
    let (place, (_, score)) = places.next()?;
    if places.next().is_some() || !is_score(score) {
        return None;
    }
    let start = |text: &str| text.as_ptr() as usize - memory.as_ptr() as usize;
    let end_of = |place: usize| start(members.0[place].1) + members.0[place].1.len();
    // From the brace or from the value before it to the end of the score; a comma behind the first member goes too.
    let begin = if place == 0 { memory.find('{')? + 1 } else { end_of(place - 1) };
    let rest = &memory[end_of(place)..];
    let rest = if place == 0 { rest.trim_start_matches([',', ' ', '\t', '\n', '\r']) } else { rest };
    Some((format!("{}{rest}", &memory[..begin]), (*score).to_owned()))
}

/// False for memories that certainly have no score: neither its key nor an escape that could be a part of it. Most have
/// none, and a search is ten times as fast as taking them apart.
fn may_have_score(memories: &str) -> bool {
    static KEY: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\"score\""));
    static ESCAPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("\\u00"));
    let bytes = memories.as_bytes();
    // The letters of the key are 63 to 73.
    let is_letter = |start: usize| matches!(bytes.get(start + 4), Some(b'6' | b'7'));
    KEY.find(bytes).is_some() || ESCAPE.find_iter(bytes).any(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of records, and what they are when it is put back.
    fn taken_and_put_back(records: &[&str]) -> (Vec<String>, Vec<String>) {
        let source = records.join("\n");
        let mut texts: Vec<Cow<'_, str>> = source.lines().map(Cow::Borrowed).collect();
        let taken = take_scores(&mut texts, &source);
        let left: Vec<String> = texts.into_iter().map(Cow::into_owned).collect();
        let put_back = |(place, text): (usize, &String)| match &taken {
            Some(taken) => taken.put_back(place, text).into_owned(),
            None => text.clone(),
        };
        let back = left.iter().enumerate().map(put_back).collect();
        (left, back)
    }

    #[test]
    fn hits_are_unwrapped_where_all_records_are_hits() {
        let hits = [r#"{"memory": {"id": 1.0}, "score": 0.50}"#, r#"{"memory":{"id":2}}"#];
        let (left, back) = taken_and_put_back(&hits);
        assert_eq!(left, [r#"{"id": 1.0}"#, r#"{"id":2}"#]);
        assert_eq!(back, [r#"{"memory":{"id": 1.0},"score":0.50}"#, r#"{"memory":{"id":2}}"#]);
        for other in [r#"{"memory":{},"score":1,"why":2}"#, r#"{"memory":"text"}"#, r#"{"id":1}"#, "3"] {
            let (left, _) = taken_and_put_back(&[hits[1], other]);
            assert_eq!(left[0], hits[1], "{other}");
        }
    }

    #[test]
    fn a_score_is_cut_out_and_nothing_else_moves() {
        let rows = [
            (r#"{"score":1}"#, "{}"),
            (r#"{"a":1,"score":null}"#, r#"{"a":1}"#),
            (r#"{"score": 1, "a" : 2.0}"#, r#"{"a" : 2.0}"#),
            (r#"{ "a":1 , "score":2 , "b":3 }"#, r#"{ "a":1 , "b":3 }"#),
            (r#"{ "a":1 , "score":2 }"#, r#"{ "a":1 }"#),
            (r#"{"a":{"score":1},"score":2}"#, r#"{"a":{"score":1}}"#),
            (r#"{"a":1,"\u0073core":2}"#, r#"{"a":1}"#),
        ];
        for (memory, expected) in rows {
            let (left, back) = taken_and_put_back(&[memory]);
            assert_eq!(left, [expected]);
            let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(json(&back[0]), json(memory));
        }
    }

    #[test]
    fn what_is_not_one_number_is_not_a_score() {
        let long = format!(r#"{{"score":{}}}"#, "1".repeat(99));
        for memory in
            [r#"{"a":1}"#, r#"{"score":"high"}"#, r#"{"score":1e999}"#, r#"{"score":1,"a":0,"score":2}"#, &long, "[]"]
        {
            let (left, _) = taken_and_put_back(&[memory]);
            assert_eq!(left, [memory]);
        }
    }
}
