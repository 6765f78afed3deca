//! What a filter looks for in the records: `.n > 5`, `.labels | index("bug")`, `any(.tags[]; . == "redis")`.

use lro_query::tree::{BinaryOp, Cmp, Path, Term};
use serde_json::Value;

use super::reading::{step, text_of};

/// More than so many are not looked into.
const MOST_SOUGHT: usize = 8;

/// How a value is tested.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Test {
    /// It equals one of the values.
    Equal,
    /// It is less or greater.
    Order(Cmp),
    /// Its length is.
    Length(Cmp),
    /// An array has the value as an element, or a text as a part: `index`.
    Index,
    /// A text has it inside.
    Inside,
    /// A text begins with it.
    Prefix,
    /// A text ends with it.
    Suffix,
    /// A regular expression matches.
    Pattern,
    /// An object has it as a key: `has`.
    Key,
    /// It is neither null nor false.
    True,
}

/// A test of what lies at a path.
#[derive(Debug, PartialEq)]
pub(super) struct Sought {
    /// From the record on; `[]` is any element.
    pub(super) path: Vec<String>,
    /// How.
    pub(super) test: Test,
    /// For what: texts, numbers and booleans, at least one.
    pub(super) values: Vec<Value>,
}

impl Sought {
    /// The keys on its path.
    pub(super) fn keys(&self) -> Vec<String> {
        self.path.iter().filter(|part| *part != ELEMENTS).cloned().collect()
    }
}

/// Functions whose result lies where their input does, or is the same in other letters.
const KEEPING: [&str; 20] = [
    "arrays",
    "ascii_downcase",
    "ascii_upcase",
    "first",
    "flatten",
    "group_by",
    "last",
    "numbers",
    "objects",
    "reverse",
    "select",
    "sort",
    "sort_by",
    "strings",
    "tonumber",
    "tostring",
    "trim",
    "unique",
    "unique_by",
    "values",
];

/// What a filter looks for, in its order. With `slurp`, the records are elements of its input.
pub(super) fn sought(tree: &Term<&str>) -> Vec<Sought> {
    let mut all = Vec::new();
    look(tree, &[], &mut all);
    all = all.into_iter().filter_map(of_keys).collect();
    for one in &mut all {
        let elements = one.path.iter().take_while(|part| *part == ELEMENTS).count();
        one.path.drain(..elements);
    }
    // The record itself is only asked for its keys.
    all.retain(|one| !one.path.is_empty() || one.test == Test::Key);
    all.truncate(MOST_SOUGHT);
    all
}

/// Any element, in a path.
pub(super) const ELEMENTS: &str = "[]";

/// What `keys` and `to_entries` make, on a path. No record has such a key.
const KEYS: &str = "\0keys";
const ENTRIES: &str = "\0entries";

/// A test of the keys that an object has been made into, as a test of the object; `None` for others of what was made.
fn of_keys(one: Sought) -> Option<Sought> {
    let Some(at) = one.path.iter().position(|part| *part == KEYS || *part == ENTRIES) else { return Some(one) };
    let rest: Vec<&str> = one.path[at..].iter().map(String::as_str).collect();
    let is_of_keys = matches!(rest[..], [KEYS] | [KEYS, ELEMENTS] | [ENTRIES, ELEMENTS, "key"]);
    let is_equal = matches!(one.test, Test::Equal | Test::Index);
    (is_of_keys && is_equal).then(|| Sought { path: one.path[..at].to_vec(), test: Test::Key, ..one })
}

