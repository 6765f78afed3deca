//! Conditions as a person types them: `namespace=_semantic/knowledge`, `priority>=3`, `content~=redis`.

use serde_json::Value;

use super::condition::{Condition, Mistake, Operator};
use super::words::{self, Form, Word};
use super::{Field, negation, quotes, range, refused, sql};

/// Operators by their signs, and whether these negate them; of those that begin alike, the longer one first.
pub(super) const SIGNS: [(&str, Operator, bool); 15] = [
    ("!~=", Operator::Contains, true),
    ("!^=", Operator::Prefix, true),
    ("!=~", Operator::Matches, true),
    ("!~", Operator::Matches, true),
    ("!=", Operator::Ne, false),
    ("<>", Operator::Ne, false),
    ("<=", Operator::Le, false),
    (">=", Operator::Ge, false),
    ("^=", Operator::Prefix, false),
    ("~=", Operator::Contains, false),
    ("=~", Operator::Matches, false),
    ("==", Operator::Eq, false),
    ("=", Operator::Eq, false),
    ("<", Operator::Lt, false),
    (">", Operator::Gt, false),
];

/// Signs of a comparison; what begins with one of them is compared.
pub(super) const SIGN_CHARS: [char; 6] = ['=', '<', '>', '!', '~', '^'];

/// Reads a condition, and whether it is negated: `FIELD SIGN VALUE`, `FIELD NAME VALUE` with the name of an operator,
/// `FIELD` for one that exists, each with `!` or `not` before it for the opposite. A name in double quotes may contain
/// anything.
pub(super) fn read(whole: &str) -> Result<(Condition, bool), Mistake> {
    let (is_negated, positive) = negation::passed(whole);
    // A field of several words is one where a `!` says so.
    let is_field = whole.trim_start().starts_with('!');
    let (condition, is_opposite) = read_positive(positive, is_field)?;
    Ok((condition, is_negated != is_opposite))
}

fn read_positive(whole: &str, is_field: bool) -> Result<(Condition, bool), Mistake> {
    let text = whole.trim();
    if let Some(named) = by_name(text) {
        return Ok((named.condition()?, named.is_negated));
    }
    let quoted = quoted_name(text);
    let Some(at) = text[quoted..].find(SIGN_CHARS).map(|at| quoted + at) else {
        return match is_field || !text[quoted..].contains(char::is_whitespace) {
            true => Ok((of(text, Operator::Exists, "")?, false)),
            false => Err(no_condition(text)),
        };
    };
    let (field, rest) = text.split_at(at);
    let (operator, is_negated, value) =
        after_sign(rest).ok_or_else(|| refused(&format!("`{text}` has no operator"), OPERATORS))?;
    let condition = match operator {
        Operator::Contains if is_spaced(whole, value) => {
            Condition { field: Field::of(field)?, operator, values: vec![format!("{value} ").into()] }
        }
        operator => of(field, operator, value.trim())?,
    };
    Ok((condition, is_negated))
}

/// What has blanks and no operator. A colon may stand for one.
fn no_condition(text: &str) -> Mistake {
    let reason = format!("`{text}` is not a valid condition");
    let colon = text.split_once(": ").filter(|(field, _)| !field.is_empty() && !field.contains(char::is_whitespace));
    match colon {
        Some((field, value)) => refused(&reason, &format!("write `{field}={}`", value.trim())).into(),
        None => Mistake::Form(reason),
    }
}

/// How far the keys in double quotes go of a name that a text begins with: `"a b".c`, `user."full name"`; 0 without any.
pub(super) fn quoted_name(text: &str) -> usize {
    let (mut at, mut end) = (0, 0);
    while let Some(char) = text[at..].chars().next() {
        match quotes::length_at(text, at) {
            Some(length) => {
                at += length;
                end = at;
            }
            None if char.is_whitespace() || SIGN_CHARS.contains(&char) || char == ',' => break,
            None => at += char.len_utf8(),
        }
    }
    end
}

/// A field, the operator that is named after it, and the value.
pub(super) struct Named<'a> {
    pub(super) field: &'a str,
    operator: Operator,
    is_negated: bool,
    form: Form,
    value: &'a str,
}

impl Named<'_> {
    fn condition(&self) -> Result<Condition, Mistake> {
        match self.form {
            // Behind a word, single quotes are those of SQL.
            Form::Plain => match (self.operator, sql::value(self.value)) {
                (Operator::Prefix | Operator::Contains | Operator::Matches, Some(text)) => {
                    Ok(Condition { field: Field::of(self.field)?, operator: self.operator, values: vec![text.into()] })
                }
                _ => of(self.field, self.operator, self.value),
            },
            form => Word::condition(form, self.field, self.value),
        }
    }
}

