//! What stands beside the lists of a document, in a response: whole where it is small, else shortened (SECTION-02).

use crate::memories::on_one_line;
use crate::scan::{Scan, unquoted};
use crate::text::cut;

/// More members are left out.
const MOST_MEMBERS: usize = 20;

/// A member with a longer key is left out: the key is data.
const KEY_BYTES: usize = 64;

/// Less room than this says nothing about a value.
const LEAST_BYTES: usize = 16;

/// An object's text in about so many bytes, and whether something is missing. Strings are cut, arrays told by their size.
pub fn bounded(object: &str, most: usize) -> (String, bool) {
    if object.len() <= most {
        return (on_one_line(object).into_owned(), false);
    }
    let mut count = 0;
    Scan::of(object).members(|scan, _| {
        scan.value();
        count += 1;
    });
    let share = (most / count.clamp(1, MOST_MEMBERS)).max(LEAST_BYTES);
    let (mut members, mut is_cut) = (Vec::new(), count > MOST_MEMBERS);
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        if key.len() > KEY_BYTES || members.len() == MOST_MEMBERS {
            is_cut = true;
            return;
        }
        let value = if value.len() <= share {
            on_one_line(value).into_owned()
        } else {
            is_cut = true;
            shortened(value, share)
        };
        members.push(format!("{key}:{value}"));
    });
    (format!("{{{}}}", members.join(",")), is_cut)
}

/// A value's text in about so many bytes.
pub fn shortened(value: &str, most: usize) -> String {
    match value.as_bytes().first() {
        Some(b'{') => bounded(value, most).0,
        Some(b'[') => {
            let mut count = 0;
            Scan::of(value).elements(|scan| {
                scan.value();
                count += 1;
            });
            format!("\"array({count})\"")
        }
        Some(b'"') => serde_json::Value::from(cut(&unquoted(value), most)).to_string(),
        // A number of that length says nothing.
        _ => "\"…\"".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_whole_or_shortened() {
        assert_eq!(bounded("{\"a\":\n 1.0}", 20), (r#"{"a":1.0}"#.into(), false));
        let text = format!(
            r#"{{"a":1,"b":"{}","c":[1,2,3,4,5,6,7,8,9,10],"d":{{"e":"{}"}}}}"#,
            "x".repeat(99),
            "y".repeat(99)
        );
        let expected =
            format!(r#"{{"a":1,"b":"{}…","c":"array(10)","d":{{"e":"{}…"}}}}"#, "x".repeat(16), "y".repeat(16));
        assert_eq!(bounded(&text, 64), (expected, true));
    }

    #[test]
    fn many_members_and_long_keys_are_left_out() {
        let members: Vec<String> = (0..50).map(|n| format!(r#""k{n}":"{}""#, "v".repeat(40))).collect();
        let (text, is_cut) = bounded(&format!("{{\"{}\":1,{}}}", "k".repeat(99), members.join(",")), 300);
        assert!(is_cut && text.matches(':').count() == MOST_MEMBERS);
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
    }
}
