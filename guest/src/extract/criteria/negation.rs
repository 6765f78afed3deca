//! What negates a condition: `!title~=x`, `not title~=x`, `!(state=open or state=new)`.
//!
//! A negated condition holds for the records that do not meet it, and so for those that lack its field, as `!=` does.

use super::clause::Clause;
use super::condition::{Condition, Operator};
use super::{refused, words};
use crate::error::Error;

/// Passes over `!` and `not` in front of a condition. Returns whether they negate it, and what follows.
pub(super) fn passed(text: &str) -> (bool, &str) {
    let (mut is_negated, mut rest) = (false, text.trim_start());
    while let Some(next) = after_one(rest) {
        (is_negated, rest) = (!is_negated, next);
    }
    (is_negated, rest)
}

fn after_one(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('!') {
        // These signs belong together: `!=`.
        return Some(rest.trim_start()).filter(|rest| !rest.starts_with(['=', '~', '^', '<', '>']));
    }
    // `Not Before` is a field of certificates.
    let rest = text.strip_prefix("not").or_else(|| text.strip_prefix("NOT"))?;
    let next = rest.trim_start();
    let is_apart = next.len() < rest.len() || next.starts_with('(');
    let begins_a_name = next.starts_with(|c: char| c.is_alphanumeric() || "_.@$\"!(".contains(c));
    let word = next.split_whitespace().next().unwrap_or_default();
    // `not in a,b` is a condition on a field `not`.
    let is_name = begins_a_name && Operator::named(word).is_none() && word != "is";
    (is_apart && is_name).then_some(next)
}

/// Refuses `not found`: it is a text as people search for it, and every record would lack a field `found`. Names of other
/// forms, such as `not user.login`, are fields.
pub(super) fn check_words(text: &str, are_lines: bool) -> Result<(), Error> {
    let mut words = text.split_whitespace();
    let (Some(not), Some(word), None) = (words.next(), words.next(), words.next()) else { return Ok(()) };
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || "-'".contains(c));
    if !words::is_word(not, "not") || !is_plain || Operator::named(word).is_some() {
        return Ok(());
    }
    let reason = format!("`{not} {word}` may be a text, or say that a field is missing");
    Err(refused(
        &reason,
        &match are_lines {
            true => format!(
                "write `line~={not} {word}` to search for the text, or `!line~={word}` for lines without `{word}`"
            ),
            false => format!(
                "write `!{word}` for records without this field, `{word}=false` where it is false, or `FIELD~={not} {word}` to search for the text"
            ),
        },
    ))
}

impl Clause {
    /// A condition, or what does not meet it.
    pub(super) fn of(condition: Condition, is_negated: bool) -> Self {
        let clause = Self::One(condition);
        if is_negated { clause.negated() } else { clause }
    }