/// Reads a condition whose operator is a word. After a name of several words the value must show that it is one: it is a
/// list or in quotes, or no sign of a comparison follows.
pub(super) fn by_name(text: &str) -> Option<Named<'_>> {
    let mut at = quoted_name(text);
    let sign = text[at..].find(SIGN_CHARS).map(|sign| at + sign);
    let mut is_first = true;
    loop {
        let blank = at + text[at..].find(char::is_whitespace)?;
        if sign.is_some_and(|sign| sign < blank) {
            return None;
        }
        let (field, rest) = text.split_at(blank);
        if let Some((is_negated, after)) = words::missing(rest) {
            // A name does not go on after `is null`.
            let is_whole = after.trim_start().is_empty();
            let (operator, form) = (Operator::Exists, Form::Plain);
            return is_whole.then_some(Named { field, operator, is_negated, form, value: "" });
        }
        if let Some(Word { operator, is_negated, form, is_loose, value }) = Word::read(rest)
            && (is_first || value.starts_with(['(', '[', '"', '\'']) || sign.is_none() && !is_loose)
        {
            return Some(Named { field, operator, is_negated, form, value });
        }
        (is_first, at) = (false, text.len() - rest.trim_start().len());
    }
}

/// The length of the text in single quotes at this place: a value behind an operator, or in a list. Elsewhere a single quote
/// is a part of the value.
pub(super) fn length_of_sql_text(text: &str, at: usize) -> Option<usize> {
    let before = text[..at].trim_end_matches(char::is_whitespace);
    // The rest is read only where a value may begin.
    if !before.ends_with(['=', '~', '<', '>', '(', '[', ',']) && before.len() == at {
        return None;
    }
    let length = sql::length(&text[at..])?;
    let named = || by_name(negation::passed(&text[..at]).1);
    let is_value = ends_with_sign(before)
        || named().is_some_and(|named| {
            let is_list = named.operator == Operator::In && named.value.ends_with(['(', '[', ',']);
            named.operator != Operator::Exists && (named.value.is_empty() || is_list)
        });
    is_value.then_some(length)
}

/// True for a condition without its value: a field, and the sign after it.
fn ends_with_sign(text: &str) -> bool {
    let text = negation::passed(text).1;
    let name = quoted_name(text);
    let sign = text[name..].find(SIGN_CHARS).and_then(|at| after_sign(&text[name + at..]));
    sign.is_some_and(|(.., value)| value.is_empty())
}

/// An operator by its name or its sign, as an object has it: `in`, `not in`, `not_in`, `>=`.
pub(super) fn operator(name: &str) -> Option<(Operator, bool)> {
    let words = name.trim().replace('_', " ");
    let word = Word::read(&words).filter(|word| word.form == Form::Plain);
    let named = word.map(|word| (word.operator, word.is_negated, word.value));
    match named.or_else(|| after_sign(&words))? {
        (operator, is_negated, "") => Some((operator, is_negated)),
        _ => None,
    }
}

/// The name of an operator that is written as its sign or as its name: `not contains` for `!~=`.
pub(crate) fn operator_name(written: &str) -> Option<String> {
    let (operator, is_negated) = operator(written)?;
    let not = if is_negated { "not " } else { "" };
    Some(format!("{not}{}", operator.name()))
}

/// The operator whose sign a text begins with, whether the sign negates it, and what comes after it.
pub(super) fn after_sign(text: &str) -> Option<(Operator, bool, &str)> {
    SIGNS.iter().find_map(|(sign, operator, is_negated)| Some((*operator, *is_negated, text.strip_prefix(sign)?)))
}

/// True for a text to look for that has a blank on either side: these are meant, as in `~= 500 `.
fn is_spaced(whole: &str, value: &str) -> bool {
    whole.ends_with(' ') && value.starts_with(' ') && !value[1..].starts_with([' ', '"'])
}

const OPERATORS: &str =
    "compare with =, !=, <, <=, >, >=, ^= (begins with), ~= (contains) or =~ (matches); ! before the field negates";

