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
/// their size, and `…` says how many members are left out. Cursors are whole as far as they have room.
pub fn bounded(object: &str, most: usize) -> (String, bool) {
    if object.len() <= most {
        return (on_one_line(object).into_owned(), false);
    }
    let whole = cursors(object, most);
    let taken: usize = whole.iter().map(|cursor| cursor.len()).sum();
    nested(object, most - taken, DEEPEST, &whole)
}

/// Returns an object's members with little of their values, as many as have room in `most` bytes: what is there has to be
/// known, even where nothing of it can be shown. Cursors are whole if all else leaves room for them.
pub fn outlined(object: &str, most: usize) -> String {
    let (members, count) = first_members(object);
    let written = |key: &str, value: &str| match value.len() <= LEAST_BYTES {
        true => format!("{key}:{}", on_one_line(value)),
        false => format!("{key}:{}", shortened_within(value, LEAST_BYTES, 1, &[])),
    };
    let mut room = most;
    let mut shown = Vec::new();
    for (key, value) in members {
        let text = written(key, value);
        if let Some(left) = room.checked_sub(text.len() + 1) {
            room = left;
            shown.push((text, key, value));
        }
    }
    for (text, key, value) in &mut shown {
        let whole = format!("{key}:{value}");
        if is_cursor(key, value)
            && let Some(left) = (room + text.len()).checked_sub(whole.len())
        {
            room = left;
            *text = whole;
        }
    }
    let mut texts: Vec<String> = shown.into_iter().map(|(text, ..)| text).collect();
    if texts.len() < count {
        texts.push(format!("\"…\":\"{} more\"", count - texts.len()));
    }
    format!("{{{}}}", texts.join(","))
}

/// The same for an object in which these values, which are parts of its text, are whole beside the `most` bytes.
fn nested(object: &str, most: usize, depth: u32, whole: &[&str]) -> (String, bool) {
    if object.len() <= most {
        return (on_one_line(object).into_owned(), false);
    }
    let (members, count) = first_members(object);
    let is_whole = |value: &str| whole.iter().any(|kept| std::ptr::eq(*kept, value));
    let lengths: Vec<usize> =
        members.iter().filter(|(_, value)| !is_whole(value)).map(|(_, value)| value.len()).collect();
    // A colon and a comma stand next to each key.
    let keys: usize = members.iter().map(|(key, _)| key.len() + 2).sum();
    let least = (most / lengths.len().max(1)).max(LEAST_BYTES);
    let share = share(lengths, most.saturating_sub(keys)).max(least);
    let mut is_cut = count > members.len();
    let left_out = count - members.len();
    let mut texts: Vec<String> = members
        .into_iter()
        .map(|(key, value)| {
            if value.len() <= share || is_whole(value) {
                return format!("{key}:{}", on_one_line(value));
            }
            is_cut = true;
            format!("{key}:{}", shortened_within(value, share, depth, whole))
        })
        .collect();
    if left_out > 0 {
        texts.push(format!("\"…\":\"{left_out} more\""));
    }
    (format!("{{{}}}", texts.join(",")), is_cut)
}

/// The most bytes that each of some values may have, so that all have room in `most` bytes: what short ones leave over is for
/// the others.
fn share(mut lengths: Vec<usize>, most: usize) -> usize {
    lengths.sort_unstable();
    let mut room = most;
    for (place, length) in lengths.iter().enumerate() {
        let share = room / (lengths.len() - place);
        if *length > share {
            return share;
        }
        room -= length;
    }
    most
}

/// The cursors of an object and of the objects in it that have room in `most` bytes together, those of the object first.
fn cursors(object: &str, most: usize) -> Vec<&str> {
    let (members, _) = first_members(object);
    let objects = members.iter().filter(|(_, value)| value.starts_with('{'));
    let below: Vec<(&str, &str)> = objects.flat_map(|(_, value)| first_members(value).0).collect();
    let mut room = most;
    let mut kept = Vec::new();
    for (_, value) in members.into_iter().chain(below).filter(|(key, value)| is_cursor(key, value)) {
        if let Some(left) = room.checked_sub(value.len()) {
            room = left;
            kept.push(value);
        }
    }
    kept
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
    shortened_within(value, most, DEEPEST, &[])
}

fn shortened_within(value: &str, most: usize, depth: u32, whole: &[&str]) -> String {
    match Type::of(value) {
        Type::Object if depth > 1 => nested(value, most, depth - 1, whole).0,
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
        assert_eq!(bounded(&whole, 560).0, format!(r#"{{"a":"{}…",{token}"#, "x".repeat(48)));
        assert_eq!(bounded(&cut, 64).0.len(), bounded(&object(600), 64).0.len());
        assert!(outlined(&whole, 600).ends_with(token) && bounded(&cut, 64).0.len() < 128);
        // A page often has it in an object of its own.
        let meta = format!(r#"{{"a":"{}","meta":{{"b":"{}",{token}}}"#, "x".repeat(999), "y".repeat(999));
        assert!(bounded(&meta, 800).0.ends_with(&format!("{token}}}")), "{}", bounded(&meta, 800).0);
    }

    #[test]
    fn cursors_do_not_break_the_bound_and_hide_nothing() {
        let cursor = format!("\"{}\"", "c".repeat(498));
        let members: Vec<String> = (0..19).map(|n| format!(r#""k{n}":{{"cursor":{cursor},"n":{n}}}"#)).collect();
        let (text, is_cut) = bounded(&format!("{{{}}}", members.join(",")), 800);
        assert!(is_cut && text.len() <= 1600, "{} bytes: {text}", text.len());
        assert_eq!(text.matches(&cursor).count(), 1);
        let two = format!(r#"{{"cursor":{cursor},"nextCursor":{cursor},"total":7,"name":"a"}}"#);
        let shortened = format!("\"{}…\"", "c".repeat(16));
        let shown = |first: &str| format!(r#"{{"cursor":{first},"nextCursor":{shortened},"total":7,"name":"a"}}"#);
        assert_eq!((outlined(&two, 600), outlined(&two, 500)), (shown(&cursor), shown(&shortened)));
        let (text, _) = bounded(&two, 600);
        assert!(text.contains(&cursor) && text.ends_with(r#""total":7,"name":"a"}"#) && text.len() < 640, "{text}");
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
