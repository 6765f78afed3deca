//! Operators that are words: `in`, `not contains`, `starts with`, `like`.

use super::condition::{Condition, Mistake, Operator};
use super::typed::after_sign;
use super::{Field, refused, sql};

/// An operator that a text names, and what follows it.
pub(super) struct Word<'a> {
    pub(super) operator: Operator,
    /// There is a `not` before it.
    pub(super) is_negated: bool,
    /// How its value is written.
    pub(super) form: Form,
    /// It may be a word of a text as well: `includes`, `is`.
    pub(super) is_loose: bool,
    pub(super) value: &'a str,
}

/// How the value of an operator is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As that of its sign.
    Plain,
    /// As the end of a text.
    End,
    /// With the wildcards of SQL.
    Like,
}

/// Operators of two words.
const PAIRS: [(&str, &str, Operator, Form); 6] = [
    ("starts", "with", Operator::Prefix, Form::Plain),
    ("begins", "with", Operator::Prefix, Form::Plain),
    ("ends", "with", Operator::Matches, Form::End),
    ("start", "with", Operator::Prefix, Form::Plain),
    ("begin", "with", Operator::Prefix, Form::Plain),
    ("end", "with", Operator::Matches, Form::End),
];

/// Comparisons of two words. A number, a date or a text in quotes follows.
const COMPARISONS: [(&str, &str, Operator); 6] = [
    ("greater", "than", Operator::Gt),
    ("more", "than", Operator::Gt),
    ("less", "than", Operator::Lt),
    ("fewer", "than", Operator::Lt),
    ("at", "least", Operator::Ge),
    ("at", "most", Operator::Le),
];

/// Orders of dates. A date follows.
const ORDERS_OF_DATES: [(&str, Operator); 4] =
    [("after", Operator::Gt), ("before", Operator::Lt), ("since", Operator::Ge), ("until", Operator::Le)];

/// What operators are called in English, where they may be words of a text too.
const LOOSE: [(&str, Operator); 6] = [
    ("contain", Operator::Contains),
    ("includes", Operator::Contains),
    ("include", Operator::Contains),
    ("equals", Operator::Eq),
    ("equal", Operator::Eq),
    ("match", Operator::Matches),
];

/// Operators that other languages call otherwise.
const OTHERS: [(&str, Operator, Form); 4] = [
    ("startswith", Operator::Prefix, Form::Plain),
    ("endswith", Operator::Matches, Form::End),
    ("like", Operator::Matches, Form::Like),
    ("ilike", Operator::Matches, Form::Like),
];

impl<'a> Word<'a> {
    /// The operator whose name a text begins with, and its value: `not in a,b`, `is not in a,b`, `does not contain a`.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (verb, is_negated, text) = Verb::read(text)?;
        let (word, after) = first(text);
        let is_of_be = |operator, form| operator == Operator::In || form == Form::Like;
        let (operator, form, is_loose, value) = if let Some((operator, form, value)) = named(word, after) {
            (verb != Verb::Be || is_of_be(operator, form)).then_some((operator, form, false, value))?
        } else if let Some((operator, value)) = comparison(word, after) {
            (operator, Form::Plain, false, value)
        } else if verb == Verb::Be {
            is_one_value(text).then_some((Operator::Eq, Form::Plain, true, text))?
        } else {
            // `Lines include > 5` is about a field of this name.
            let is_value = after_sign(after.trim_start()).is_none();
            let (_, operator) = LOOSE.iter().find(|(known, _)| is_value && is_word(word, known))?;
            // After `does not` it can only be an operator.
            (*operator, Form::Plain, verb != Verb::Do, after)
        };
        Some(Self { operator, is_negated, form, is_loose, value: value.trim() })
    }

    /// The condition on a field where the value has a form of its own.
    pub(super) fn condition(form: Form, field: &str, value: &str) -> Result<Condition, Mistake> {
        let field = Field::of(field)?;
        let text = sql::unquoted(value);
        let name = &field.name;
        if text.is_empty() || form == Form::Like && text.trim_matches('%').is_empty() {
            return Err(refused(&format!("the value for `{name}` has no text"), "give a text to look for").into());
        }
        if form == Form::Like && !text.contains(['%', '_']) {
            let hint = format!("write `{name}~={text}` for a part, `{name}={text}` for the whole");
            return Err(refused(&format!("the value for `{name}` has no `%`, which `like` takes"), &hint).into());
        }
        let (operator, text) = match form {
            Form::Like => sql::like(&text),
            Form::Plain | Form::End => (Operator::Matches, format!("{}$", regex::escape(&text))),
        };
        Ok(Condition { field, operator, values: vec![text.into()] })
    }
}

