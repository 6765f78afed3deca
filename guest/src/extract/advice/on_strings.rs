//! A filter for records that ran on strings, such as the lines of a text: the same without the key that they do not have.

use std::ops::Range;

use lro_query::tree::{Part, Path, StrPart, Term, each_part};
use lro_query::{Arena, Limits, Query};

use super::AskedFilter;
use super::reading::FilterReading;

/// The filter with `.` in place of `.key`. `None` where it reads other keys too, which strings do not have either, and
/// where the key is written otherwise.
pub(super) fn without_key(filter: &str, key: &str) -> Option<String> {
    let arena = Arena::default();
    let query = Query::parse(filter, &arena, &Limits::default()).ok()?;
    let mut places = Vec::new();
    each_part(query.tree(), &mut |term| places.extend(place_of(term, filter, key)));
    places.sort_unstable_by_key(|place| place.start);
    let (mut rewritten, mut end) = (String::with_capacity(filter.len()), 0);
    for place in places {
        let (before, after) = (filter.get(end..place.start)?, &filter[place.end..]);
        rewritten.push_str(before);
        end = place.end;
        match piped(after) {
            // `. | f` is `f`, where nothing before it belongs to the left side of the pipe.
            Some(rest) if rewritten.trim_end().is_empty() || rewritten.trim_end().ends_with(['(', '[', '|', ';']) => {
                end = filter.len() - rest.len();
            }
            _ => rewritten.push('.'),
        }
    }
    rewritten.push_str(&filter[end..]);
    let is_filter = Query::parse(&rewritten, &Arena::default(), &Limits::default()).is_ok();
    let asked = AskedFilter { filter: &rewritten, query: None, slurps: false, note: "" };
    (end > 0 && is_filter && !FilterReading::of(asked).reads_keys()).then_some(rewritten)
}

/// What follows a pipe.
fn piped(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix('|')?;
    (!rest.starts_with('=')).then(|| rest.trim_start())
}

/// Where the text of a filter has `.key`, if a term is a path that begins with it.
fn place_of(term: &Term<&str>, filter: &str, key: &str) -> Option<Range<usize>> {
    let Term::Path(base, Path(parts)) = term else { return None };
    let (Part::Index(Term::Str(None, texts)), _) = parts.first()? else { return None };
    let (Term::Id, [StrPart::Str(name)]) = (&**base, &texts[..]) else { return None };
    // A part of the tree is a part of the text, unless the parser has written it anew.
    let start = name.as_ptr().addr().checked_sub(filter.as_ptr().addr())?;
    let end = start.checked_add(name.len())?;
    if *name != key || filter.get(start..end) != Some(key) {
        return None;
    }
    let (before, after) = (&filter[..start], &filter[end..]);
    let place = match (before.strip_suffix(".\""), after.strip_prefix('"')) {
        (Some(before), Some(after)) => before.len()..filter.len() - after.len(),
        _ => before.strip_suffix('.')?.len()..end,
    };
    // `..` is another filter.
    (!filter[place.end..].starts_with('.')).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_left_out_where_it_is_read_and_nowhere_else() {
        let rows = [
            ("select(.line | test(\"GET\"))", Some("select(test(\"GET\"))")),
            ("select(.line|test(\"GET\"))", Some("select(test(\"GET\"))")),
            (".line", Some(".")),
            (".\"line\" | length", Some("length")),
            (".line[0:10]", Some(".[0:10]")),
            (".line == \"a .line and .lines\"", Some(". == \"a .line and .lines\"")),
            ("select(.line | contains(\".lines | \")) | .line", Some("select(contains(\".lines | \")) | .")),
            ("\"\\(.line): \\(.line | length)\"", Some("\"\\(.): \\(length)\"")),
            (". , .line | length", Some(". , . | length")),
            ("[.line | length, .line]", Some("[length, .]")),
            (".line |= length", Some(". |= length")),
            (".line | capture(\"(?<n>[0-9]+)\") | .n", Some("capture(\"(?<n>[0-9]+)\") | .n")),
            (".line | fromjson | .name", Some("fromjson | .name")),
            (".line // .lines", None),
            ("select(.line) | .lines", None),
            (".title | .line", None),
            ("{line}", None),
            (".[\"line\"]", None),
            (".line.[0]", None),
            ("select(.lines)", None),
            (".line |", None),
            ("\"\\ud83d\\ude00\", .line", None),
        ];
        for (filter, expected) in rows {
            assert_eq!(without_key(filter, "line").as_deref(), expected, "{filter}");
        }
    }
}