    /// What does not meet it.
    pub(super) fn negated(self) -> Self {
        match self {
            Self::One(mut condition) => {
                match condition.operator {
                    Operator::Eq => condition.operator = Operator::Ne,
                    Operator::Ne => condition.operator = Operator::Eq,
                    Operator::Exists => {
                        let exists = condition.values.first().and_then(serde_json::Value::as_bool).unwrap_or(true);
                        condition.values = vec![(!exists).into()];
                    }
                    _ => return Self::Not(condition),
                }
                Self::One(condition)
            }
            Self::Not(condition) => Self::One(condition),
            Self::Any(list) => Self::All(list.into_iter().map(Self::negated).collect()),
            Self::All(list) => Self::Any(list.into_iter().map(Self::negated).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use serde_json::{Value, json};

    use super::super::typed;
    use super::*;

    fn exact(condition: &Value, are_lines: bool) -> Value {
        match Clause::read(condition, are_lines) {
            Ok(clause) => clause.exact(),
            Err(error) => panic!("{condition}: {error}"),
        }
    }

    /// Conditions, and each of them as it is read.
    fn rows() -> Vec<(Value, Value)> {
        vec![
            (json!("!Title=~^The"), json!("!Title=~^The")),
            (json!("!Director=Woody Allen"), json!("Director!=Woody Allen")),
            (json!("not Title~=x"), json!("!Title~=x")),
            (json!("NOT Title~=x"), json!("!Title~=x")),
            (json!("! Title ~= x"), json!("!Title~=x")),
            (json!("!\"IMDB Rating\">8"), json!("!IMDB Rating>8")),
            (json!("not IMDB Rating>8"), json!("!IMDB Rating>8")),
            (json!("Title!~=x"), json!("!Title~=x")),
            (json!("Title !^= x"), json!("!Title^=x")),
            (json!("Title!=~^The"), json!("!Title=~^The")),
            (json!("Title!~^The"), json!("!Title=~^The")),
            (json!("Title!= ~x"), json!("Title!=\"~x\"")),
            (json!("state not in (a,b)"), json!("!state in a,b")),
            (json!("state NOT IN (a,b)"), json!("!state in a,b")),
            (json!("!state in a,b"), json!("!state in a,b")),
            (json!("Title not contains a b"), json!("!Title~=a b")),
            (json!("n not between 3 and 5"), json!("!n=3..5")),
            (json!("!n=3..5"), json!("!n=3..5")),
            (json!("x is null"), json!("!x")),
            (json!("x IS NOT NULL"), json!("x")),
            (json!("x is missing"), json!("!x")),
            (json!("Release Date is not missing"), json!("\"Release Date\"")),
            (json!("x not exists"), json!("!x")),
            (json!("not x exists"), json!("!x")),
            (json!("not x.y"), json!("!x.y")),
            (json!("not \"x\""), json!("!x")),
            (json!("not x_y"), json!("!x_y")),
            (json!("tags or not x"), json!({"any": ["tags", "!x"]})),
            (json!("!Release Date"), json!("!Release Date")),
            (json!("!!x"), json!("x")),
            (json!("!x!=3"), json!("x=3")),
            // Parentheses, and what joins.
            (json!("!(a~=x)"), json!("!a~=x")),
            (json!("not (a=1 or b~=2)"), json!({"all": ["a!=1", "!b~=2"]})),
            (json!("c=3 and !(a=1 and b>2)"), json!({"all": ["c=3", {"any": ["a!=1", "!b>2"]}]})),
            (json!("c=3 or not(a in x,y)"), json!({"any": ["c=3", "!a in x,y"]})),
            (json!("a=1 and not b~=2"), json!({"all": ["a=1", "!b~=2"]})),
            (json!("!a~=1 or !b"), json!({"any": ["!a~=1", "!b"]})),
            (json!("!a or b"), json!({"any": ["!a", "b"]})),
            (json!("!Major Genre=a or Major Genre=b"), json!({"any": ["Major Genre!=a", "Major Genre=b"]})),
            (json!("a=open or b is null"), json!({"any": ["a=open", "!b"]})),
            (json!("a is null or b not in (x, y)"), json!({"any": ["!a", "!b in x,y"]})),
            (json!("a is null and b is null and n>=1"), json!({"all": ["!a", "!b", "n>=1"]})),
            (json!("n>=1 and a is not null and n<=3"), json!({"all": ["n>=1", "a", "n<=3"]})),
            (json!("a is null or b is null or c is null"), json!({"any": ["!a", "!b", "!c"]})),
            (json!("a is null||b is null&&c IS NOT NULL"), json!({"any": ["!a", {"all": ["!b", "c"]}]})),
            (json!("(a is null and b is missing) or c=2"), json!({"any": [{"all": ["!a", "!b"]}, "c=2"]})),
            (json!("(a=1 or b is null)\u{3000}"), json!({"any": ["a=1", "!b"]})),
            (json!("(a=1 or b is null)\u{a0} or c=2"), json!({"any": [{"any": ["a=1", "!b"]}, "c=2"]})),
            (json!("(a=1 or b is null\u{3000})  or c=2"), json!({"any": [{"any": ["a=1", "!b"]}, "c=2"]})),
            (json!("a not contains x and b not contains y"), json!({"all": ["!a~=x", "!b~=y"]})),
            (json!({"not": "a~=x"}), json!("!a~=x")),
            (json!({"not": {"any": ["a~=x", {"not": "b"}]}}), json!({"all": ["!a~=x", "b"]})),
            (
                json!({"not": {"field": ["a.b", "c"], "op": "lt", "value": 3}}),
                json!({"not": {"field": ["a.b", "c"], "op": "lt", "value": 3}}),
            ),
        ]
    }

    #[test]
    fn a_negated_condition_is_read_in_each_of_its_forms() {
        for (condition, expected) in rows() {
            let found = exact(&condition, false);
            assert_eq!(found, expected, "{condition}");
            assert_eq!(exact(&found, false), expected, "{found} is read again");
        }
    }

    /// True for a condition that a host lets through.
    fn is_in_schema(condition: &Value, schema: &Value) -> bool {
        let Some(members) = condition.as_object() else { return condition.is_string() };
        let forms = schema["$defs"]["condition"]["oneOf"].as_array().unwrap().iter();
        let mut fitting = forms.filter(|form| {
            let required = form["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            members.keys().all(|key| form["properties"].get(key).is_some())
                && required.into_iter().all(|key| members.contains_key(key))
        });
        let (Some(form), None) = (fitting.next(), fitting.next()) else { return false };
        let is_valid = |(key, value): (&String, &Value)| match key.as_str() {
            "op" => Regex::new(form["properties"]["op"]["pattern"].as_str().unwrap())
                .unwrap()
                .is_match(value.as_str().unwrap()),
            "any" | "all" => value.as_array().unwrap().iter().all(|one| is_in_schema(one, schema)),
            "not" => is_in_schema(value, schema),
            _ => true,
        };
        members.iter().all(is_valid)
    }

    #[test]
    fn the_schema_of_requests_has_what_is_read() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../wit/request.schema.json");
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let named = |op: String| json!({"field": "a", "op": op, "value": ["x"]});
        let names = Operator::ALL.iter().flat_map(|(name, _)| ["", "not ", "not_"].map(|not| format!("{not}{name}")));
        let signs = typed::SIGNS.iter().map(|(sign, ..)| (*sign).to_owned());
        let conditions = names.chain(signs).map(named).chain(rows().into_iter().flat_map(|(one, read)| [one, read]));
        for condition in conditions {
            assert!(is_in_schema(&condition, &schema), "{condition}");
        }
        for op in ["like", "not", "!<", "not =", "!=="] {
            assert!(typed::operator(op).is_none() && !is_in_schema(&named(op.to_owned()), &schema), "{op}");
        }
    }

    #[test]
    fn words_that_may_be_a_text_are_refused_with_the_way_out() {
        let rows = [
            ("not found", false, "write `!found` for records", "`FIELD~=not found`"),
            ("not draft", false, "write `!draft` for records", "`draft=false` where it is false"),
            (" NOT  Found ", false, "write `!Found` for records", "`FIELD~=NOT Found`"),
            ("not found", true, "write `line~=not found`", "`!line~=found`"),
        ];
        for (text, are_lines, first, second) in rows {
            for condition in [json!(text), json!({"any": ["line", text]})] {
                let error = Clause::read(&condition, are_lines).unwrap_err();
                assert!(error.message().contains("may be a text"), "{condition}: {error}");
                assert!(error.hint().contains(first) && error.hint().contains(second), "{condition}: {}", error.hint());
            }
        }
    }

    #[test]
    fn lines_are_negated_too() {
        for text in ["!line~=libs", "not line~=libs", "line!~=libs", "!~=libs", "not ~=libs", "line not contains libs"]
        {
            assert_eq!(exact(&text.into(), true), json!("!line~=libs"), "{text}");
            let joined = format!("line~=a and {text}");
            assert_eq!(exact(&joined.as_str().into(), true)["all"][1], json!("!line~=libs"), "{joined}");
        }
    }

    #[test]
    fn a_word_of_a_field_or_of_a_value_negates_nothing() {
        let rows = [
            ("Not Before>=2026", "Not Before>=2026"),
            ("not in a,b", "not in a,b"),
            ("not=5", "not=5"),
            ("notes~=x", "notes~=x"),
            ("title=to be or not to be", "title=to be or not to be"),
            ("title~=a or not b", "title~=a or not b"),
            ("title=this is null", "title=this is null"),
            ("title~=x is null or void", "title~=x is null or void"),
        ];
        for (text, expected) in rows {
            assert_eq!(exact(&text.into(), false), json!(expected), "{text}");
        }
    }
}