/// What stands before the name of an operator.
#[derive(PartialEq)]
enum Verb {
    Be,
    Do,
    None,
}

impl Verb {
    /// The verb that a text begins with, whether it is negated, and what follows: `is not`, `does not`, `not`. `does` alone is
    /// before no operator.
    fn read(text: &str) -> Option<(Self, bool, &str)> {
        let (word, after) = first(text);
        let (verb, rest) = match word {
            "doesn't" | "don't" => return Some((Self::Do, true, after)),
            word if is_word(word, "is") => (Self::Be, after),
            word if is_word(word, "does") || is_word(word, "do") => (Self::Do, after),
            _ => (Self::None, text),
        };
        let (not, behind) = first(rest);
        match (verb, is_word(not, "not")) {
            (Self::Do, false) => None,
            (verb, true) => Some((verb, true, behind)),
            (verb, false) => Some((verb, false, rest)),
        }
    }
}

fn named<'a>(word: &str, rest: &'a str) -> Option<(Operator, Form, &'a str)> {
    if let Some(operator) = Operator::named(word) {
        return Some((operator, Form::Plain, rest));
    }
    let (second, after) = first(rest);
    let pair = PAIRS.iter().find(|(one, other, ..)| is_word(word, one) && is_word(second, other));
    let pair = pair.map(|(.., operator, form)| (*operator, *form, after));
    let other = || OTHERS.iter().find(|(known, ..)| is_word(word, known));
    pair.or_else(|| other().map(|(_, operator, form)| (*operator, *form, rest)))
}

/// The comparison that a text names in words, and its value.
fn comparison<'a>(word: &str, rest: &'a str) -> Option<(Operator, &'a str)> {
    if let Some((_, operator)) = ORDERS_OF_DATES.iter().find(|(known, _)| is_word(word, known)) {
        return is_date(rest).then_some((*operator, rest));
    }
    let (second, value) = first(rest);
    let found = COMPARISONS.iter().find(|(one, other, _)| is_word(word, one) && is_word(second, other));
    let start = value.trim_start().trim_start_matches('-');
    found
        .filter(|_| start.starts_with(|c: char| c.is_ascii_digit() || "'\"".contains(c)))
        .map(|(.., operator)| (*operator, value))
}

/// True for a text that begins with a date: a year, and a month.
fn is_date(text: &str) -> bool {
    let text = text.trim_start().trim_start_matches(['\'', '"']).as_bytes();
    text.len() > 4 && text[..4].iter().all(u8::is_ascii_digit) && text[4] == b'-'
}

/// What follows `is open` or `is not 'in progress'` at the beginning of a text.
pub(super) fn after_equation(text: &str) -> Option<&str> {
    let (verb, _, text) = Verb::read(text)?;
    let text = text.trim_start();
    let end = sql::length(text).or_else(|| text.find(|c: char| c.is_whitespace() || c == ')')).unwrap_or(text.len());
    (verb == Verb::Be && end > 0).then(|| &text[end..])
}

/// True for a word, or a text in quotes: `is open`, `is 'in progress'`.
fn is_one_value(text: &str) -> bool {
    let text = text.trim();
    let is_quoted =
        text.len() > 2 && ['\'', '"'].iter().any(|quote| text.starts_with(*quote) && text.ends_with(*quote));
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace) && after_sign(text).is_none();
    is_quoted || is_word
}

/// What follows `is null` or `is missing`, and whether it says so: `is not null` says the opposite.
pub(super) fn missing(text: &str) -> Option<(bool, &str)> {
    let (is, rest) = first(text);
    let (word, after) = first(rest);
    let is_opposite = is_word(word, "not");
    let what = if is_opposite { after } else { rest }.trim_start();
    // A parenthesis or a connector may follow at once.
    let (word, rest) = what.split_at(what.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(what.len()));
    let is_missing = ["null", "missing", "empty"].iter().any(|known| is_word(word, known));
    (is_word(is, "is") && is_missing).then_some((!is_opposite, rest))
}