/// Notes what a term looks for where its input lies `at` this path.
fn look(term: &Term<&str>, at: &[String], all: &mut Vec<Sought>) {
    match term {
        // What no record meets is met by all when it is negated.
        Term::BinOp(_, BinaryOp::Pipe(None), right) if matches!(**right, Term::Call("not", _)) => {}
        Term::BinOp(left, BinaryOp::Pipe(None), right) => {
            look(left, at, all);
            if let Some(path) = place(left, at) {
                look(right, &path, all);
            }
        }
        Term::BinOp(left, BinaryOp::Cmp(operator), right) => all.extend(compared(left, *operator, right, at)),
        Term::BinOp(left, BinaryOp::And | BinaryOp::Or, right) => {
            look_for_truth(left, at, all);
            look_for_truth(right, at, all);
        }
        Term::BinOp(left, _, right) => {
            look(left, at, all);
            look(right, at, all);
        }
        Term::Call("map" | "map_values", arguments) if arguments.len() == 1 => {
            look(&arguments[0], &element_of(at), all);
        }
        Term::Call("with_entries", arguments) if arguments.len() == 1 => {
            look(&arguments[0], &element_of(&part_of(at, ENTRIES)), all);
        }
        Term::Call("select", arguments) if arguments.len() == 1 => look_for_truth(&arguments[0], at, all),
        Term::Call("any" | "all", arguments) if arguments.len() == 1 => {
            look_for_truth(&arguments[0], &element_of(at), all);
        }
        Term::Call("any" | "all", arguments) if arguments.len() == 2 => {
            if let Some(path) = place(&arguments[0], at) {
                look_for_truth(&arguments[1], &path, all);
            }
        }
        Term::Call(name, arguments) => match called(name, arguments, at) {
            Some(found) => all.extend(found),
            None => arguments.iter().for_each(|argument| look(argument, at, all)),
        },
        Term::Path(inner, _) | Term::Arr(Some(inner)) | Term::Neg(inner) | Term::TryCatch(inner, _) => {
            look(inner, at, all);
        }
        Term::Obj(members) => members.iter().filter_map(|(_, value)| value.as_ref()).for_each(|one| look(one, at, all)),
        Term::IfThenElse(branches, otherwise) => {
            branches.iter().for_each(|(condition, _)| look_for_truth(condition, at, all));
            branches.iter().map(|(_, then)| then).chain(otherwise.as_deref()).for_each(|one| look(one, at, all));
        }
        Term::Def(_, inner) => look(inner, at, all),
        _ => {}
    }
}

/// The same for a term that is a condition: a field alone asks whether it is true.
fn look_for_truth(term: &Term<&str>, at: &[String], all: &mut Vec<Sought>) {
    let field = if matches!(term, Term::Path(..)) { place(term, at) } else { None };
    match field {
        Some(path) => all.push(Sought { path, test: Test::True, values: vec![true.into()] }),
        None => look(term, at, all),
    }
}

/// Where the results of a term lie whose input lies `at` this path. For an array that is made, it is where its elements lie.
pub(super) fn place(term: &Term<&str>, at: &[String]) -> Option<Vec<String>> {
    match term {
        Term::Id => Some(at.to_vec()),
        Term::Path(inner, Path(parts)) => {
            let mut path = place(inner, at)?;
            for (part, _) in parts {
                path.extend(step(part)?);
            }
            Some(path)
        }
        Term::BinOp(left, BinaryOp::Pipe(None), right) => place(right, &place(left, at)?),
        Term::BinOp(left, BinaryOp::Alt, _) | Term::TryCatch(left, _) => place(left, at),
        Term::Arr(Some(inner)) => Some(array_of(place(inner, at)?)),
        Term::Call("map", arguments) => Some(array_of(place(arguments.first()?, &element_of(at))?)),
        Term::Call("join", _) => Some(element_of(at)),
        Term::Call("keys" | "keys_unsorted", _) => Some(part_of(at, KEYS)),
        Term::Call("to_entries", _) => Some(part_of(at, ENTRIES)),
        Term::Call(name, _) if KEEPING.contains(name) => Some(at.to_vec()),
        _ => None,
    }
}

fn element_of(at: &[String]) -> Vec<String> {
    part_of(at, ELEMENTS)
}

fn part_of(at: &[String], part: &str) -> Vec<String> {
    at.iter().cloned().chain([part.to_owned()]).collect()
}

/// The array whose elements lie there, if it is one of the record's.
fn array_of(mut path: Vec<String>) -> Vec<String> {
    if path.last().is_some_and(|last| last == ELEMENTS) {
        path.pop();
    }
    path
}