fn of(field: &str, operator: Operator, value: &str) -> Result<Condition, Mistake> {
    let field = Field::of(field)?;
    let range = range::dotted(value);
    let operator = match (operator, &range) {
        (Operator::Eq, Some(_)) => Operator::Between,
        (Operator::Ne | Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge, Some(_)) => {
            return Err(refused(
                &format!("a range of `{}` is compared with another sign than =", field.name),
                range::HINT,
            )
            .into());
        }
        (operator, _) => operator,
    };
    let values = match operator {
        Operator::Between => {
            let range = range.map_or_else(|| range::between(&field, value), Ok)?;
            match range::of_years(&range) {
                Some(years) if range::is_range(&range) => vec![range, years],
                Some(years) => vec![years],
                None => vec![range],
            }
        }
        Operator::Exists if value.is_empty() => vec![true.into()],
        Operator::Exists => scalars(value),
        Operator::In => listed(value),
        Operator::Prefix | Operator::Contains | Operator::Matches => vec![bare(value).into()],
        Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge => {
            listed_value(value).into_iter().filter(|value| value.is_string() || value.is_number()).collect()
        }
        Operator::Eq | Operator::Ne => equal(value),
    };
    let values =
        if operator == Operator::Exists { values.into_iter().filter(Value::is_boolean).collect() } else { values };
    if values.is_empty() {
        return Err(Mistake::Form(format!("the value for `{}` is not true or false", field.name)));
    }
    Ok(Condition { field, operator, values })
}

/// The values of a list as people write it: `a, b`, `(a, b)`, `["a", "b"]`, `('a', b)`. A comma in quotes is part of a value.
fn listed(text: &str) -> Vec<Value> {
    let inner = |open, close| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    let text = inner('(', ')').or_else(|| inner('[', ']')).unwrap_or(text);
    let mut values = quotes::values(text);
    // Nothing follows the last comma of a tuple in Python, `('a',)`; an empty text is written `""`.
    if values.len() > 1 && values.last() == Some(&"") {
        values.pop();
    }
    values.into_iter().flat_map(listed_value).collect()
}

/// What equals a value. One in the quotes of SQL may be meant with them, and equals either; what is meant comes last.
pub(super) fn equal(value: &str) -> Vec<Value> {
    let with_quotes = sql::value(value).map(|_| value.into());
    with_quotes.into_iter().chain(listed_value(value)).collect()
}

/// A value in the quotes of SQL is a text, and the number that it spells, as SQL compares `'3'` with numbers.
fn listed_value(value: &str) -> Vec<Value> {
    let Some(text) = sql::value(value) else { return scalars(value) };
    match text.parse() {
        Ok(number) => vec![Value::Number(number), text.into()],
        Err(_) => vec![text.into()],
    }
}

/// The values that a text can mean: itself, and the number, boolean or null that it spells. In quotes it is text only.
pub(super) fn scalars(value: &str) -> Vec<Value> {
    match serde_json::from_str::<Value>(value) {
        Ok(text @ Value::String(_)) => vec![text],
        Ok(other @ (Value::Number(_) | Value::Bool(_) | Value::Null)) => vec![other, value.into()],
        _ => vec![value.into()],
    }
}

