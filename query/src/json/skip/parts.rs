//! All that a text holds, at any depth, found in one pass: looking for the end of each value anew would take as many passes
//! as the text is deep.

use std::ops::Range;

use super::{Cursor, MANY_MEMBERS};

/// The values in a text that has been skipped, each before what is in it: the text itself is the first one.
///
/// `None` where an object has a key twice, or so many keys that nobody has looked.
pub(crate) fn parts(text: &[u8]) -> Option<Parts> {
    let mut parts = Parts::default();
    walk(text, &mut parts).map(|()| parts)
}

/// True when no object in this text, which has been skipped, has a key twice, as far as that can be seen.
pub(crate) fn has_unique_keys(text: &[u8]) -> bool {
    // Nothing is nested in what has no brackets.
    !matches!(text.first(), Some(b'{' | b'[')) || walk(text, &mut Unwanted).is_some()
}

/// The values in a text.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Where each begins and ends.
    pub(crate) ranges: Vec<Range<u32>>,
    /// Some key has an escape in it.
    pub(crate) has_escaped_keys: bool,
}

/// Takes note of what is found.
trait Note {
    /// A value begins. Returns its number.
    fn begin(&mut self, at: u32) -> u32;
    /// The value of this number ends.
    fn end(&mut self, number: u32, at: u32);
    /// An object has this key.
    fn key(&mut self, key: &[u8]);
}

struct Unwanted;

impl Note for Unwanted {
    fn begin(&mut self, _: u32) -> u32 {
        0
    }

    fn end(&mut self, _: u32, _: u32) {}

    fn key(&mut self, _: &[u8]) {}
}

impl Note for Parts {
    fn begin(&mut self, at: u32) -> u32 {
        self.ranges.push(at..at);
        u32::try_from(self.ranges.len() - 1).unwrap_or(u32::MAX)
    }

    fn end(&mut self, number: u32, at: u32) {
        self.ranges[number as usize].end = at;
    }

    fn key(&mut self, key: &[u8]) {
        self.has_escaped_keys |= key.contains(&b'\\');
    }
}

/// An array or object that has not ended yet.
struct Open {
    number: u32,
    is_object: bool,
    /// Its keys are those from this place on.
    keys: usize,
}

fn walk<'a>(text: &'a [u8], note: &mut impl Note) -> Option<()> {
    let mut cursor = Cursor::new(text);
    let (mut open, mut keys): (Vec<Open>, Vec<&'a [u8]>) = (Vec::new(), Vec::new());
    'value: loop {
        let number = note.begin(cursor.place().ok()?);
        match cursor.peek()? {
            bracket @ (b'{' | b'[') => {
                cursor.at += 1;
                cursor.space();
                // Both brackets close two places after they open.
                if !cursor.eat(bracket + 2) {
                    let is_object = bracket == b'{';
                    open.push(Open { number, is_object, keys: keys.len() });
                    if is_object {
                        keys.push(next_key(&mut cursor, &[], note)?);
                    }
                    continue;
                }
            }
            _ => cursor.value(0).ok()?,
        }
        note.end(number, cursor.place().ok()?);
        loop {
            let Some(Open { number, is_object, keys: first }) = open.last() else { return Some(()) };
            cursor.space();
            if cursor.next().ok()? == b',' {
                cursor.space();
                if *is_object {
                    let key = next_key(&mut cursor, &keys[*first..], note)?;
                    keys.push(key);
                }
                continue 'value;
            }
            note.end(*number, cursor.place().ok()?);
            keys.truncate(*first);
            open.pop();
        }
    }
}

/// A key, unless it is one of those that were seen already.
fn next_key<'a>(cursor: &mut Cursor<'a>, seen: &[&[u8]], note: &mut impl Note) -> Option<&'a [u8]> {
    let start = cursor.at + 1;
    let bytes = cursor.key().ok()? as usize;
    let key = &cursor.text[start..start + bytes];
    note.key(key);
    (seen.len() < MANY_MEMBERS && !seen.contains(&key)).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_comes_before_what_is_in_it() {
        let text = br#"{"a" : [1, {"b":"]"}, []] , "c":{} ,"d":true}"#;
        let parts = parts(text).unwrap();
        let texts = parts.ranges.iter().map(|part| &text[part.start as usize..part.end as usize]);
        let expected: [&[u8]; 8] =
            [text, br#"[1, {"b":"]"}, []]"#, b"1", br#"{"b":"]"}"#, br#""]""#, b"[]", b"{}", b"true"];
        assert!(texts.eq(expected) && !parts.has_escaped_keys);
        assert!(super::parts(br#"[{"\n":1}]"#).unwrap().has_escaped_keys);
        assert_eq!(super::parts(b"7").unwrap().ranges.len(), 1);
    }

    #[test]
    fn nested_keys_that_stand_twice_are_seen() {
        assert!(has_unique_keys(br#"{"a":[{"b":1},{"b":2}],"c":{"a":{"c":1}}}"#));
        assert!(!has_unique_keys(br#"{"a":[{"b":1,"c":2,"b":3}]}"#));
        assert!(!has_unique_keys(br#"{"a":{"b":1},"a":2}"#));
        let wide =
            |count: usize| format!("[{{{}}}]", (0..count).map(|n| format!("\"k{n}\":1")).collect::<Vec<_>>().join(","));
        assert!(has_unique_keys(wide(MANY_MEMBERS).as_bytes()) && !has_unique_keys(wide(MANY_MEMBERS + 1).as_bytes()));
    }
}