/// A comparison with a number or a text.
fn compared(left: &Term<&str>, operator: Cmp, right: &Term<&str>, at: &[String]) -> Option<Sought> {
    let (tested, operator, value) = match (value_of(left), value_of(right)) {
        (None, Some(value)) => (left, operator, value),
        (Some(value), None) => (right, mirrored(operator), value),
        _ => return None,
    };
    let is_length = |term: &Term<&str>| matches!(term, Term::Call("length", _));
    let (tested, is_length) = match tested {
        Term::BinOp(inner, BinaryOp::Pipe(None), length) if is_length(length) => (&**inner, true),
        tested if is_length(tested) => (&Term::Id, true),
        tested => (tested, false),
    };
    let path = place(tested, at)?;
    let test = match operator {
        Cmp::Ne => return None,
        operator if is_length => Test::Length(operator),
        Cmp::Eq => Test::Equal,
        operator => Test::Order(operator),
    };
    Some(Sought { path, test, values: vec![value] })
}

/// How jq writes a comparison.
pub(super) fn sign(operator: Cmp) -> &'static str {
    match operator {
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
    }
}

/// The operator with its sides changed.
fn mirrored(operator: Cmp) -> Cmp {
    match operator {
        Cmp::Lt => Cmp::Gt,
        Cmp::Le => Cmp::Ge,
        Cmp::Gt => Cmp::Lt,
        Cmp::Ge => Cmp::Le,
        same => same,
    }
}

/// What a function looks for in its input; `None` for one that looks for nothing.
fn called(name: &str, arguments: &[Term<&str>], at: &[String]) -> Option<Vec<Sought>> {
    let sought = |path: Vec<String>, test, values| Sought { path, test, values };
    let first = arguments.first()?;
    let test = match name {
        "IN" => {
            let values = listed(first)?;
            return (arguments.len() == 1).then(|| vec![sought(at.to_vec(), Test::Equal, values)]);
        }
        "contains" => match first {
            Term::Arr(Some(inner)) => {
                let each = listed(inner)?.into_iter();
                return Some(each.map(|value| sought(element_of(at), Test::Inside, vec![value])).collect());
            }
            _ => Test::Inside,
        },
        "has" => Test::Key,
        "index" | "rindex" | "indices" => Test::Index,
        "startswith" => Test::Prefix,
        "endswith" => Test::Suffix,
        "test" | "match" | "capture" | "scan" => Test::Pattern,
        _ => return None,
    };
    Some(vec![sought(at.to_vec(), test, vec![Value::String(text_of(first)?)])])
}

/// The values of `"a", "b"`.
fn listed(term: &Term<&str>) -> Option<Vec<Value>> {
    match term {
        Term::BinOp(left, BinaryOp::Comma, right) => Some([listed(left)?, listed(right)?].concat()),
        one => Some(vec![value_of(one)?]),
    }
}

fn value_of(term: &Term<&str>) -> Option<Value> {
    match term {
        Term::Num(number) => number.parse().ok().map(Value::Number),
        Term::Call("true", _) => Some(true.into()),
        Term::Call("false", _) => Some(false.into()),
        other => text_of(other).map(Value::String),
    }
}

#[cfg(test)]
mod tests {
    use lro_query::{Arena, Limits, Query};

    use super::*;