/// A text, with its quotes taken off.
fn bare(value: &str) -> String {
    serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Clause;
    use super::*;

    #[test]
    fn conditions_are_read_as_they_are_typed() {
        let rows = [
            ("namespace=_semantic/knowledge", "namespace", Operator::Eq, json!(["_semantic/knowledge"])),
            ("priority >= 3", "priority", Operator::Ge, json!([3, "3"])),
            ("content~=redis=x", "content", Operator::Contains, json!(["redis=x"])),
            (".title =~ ^Cache", "title", Operator::Matches, json!(["^Cache"])),
            ("namespace^=_semantic", "namespace", Operator::Prefix, json!(["_semantic"])),
            ("status != \"active\"", "status", Operator::Ne, json!(["active"])),
            ("version=\"2\"", "version", Operator::Eq, json!(["2"])),
            ("archived=true", "archived", Operator::Eq, json!([true, "true"])),
            ("title contains a, b", "title", Operator::Contains, json!(["a, b"])),
            ("memory_type in semantic, 3", "memory_type", Operator::In, json!(["semantic", 3, "3"])),
            ("memory_type in (semantic, \"3\")", "memory_type", Operator::In, json!(["semantic", "3"])),
            ("memory_type in [\"a, b\",c]", "memory_type", Operator::In, json!(["a, b", "c"])),
            (r#"memory_type in ["a\", b",c]"#, "memory_type", Operator::In, json!(["a\", b", "c"])),
            (r#"memory_type in "x\\",y"#, "memory_type", Operator::In, json!(["x\\", "y"])),
            ("memory_type in ('plain', a)", "memory_type", Operator::In, json!(["plain", "a"])),
            (
                "memory_type in ('a, b', 'it''s', c, 3)",
                "memory_type",
                Operator::In,
                json!(["a, b", "it's", "c", 3, "3"]),
            ),
            ("memory_type in (abc, 'ab', \"c\")", "memory_type", Operator::In, json!(["abc", "ab", "c"])),
            ("memory_type in 'tis, 'twas", "memory_type", Operator::In, json!(["'tis", "'twas"])),
            ("memory_type in 'a' b", "memory_type", Operator::In, json!(["'a' b"])),
            ("memory_type in ('abc',)", "memory_type", Operator::In, json!(["abc"])),
            ("memory_type in ('3', '')", "memory_type", Operator::In, json!([3, "3", ""])),
            ("memory_type in ('null', \"3\")", "memory_type", Operator::In, json!(["null", "3"])),
            ("memory_type in('a','b')", "memory_type", Operator::In, json!(["a", "b"])),
            ("IMDB Rating IN(7, 'a=b')", "IMDB Rating", Operator::In, json!([7, "7", "a=b"])),
            ("content~= 500 ", "content", Operator::Contains, json!([" 500 "])),
            ("content ~= 500", "content", Operator::Contains, json!(["500"])),
            ("priority=3..5", "priority", Operator::Between, json!([[3, 5]])),
            (
                "n=36893488147419103233..",
                "n",
                Operator::Between,
                json!([[36893488147419103233_f64, null, "36893488147419103233", null]]),
            ),
            (
                "n between 3 and 36893488147419103233",
                "n",
                Operator::Between,
                json!([[3, 36893488147419103233_f64, "3", "36893488147419103233"]]),
            ),
            ("priority between 3 and 5", "priority", Operator::Between, json!([[3, 5]])),
            ("year=1990..", "year", Operator::Between, json!([[1990, null], ["1990", null]])),
            ("year between 1990 and 1999", "year", Operator::Between, json!([[1990, 1999], ["1990", "1999"]])),
            ("created=2025..2026-03", "created", Operator::Between, json!([["2025", "2026-03"]])),
            ("created between 2025 and 2026-03", "created", Operator::Between, json!([["2025", "2026-03"]])),
            ("name between \"a\", b", "name", Operator::Between, json!([["a", "b"]])),
            ("created=2026-01..", "created", Operator::Between, json!([["2026-01", null]])),
            ("version=\"1..2\"", "version", Operator::Eq, json!(["1..2"])),
            ("tags", "tags", Operator::Exists, json!([true])),
            ("!tags", "tags", Operator::Exists, json!([false])),
            ("tags exists false", "tags", Operator::Exists, json!([false])),
            ("IMDB Rating > 8", "IMDB Rating", Operator::Gt, json!([8, "8"])),
            ("IMDB Rating in [7,\"a=b\"]", "IMDB Rating", Operator::In, json!([7, "7", "a=b"])),
            ("IMDB Rating between 7 and 8", "IMDB Rating", Operator::Between, json!([[7, 8]])),
            ("Distributor's Name exists", "Distributor's Name", Operator::Exists, json!([true])),
            ("Time spent in state=x", "Time spent in state", Operator::Eq, json!(["x"])),
            ("\"IMDB Rating\">8", "IMDB Rating", Operator::Gt, json!([8, "8"])),
            ("\"IMDB Rating\" in a,b", "IMDB Rating", Operator::In, json!(["a", "b"])),
            ("\"IMDB Rating\"", "IMDB Rating", Operator::Exists, json!([true])),
            ("!\"IMDB Rating\"", "IMDB Rating", Operator::Exists, json!([false])),
            (".\"a=b in c\"=d", "a=b in c", Operator::Eq, json!(["d"])),
            ("a.\"b=c in d\" in e", "a.b=c in d", Operator::In, json!(["e"])),
        ];
        for (text, field, operator, values) in rows {
            let (condition, is_negated) = read(text).unwrap();
            let condition = match Clause::of(condition, is_negated) {
                Clause::One(condition) => condition,
                other => panic!("{other:?}"),
            };
            let found = (condition.field.name.as_str(), condition.operator, json!(condition.values));
            assert_eq!(found, (field, operator, values), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in [
            "",
            "=x",
            "a b",
            "a ~ b",
            "a..b=1",
            "a.b.c.d.e.f=1",
            "tags exists maybe",
            "a!=1..2",
            "a>1..",
            "a between 3",
            "a between",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