/// The first word of a text, and what follows it from the blank on. The list of `in` may follow without one.
fn first(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let list = text[..end].find(['(', '[']).filter(|at| is_word(&text[..*at], "in"));
    text.split_at(list.unwrap_or(end))
}

/// True for a word in small letters or in large ones, as in SQL.
pub(super) fn is_word(text: &str, word: &str) -> bool {
    text == word || text.eq_ignore_ascii_case(word) && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Clause;

    #[test]
    fn words_of_other_languages_are_conditions() {
        let rows = [
            ("title starts with a b", json!("title^=a b")),
            ("title STARTS WITH ab", json!("title^=ab")),
            ("Job title begins with ab", json!("Job title^=ab")),
            ("title not startswith ab", json!("!title^=ab")),
            ("path ends with .rs", json!("path=~\\.rs$")),
            ("not path endswith '.rs'", json!("!path=~\\.rs$")),
            ("state is in a,b", json!("state in a,b")),
            ("state IS NOT IN ('a','b')", json!("!state in a,b")),
            ("state not in('a','b') and n in[1,2]", json!({"all": ["!state in a,b", "n in 1,2"]})),
            ("state=a or job in('x or y=1', b)", json!({"any": ["state=a", "job in \"x or y=1\",\"b\""]})),
            ("title like '%abc%'", json!("title~=abc")),
            ("title LIKE 'abc%'", json!("title=~^abc")),
            ("title like %.rs", json!("title=~\\.rs$")),
            ("title not like \"a.%c_d\"", json!("!title=~(?s)^a\\..*c.d$")),
            ("title ILIKE 'it''s 5\\%%'", json!("title=~^it's 5%")),
            ("state <> open", json!("state!=open")),
            ("state<>'open' and n>3", json!({"all": ["state!='open'", "n>3"]})),
            ("title like 'a%' or title like 'b%'", json!({"any": ["title=~^a", "title=~^b"]})),
            // A text in quotes is not divided.
            ("title like '% or b=%'", json!("title~=\" or b=\"")),
            ("title like 'a or b=%' or c=1", json!({"any": ["title=~^a or b=", "c=1"]})),
            ("n=1 and title not like '% or b=%'", json!({"all": ["n=1", "!title~=\" or b=\""]})),
            ("not title like '% or b=%'", json!("!title~=\" or b=\"")),
            ("Job title like 'a=b or c=_'", json!("Job title=~\"(?s)^a=b or c=.$\"")),
            ("(title ends with ' or b=c')", json!("title=~\" or b=c$\"")),
            ("title like 'x and y=_'", json!("title=~\"(?s)^x and y=.$\"")),
            ("title like 'it''s a or b=%'", json!("title=~^it's a or b=")),
            ("title starts with 'a or b=c'", json!("title^=\"a or b=c\"")),
            ("state<>'a or b=c' or d=1", json!({"any": ["state!='a or b=c'", "d=1"]})),
            ("state='a or b=c'", json!("state='a or b=c'")),
            ("state = 'a or b=c' or d!='e and f=1'", json!({"any": ["state='a or b=c'", "d!='e and f=1'"]})),
            ("title ~= 'a or b=c' and d>1", json!({"all": ["title~='a or b=c'", "d>1"]})),
            ("state='x' and title starts with 'a'", json!({"all": ["state='x'", "title^=a"]})),
            ("title=rock and roll starts with a", json!("title=rock and roll starts with a")),
            ("created >= '2026-01-01' and n < '3'", json!({"all": ["created>=2026-01-01", "n<3"]})),
            ("title contains 'a b'", json!("title~=a b")),
            ("title not contains 'it''s'", json!("!title~=it's")),
            ("title ends with 'a b'", json!("title=~a b$")),
            ("title is not like 'a%'", json!("!title=~^a")),
            ("title IS LIKE 'a%'", json!("title=~^a")),
            ("title='tis or b='twas", json!({"any": ["title='tis", "b='twas"]})),
            ("title=it's or b='x'", json!({"any": ["title=it's", "b='x'"]})),
            ("state in ('a)','x') or b=1", json!({"any": ["state in a),x", "b=1"]})),
            ("state in 'a or b=c', 'd or e=f' or g=1", json!({"any": ["state in \"a or b=c\",\"d or e=f\"", "g=1"]})),
            // What no quote closes is divided.
            ("title starts with 'tis or b=x", json!({"any": ["title^='tis", "b=x"]})),
            ("title starts with 'tis or b=it's", json!({"any": ["title^='tis", "b=it's"]})),
            ("state=open and title like 'b%'", json!({"all": ["state=open", "title=~^b"]})),
            ("a starts with x or b ends with y", json!({"any": ["a^=x", "b=~y$"]})),
            ("title=some like it hot or cold", json!("title=some like it hot or cold")),
            ("title~=where it starts with x", json!("title~=where it starts with x")),
            ("done ends with %", json!("done=~%$")),
            ("likes like 3", json!(null)),
            ("title like '%'", json!(null)),
            ("state is open", json!("state=open")),
            ("state is 'in progress'", json!("state='in progress'")),
            ("state IS NOT open", json!("state!=open")),
            ("done is true", json!("done=true")),
            ("title is about rust", json!(null)),
            ("n is >5", json!("n is>5")),
            ("Lines include > 5", json!("Lines include>5")),
            (
                "state is open and job is 'x or y' or n > 3",
                json!({"any": [{"all": ["state=open", "job='x or y'"]}, "n>3"]}),
            ),
            (
                "(state is open or state is not done) and n=1",
                json!({"all": [{"any": ["state=open", "state!=done"]}, "n=1"]}),
            ),
            ("title=rock and roll is dead", json!("title=rock and roll is dead")),
            ("created after 2026-10-01", json!("created>2026-10-01")),
            ("state=open and created is before '2026-10'", json!({"all": ["state=open", "created<2026-10"]})),
            ("title=now and morning after pills", json!("title=now and morning after pills")),
            ("title includes a b", json!("title~=a b")),
            ("title does not contain 'a b'", json!("!title~=a b")),
            ("title doesn't include ab", json!("!title~=ab")),
            ("title does not start with ab", json!("!title^=ab")),
            ("title does not match ^a", json!("!title=~^a")),
            ("title does contain a", json!(null)),
            ("state equals 'open'", json!("state='open'")),
            ("state does not equal open", json!("state!=open")),
            ("n is greater than 3", json!("n>3")),
            ("n at least -3 and m less than 5", json!({"all": ["n>=-3", "m<5"]})),
            ("state=open and n more than 3", json!({"all": ["state=open", "n>3"]})),
            ("n is not at most 3", json!("!n<=3")),
            ("created is at least '2026-01-01'", json!("created>=2026-01-01")),
            ("title=less than nothing or more than that", json!("title=less than nothing or more than that")),
            ("title contains rock and roll includes drums", json!("title~=rock and roll includes drums")),
            ("title contains 'a' and body does not contain 'b'", json!({"all": ["title~=a", "!body~=b"]})),
            ("title contains 'a' and body includes 'b'", json!({"all": ["title~=a", "body~=b"]})),
            ("title=a and body is 'b'", json!({"all": ["title=a", "body='b'"]})),
            ("lines that include tests", json!(null)),
        ];
        for (text, expected) in rows {
            let found = Clause::read(&text.into(), false);
            assert_eq!(found.map_or(json!(null), |clause| clause.exact()), expected, "{text}");
        }
        let error = Clause::read(&"title like abc".into(), false).unwrap_err();
        assert!(error.hint().contains("`title~=abc` for a part"), "{error}");
        let lines = Clause::read(&"line starts with a".into(), true).unwrap();
        assert_eq!(lines.exact(), json!("line^=a"));
        let lines = Clause::read(&"line~=b and line starts with 'a'".into(), true).unwrap();
        assert_eq!(lines.exact(), json!({"all": ["line~=b", "line^=a"]}));
        let lines = Clause::read(&"line~=b and line like 'a%'".into(), true).unwrap();
        assert_eq!(lines.exact(), json!({"all": ["line~=b", "line=~^a"]}));
    }
}