    #[test]
    fn a_filter_looks_for_values_at_paths() {
        use Test::*;
        let texts = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
        let number = || vec![Value::from(5)];
        for (filter, path, test, values) in [
            ("select(.n > 5)", "n", Order(Cmp::Gt), number()),
            ("select(5 >= .a.n)", "a n", Order(Cmp::Le), number()),
            ("map(select(.n == 5)) | length", "n", Equal, number()),
            (".[] | select(.n == 5) | .title", "n", Equal, number()),
            ("group_by(.a)[] | select(.[0].n == 5) | length", "n", Equal, number()),
            ("first(.[] | select(.n == 5)).title", "n", Equal, number()),
            ("select((.tags | length) > 5)", "tags", Length(Cmp::Gt), number()),
            ("select(.tags | length == 5)", "tags", Length(Cmp::Eq), number()),
            ("select(.state | IN(\"a\", \"b\"))", "state", Equal, texts(&["a", "b"])),
            ("select(.labels | index(\"x\"))", "labels", Index, texts(&["x"])),
            ("select((.labels // []) | index(\"x\"))", "labels", Index, texts(&["x"])),
            ("select(.labels | contains([\"x\"]))", "labels []", Inside, texts(&["x"])),
            ("select(.labels | any(. == \"x\"))", "labels []", Equal, texts(&["x"])),
            ("select(any(.labels[]?; . == \"x\"))", "labels []", Equal, texts(&["x"])),
            ("select(any(.labels[].name; startswith(\"x\")))", "labels [] name", Prefix, texts(&["x"])),
            ("select(.labels | map(.name) | index(\"x\"))", "labels [] name", Index, texts(&["x"])),
            ("select([.labels[].name] | index(\"x\"))", "labels [] name", Index, texts(&["x"])),
            ("select(.labels[] | .name == \"x\")", "labels [] name", Equal, texts(&["x"])),
            ("select(.tags | join(\",\") | test(\"x\"))", "tags []", Pattern, texts(&["x"])),
            ("select(.title | ascii_downcase | contains(\"x\"))", "title", Inside, texts(&["x"])),
            ("select(.title | test(\"x\"; \"i\"))", "title", Pattern, texts(&["x"])),
            ("if .title == \"x\" then 1 else empty end", "title", Equal, texts(&["x"])),
            (".items[] | select(.name | endswith(\"x\"))", "items [] name", Suffix, texts(&["x"])),
            ("select(.features | has(\"x\"))", "features", Key, texts(&["x"])),
            ("select(.a | keys | index(\"x\"))", "a", Key, texts(&["x"])),
            ("select(.a | keys | any(. == \"x\"))", "a", Key, texts(&["x"])),
            ("select(.a | keys[] == \"x\")", "a", Key, texts(&["x"])),
            (".a | to_entries[] | select(.key == \"x\")", "a", Key, texts(&["x"])),
            (".a | with_entries(select(.key | IN(\"x\")))", "a", Key, texts(&["x"])),
            ("select(.draft == false)", "draft", Equal, vec![false.into()]),
            ("map(select(.draft))", "draft", True, vec![true.into()]),
            ("select(.a.draft and (.n | not))", "a draft", True, vec![true.into()]),
        ] {
            let path = path.split(' ').map(str::to_owned).collect();
            assert_eq!(sought_in(filter), [Sought { path, test, values }], "{filter}");
        }
    }

    #[test]
    fn what_is_not_at_a_path_of_the_records_is_not_looked_for() {
        for filter in [
            "select(.n != 5)",
            "to_entries[] | select(.value == 5)",
            "[.n, 1] | add | select(. > 5)",
            ".. | strings | test(\"x\")",
            "select(.title | test(\"\\(.n)\"))",
            "select(.a == .b)",
            "select(.n > 5 | not)",
            "select(.title | test(\"x\") | not)",
            "length > 5",
        ] {
            assert_eq!(sought_in(filter), [], "{filter}");
        }
    }

    #[test]
    fn of_several_all_are_told() {
        assert_eq!(
            sought_in("select(has(\"x\"))"),
            [Sought { path: vec![], test: Test::Key, values: vec!["x".into()] }]
        );
        let found = sought_in("select(.a == \"x\" and (.b | contains([\"y\", \"z\"])) or .c < 5)");
        let paths: Vec<String> = found.iter().map(|one| one.path.join(" ")).collect();
        assert_eq!(paths, ["a", "b []", "b []", "c"]);
    }

    fn sought_in(filter: &str) -> Vec<Sought> {
        let arena = Arena::default();
        let query = Query::parse(filter, &arena, &Limits::default());
        sought(query.unwrap_or_else(|error| panic!("{filter}: {error}")).tree())
    }
}
