//! Memories among the records: search hits are unwrapped, and scores never reach a file (LRO-20).

use std::borrow::Cow;

use crate::members::Members;

/// A search hit `{"memory": {…}, "score": n}` taken apart.
#[derive(Debug, PartialEq)]
pub struct Hit<'a> {
    /// The memory's own bytes.
    pub memory: &'a str,
    /// Its score, if it is a number.
    pub score: Option<f64>,
}

/// Takes a search hit apart; `None` for anything else. A hit with further members stays whole, since unwrapping it would
/// lose them.
pub fn unwrap(record: &str) -> Option<Hit<'_>> {
    let members = Members::of(record)?;
    let memory = members.get("memory").filter(|memory| memory.starts_with('{'))?;
    let expected = members.0.iter().all(|(key, _)| key == "memory" || key == "score");
    let distinct = members.0.len() <= 2;
    (expected && distinct).then(|| Hit { memory, score: members.get("score").and_then(|score| score.parse().ok()) })
}

/// A memory without its top-level `score`, and that score. All other bytes stay as they are.
pub fn without_score(memory: &str) -> Option<(String, Option<f64>)> {
    let members = Members::of(memory)?;
    let score = members.get("score")?.parse().ok();
    let start = |text: &str| text.as_ptr() as usize - memory.as_ptr() as usize;
    let mut kept = String::with_capacity(memory.len());
    // Where the member under the hand begins: behind the brace, or behind the value before it.
    let mut begin = memory.find('{').expect("an object begins with a brace") + 1;
    kept.push_str(&memory[..begin]);
    // True while the comma in front of a member has nothing to its left any more.
    let mut orphaned = false;
    for (position, (key, value)) in members.0.iter().enumerate() {
        let end = start(value) + value.len();
        if key == "score" {
            orphaned |= position == 0;
        } else {
            let member = &memory[begin..end];
            kept.push_str(if orphaned { member.trim_start_matches([',', ' ', '\t', '\n', '\r']) } else { member });
            orphaned = false;
        }
        begin = end;
    }
    kept.push_str(&memory[begin..]);
    Some((kept, score))
}

/// A record as one line: raw newlines, which JSON allows between tokens, are taken out with the space around them.
pub fn on_one_line(record: &str) -> Cow<'_, str> {
    if !record.contains(['\n', '\r']) {
        return Cow::Borrowed(record);
    }
    let mut line = String::with_capacity(record.len());
    let (mut in_string, mut escaped) = (false, false);
    for character in record.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        line.push(character);
    }
    Cow::Owned(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_gives_the_memorys_bytes_and_the_score() {
        let hit = unwrap(r#"{"memory": {"id": 1.0}, "score": 0.5}"#).unwrap();
        assert_eq!(hit, Hit { memory: r#"{"id": 1.0}"#, score: Some(0.5) });
        for whole in [r#"{"memory":{},"score":1,"why":2}"#, r#"{"memory":"text"}"#, r#"{"id":1}"#, "3"] {
            assert_eq!(unwrap(whole), None, "{whole}");
        }
    }

    #[test]
    fn a_score_is_cut_out_and_nothing_else_moves() {
        let rows = [
            (r#"{"score":1}"#, "{}"),
            (r#"{"score": 1, "a" : 2.0}"#, r#"{"a" : 2.0}"#),
            (r#"{ "a":1 , "score":2 , "b":3 }"#, r#"{ "a":1 , "b":3 }"#),
            (r#"{"a":{"score":1},"score":2}"#, r#"{"a":{"score":1}}"#),
            (r#"{"score":1,"a":0,"score":2}"#, r#"{"a":0}"#),
        ];
        for (memory, kept) in rows {
            assert_eq!(without_score(memory).unwrap().0, kept, "{memory}");
        }
        assert_eq!(without_score(r#"{"a":1}"#), None);
        assert_eq!(without_score(r#"{"score":0.25}"#).unwrap().1, Some(0.25));
    }

    #[test]
    fn a_record_on_several_lines_becomes_one() {
        let rows = [
            ("{\n  \"a\": [1,\r\n 2.0]\n}", r#"{"a":[1,2.0]}"#),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("{\n\"a\\\" b\": \" \\\\\" }", r#"{"a\" b":" \\"}"#),
        ];
        for (record, line) in rows {
            assert_eq!(on_one_line(record), line);
        }
    }
}
