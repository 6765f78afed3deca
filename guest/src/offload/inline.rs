//! Everything in a document except its lists, for a response: whole if it is small, else shortened (SECTION-02).

use lro_query::json::{Scan, Type, cut, on_one_line, quote, unquote};

use super::contents::CURSORS;

/// More members are left out.
const MOST_MEMBERS: usize = 20;

/// A member with a longer key is left out: the key is data.
const KEY_BYTES: usize = 64;

/// With less room than this, a value cannot be shown meaningfully.
const LEAST_BYTES: usize = 16;

/// A cursor is of use as a whole only. Longer ones are read from the file.
const CURSOR_BYTES: usize = 512;

/// Deeper objects are shown by their size: each level is looked at once more, and deeper ones say
/// little.
const DEEPEST: u32 = 8;

/// Returns an object's text in about `most` bytes, and whether something is missing. Strings are cut, arrays shown by
/// their size, and `…` says how many members are left out.
pub fn bounded(object: &str, most: usize) -> (String, bool) {
    nested(object, most, DEEPEST)
}

/// Returns an object's members with little of their values, as many as have room in `most` bytes: what is there has to be
/// known, even where nothing of it can be shown.
pub fn outlined(object: &str, most: usize) -> String {
    let (members, count) = first_members(object);
    let shown = |(key, value): (&str, &str)| match value.len() <= LEAST_BYTES || is_cursor(key, value) {
        true => format!("{key}:{}", on_one_line(value)),
        false => format!("{key}:{}", shortened_within(value, LEAST_BYTES, 1)),
    };
    let mut room = most;
    let has_room = |text: &String| {
        let left = room.checked_sub(text.len() + 1);
        room = left.unwrap_or_default();
        left.is_some()
    };
    let mut texts: Vec<String> = members.into_iter().map(shown).take_while(has_room).collect();
    if texts.len() < count {
        texts.push(format!("\"…\":\"{} more\"", count - texts.len()));
    }
    format!("{{{}}}", texts.join(","))
}

fn nested(object: &str, most: usize, depth: u32) -> (String, bool) {
    if object.len() <= most {
        return (on_one_line(object).into_owned(), false);
    }
    let (members, count) = first_members(object);
    let share = (most / count.clamp(1, MOST_MEMBERS)).max(LEAST_BYTES);
    let mut is_cut = count > members.len();
    let left_out = count - members.len();
    let mut texts: Vec<String> = members
        .into_iter()
        .map(|(key, value)| {
            if value.len() <= share || is_cursor(key, value) {
                return format!("{key}:{}", on_one_line(value));
            }
            is_cut = true;
            format!("{key}:{}", shortened_within(value, share, depth))
        })
        .collect();
    if left_out > 0 {
        texts.push(format!("\"…\":\"{left_out} more\""));
    }
    (format!("{{{}}}", texts.join(",")), is_cut)
}

/// The members that are shown, and how many there are in all.
fn first_members(object: &str) -> (Vec<(&str, &str)>, usize) {
    let (mut members, mut count) = (Vec::new(), 0);
    Scan::of(object).members(|scan, key| {
        let value = scan.value();
        count += 1;
        if key.len() <= KEY_BYTES && members.len() < MOST_MEMBERS {
            members.push((key, value));
        }
    });
    (members, count)
}

/// True for what leads to the next page, unless it is very long.
fn is_cursor(key: &str, value: &str) -> bool {
    value.starts_with('"') && value.len() <= CURSOR_BYTES && CURSORS.contains(&&*unquote(key))
}

/// Returns a value's text in about `most` bytes.
pub fn shortened(value: &str, most: usize) -> String {
    shortened_within(value, most, DEEPEST)
}

fn shortened_within(value: &str, most: usize, depth: u32) -> String {
    match Type::of(value) {
        Type::Object if depth > 1 => nested(value, most, depth - 1).0,
        Type::Object => format!("\"object({})\"", first_members(value).1),
        Type::Array => {
            let mut count = 0;
            Scan::of(value).elements(|scan| {
                scan.value();
                count += 1;
            });
            format!("\"array({count})\"")
        }
        Type::String => quote(&cut(&unquote(value), most)),
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
    fn a_cursor_is_shown_whole() {
        let object =
            |bytes: usize| format!(r#"{{"a":"{}","nextPageToken":"{}"}}"#, "x".repeat(99), "y".repeat(bytes - 2));
        let (whole, cut) = (object(CURSOR_BYTES), object(CURSOR_BYTES + 1));
        let token = &whole[whole.find("\"next").unwrap()..];
        assert_eq!(bounded(&whole, 64).0, format!(r#"{{"a":"{}…",{token}"#, "x".repeat(32)));
        assert_eq!(bounded(&cut, 64).0.len(), bounded(&object(600), 64).0.len());
        assert!(outlined(&whole, 600).ends_with(token) && bounded(&cut, 64).0.len() < 128);
    }

    #[test]
    fn objects_in_objects_are_told_by_their_size_from_some_depth_on() {
        let levels = |levels: usize| {
            format!(
                "{}{{\"b\":1,\"c\":2,\"d\":[{}]}}{}",
                r#"{"a":"#.repeat(levels),
                "0,".repeat(200) + "0",
                "}".repeat(levels)
            )
        };
        let shown = |levels: u32, inner: &str| {
            (format!("{}{inner}{}", r#"{"a":"#.repeat(levels as usize), "}".repeat(levels as usize)), true)
        };
        let whole = r#"{"b":1,"c":2,"d":"array(201)"}"#;
        assert_eq!(bounded(&levels(7), 100), shown(7, whole));
        assert_eq!(bounded(&levels(8), 100), shown(8, "\"object(3)\""));
        assert_eq!(bounded(&levels(100_000), 100), shown(8, "\"object(1)\""));
    }

    #[test]
    fn an_outline_has_the_keys_that_have_room() {
        let object = r#"{"a":{"b":1,"c":[1,2]},"d":"a long text that is cut","e":7,"f":[1,2,3,4,5,6,7,8,9]}"#;
        assert_eq!(outlined(object, 99), r#"{"a":"object(2)","d":"a long text that…","e":7,"f":"array(9)"}"#);
        assert_eq!(outlined(object, 45), r#"{"a":"object(2)","d":"a long text that…","…":"2 more"}"#);
        assert_eq!(outlined("{}", 1), "{}");
    }

    #[test]
    fn many_members_and_long_keys_are_left_out() {
        let members: Vec<String> = (0..50).map(|n| format!(r#""k{n}":"{}""#, "v".repeat(40))).collect();
        let (text, is_cut) = bounded(&format!("{{\"{}\":1,{}}}", "k".repeat(99), members.join(",")), 300);
        assert!(is_cut && text.matches(':').count() == MOST_MEMBERS + 1);
        assert!(text.ends_with(r#","…":"31 more"}"#), "{text}");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
        // Something is missing where only members are left out, and nothing where all are there.
        let short = |count: usize| {
            let members: Vec<String> = (0..count).map(|n| format!("\"{}{n:02}\":1", "k".repeat(20))).collect();
            bounded(&format!("{{{}}}", members.join(",")), 100).1
        };
        assert_eq!((short(MOST_MEMBERS), short(MOST_MEMBERS + 1)), (false, true));
    }
}
