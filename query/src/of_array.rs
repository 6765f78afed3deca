//! Whether a filter was written for an array: `map(.id)`, `[.[] | .id]`, `group_by(.state) | …`.
//!
//! It says what the filter's own text takes its input for, and nothing of what it runs on: an object has values for
//! `.[]` too.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Part, Path};

use crate::Query;

type Tree<'s> = Term<&'s str>;

/// Functions that take an array, without their arguments: these run on its elements.
const OF_ARRAYS: [(&str, usize); 26] = [
    ("INDEX", 1),
    ("add", 0),
    ("all", 0),
    ("all", 1),
    ("any", 0),
    ("any", 1),
    ("first", 0),
    ("flatten", 0),
    ("flatten", 1),
    ("from_entries", 0),
    ("group_by", 1),
    ("join", 1),
    ("last", 0),
    ("map", 1),
    ("map_values", 1),
    ("max", 0),
    ("max_by", 1),
    ("min", 0),
    ("min_by", 1),
    ("nth", 1),
    ("reverse", 0),
    ("sort", 0),
    ("sort_by", 1),
    ("transpose", 0),
    ("unique", 0),
    ("unique_by", 1),
];

/// Functions whose first argument runs on the input, and the others on what it gives.
const BY_FIRST: [(&str, usize); 4] = [("any", 2), ("all", 2), ("INDEX", 2), ("IN", 2)];

/// Functions that take some of what their last argument gives.
const TAKE_SOME: [(&str, usize); 4] = [("first", 1), ("last", 1), ("limit", 2), ("nth", 2)];

/// What a filter does with its input.
#[derive(Default)]
struct Uses<'t> {
    /// It takes it for an array.
    as_array: bool,
    /// It reads a member by its name.
    by_key: bool,
    /// The names of these members, where they are known.
    keys: Vec<&'t str>,
    /// Those of the members of its elements.
    element_keys: Vec<&'t str>,
    /// It takes some of the elements, whatever they are.
    takes_some: bool,
}

/// What a filter that takes its input for an array takes the elements for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Elements {
    /// The keys that it reads of them: `commit` in `map(.commit.id)`.
    pub keys: Vec<String>,
    /// It takes some of them, whatever they are: `first(.[])`.
    pub takes_some: bool,
}

impl Query<'_> {
    /// What the filter takes the elements of its input for, if it takes that for an array, and never for an object with
    /// names.
    pub fn elements(&self) -> Option<Elements> {
        let mut uses = Uses::default();
        uses.of(self.tree());
        (uses.as_array && !uses.by_key).then(|| {
            uses.element_keys.sort_unstable();
            uses.element_keys.dedup();
            Elements { keys: uses.element_keys.into_iter().map(str::to_owned).collect(), takes_some: uses.takes_some }
        })
    }
}

/// True if a text may be such a filter: most are not, and need not be parsed to know that.
pub fn may_be_of_array(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_of_array = |word: &[u8]| OF_ARRAYS.iter().any(|(name, _)| name.as_bytes() == word);
    // What selects begins with a condition on a record.
    if text.trim_start().starts_with("select(") {
        return false;
    }
    memchr::memmem::find(text.as_bytes(), b".[").is_some()
        || text.as_bytes().split(|byte| !is_word(*byte)).any(|word| word.len() > 1 && is_of_array(word))
}

impl<'t> Uses<'t> {
    /// Looks at a term whose input is that of the filter.
    fn of(&mut self, term: &'t Tree<'_>) {
        match term {
            Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) | Term::Arr(None) => {}
            Term::Str(_, parts) => parts.iter().for_each(|part| {
                if let StrPart::Term(term) = part {
                    self.of(term);
                }
            }),
            Term::Arr(Some(inner)) | Term::Neg(inner) | Term::Label(_, inner) | Term::TryCatch(inner, _) => {
                self.of(inner);
            }
            Term::Obj(members) => members.iter().for_each(|(key, value)| match value {
                Some(value) => {
                    self.of(key);
                    self.of(value);
                }
                None if matches!(key, Term::Var(_)) => {}
                None => self.key(key),
            }),
            // What comes behind a pipe has another input.
            Term::BinOp(left, BinaryOp::Pipe(None), right) => match **left {
                Term::Id => self.of(right),
                // What is selected is the same value.
                ref left @ Term::Call("select", _) => {
                    self.of(left);
                    self.of(right);
                }
                ref left => {
                    self.of(left);
                    if is_each(left) {
                        self.of_elements(right);
                    }
                }
            },
            Term::BinOp(left, _, right) => {
                self.of(left);
                self.of(right);
            }
            Term::Fold(_, values, _, arguments) => {
                self.of(values);
                arguments.first().into_iter().for_each(|initial| self.of(initial));
            }
            Term::IfThenElse(cases, otherwise) => {
                for (condition, then) in cases {
                    self.of(condition);
                    self.of(then);
                }
                otherwise.iter().for_each(|otherwise| self.of(otherwise));
            }
            Term::Def(_, body) => self.of(body),
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(base, Path(parts)) => {
                if let (Term::Id, Some((part, _))) = (&**base, parts.first()) {
                    self.part(part);
                    if let (Part::Range(None, None), Some((Part::Index(index @ Term::Str(..)), _))) =
                        (part, parts.get(1))
                    {
                        self.element_keys.extend(name_of(index));
                    }
                }
                self.of(base);
                for (part, _) in parts {
                    match part {
                        Part::Index(index) => self.of(index),
                        Part::Range(from, to) => from.iter().chain(to).for_each(|bound| self.of(bound)),
                    }
                }
            }
        }
    }

    /// The first part of a path into the input.
    fn part(&mut self, part: &'t Part<Tree<'_>>) {
        match part {
            Part::Range(..) | Part::Index(Term::Num(_) | Term::Neg(_)) => self.as_array = true,
            Part::Index(key @ Term::Str(..)) => self.key(key),
            Part::Index(_) => {}
        }
    }

    /// A key of the input.
    fn key(&mut self, key: &'t Tree<'_>) {
        self.by_key = true;
        self.keys.extend(name_of(key));
    }

    /// Looks at a term whose input is an element of that of the filter.
    fn of_elements(&mut self, term: &'t Tree<'_>) {
        let mut uses = Uses::default();
        uses.of(term);
        self.element_keys.extend(uses.keys);
    }

    fn call(&mut self, name: &str, arguments: &'t [Tree<'_>]) {
        let is_in = |names: &[(&str, usize)]| names.contains(&(name, arguments.len()));
        self.takes_some |= is_in(&TAKE_SOME) && arguments.last().is_some_and(is_each);
        if is_in(&OF_ARRAYS) {
            self.as_array = true;
            arguments.iter().for_each(|argument| self.of_elements(argument));
        } else {
            let is_by_first = is_in(&BY_FIRST);
            let count = if is_by_first { 1 } else { arguments.len() };
            arguments[..count].iter().for_each(|argument| self.of(argument));
            if is_by_first && is_each(&arguments[0]) {
                self.of_elements(&arguments[1]);
            }
        }
    }
}

/// True for `.[]`.
fn is_each(term: &Tree<'_>) -> bool {
    matches!(term, Term::Path(base, Path(parts))
        if matches!(**base, Term::Id) && matches!(parts[..], [(Part::Range(None, None), _)]))
}

/// The name that a key without interpolations is.
fn name_of<'t>(key: &'t Tree<'_>) -> Option<&'t str> {
    match key {
        Term::Str(None, parts) => match &parts[..] {
            [StrPart::Str(name)] => Some(name),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, Limits};

    #[test]
    fn keys_of_elements_are_those_that_are_read_of_them() {
        let rows = [
            ("map(.commit.n) | add", "commit", false),
            ("map(select(.commit.n > 30)) | length", "commit", false),
            ("[.[] | .author.login] | unique", "author", false),
            (".[] | select(.node.lang == \"Rust\") | .node.id", "node", false),
            ("[.[].a.b]", "a", false),
            ("map({id, name: .user.name, n: (.tags | map(.x))})", "id tags user", false),
            ("limit(2; .[])", "", true),
            ("first(.[]) | .id", "", true),
            ("[limit(2; .[])]", "", true),
            ("limit(2; .a[])", "-", false),
            ("any(.[]; .commit.n == 3)", "commit", false),
            ("add", "", false),
            ("map(select(type == \"object\") | .id)", "id", false),
            (".a | map(.b)", "-", false),
        ];
        for (filter, keys, takes_some) in rows {
            let arena = Arena::default();
            let elements = Query::parse(filter, &arena, &Limits::default()).unwrap().elements();
            let found = elements.map_or(("-".to_owned(), false), |found| (found.keys.join(" "), found.takes_some));
            assert_eq!(found, (keys.to_owned(), takes_some), "{filter}");
        }
    }

    fn is_of_array(filter: &str) -> bool {
        let arena = Arena::default();
        let is_so = Query::parse(filter, &arena, &Limits::default()).unwrap().elements().is_some();
        // What is not parsed is not found.
        assert!(!is_so || may_be_of_array(filter), "{filter}");
        is_so
    }

    #[test]
    fn a_filter_that_takes_its_input_for_an_array() {
        let filters = [
            "map(select(.state == \"open\")) | length",
            "[.[] | select(.state == \"open\")] | length",
            "[.[].title]",
            ".[]",
            ".[] | select(.a)",
            ".[].a",
            ".[]?",
            ".[0:5]",
            ".[-1]",
            ".[0].a",
            ". | map(.a)",
            "group_by(.state) | map({state: .[0].state, n: length})",
            "sort_by(-.n) | .[0:3]",
            "sort_by(.n)[:3]",
            "unique_by(.x)",
            "max_by(.n).title",
            "first(.[] | select(.a))",
            "limit(3; .[] | .title)",
            "[limit(3; .[])]",
            "reduce .[] as $r (0; . + $r.n)",
            "foreach .[] as $r (0; . + $r.n)",
            "add",
            "last",
            "map(.n) | add / length",
            "(map(.n) | add) / length",
            "{total: length, open: map(select(.a)) | length}",
            "length as $n | map(.n) | add / $n",
            ".[] as $r | $r.a",
            ". as $all | ($all | length), .[0]",
            "any(.[]; .a == 1)",
            "any(.a == 1)",
            "INDEX(.id)",
            "INDEX(.[]; .id)",
            "\"\\(length) records, \\(map(.n) | add) in all\"",
            "if length > 0 then .[0] else empty end",
            "def f: .a; map(f)",
            "try map(.a) catch .",
            "[.[] | .a] | unique",
            "add(.[].n)",
            "label $out | .[] | if .a then ., break $out else empty end",
        ];
        let wrong: Vec<_> = filters.into_iter().filter(|filter| !is_of_array(filter)).collect();
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn a_filter_that_may_be_for_each_record() {
        let filters = [
            ".",
            "..",
            ".a",
            ".tags | map(ascii_downcase)",
            ".tags[0]",
            ".tags | add",
            "{id, n: .tags | length}",
            "{id, all: map(.n)}",
            "select(.a == 1) | .[0]",
            "select(any(.tags[]; . == \"a\"))",
            "length",
            "keys",
            "to_entries | map(.value)",
            "to_entries[] | .key",
            "with_entries(select(.value != null))",
            "[.a, .b] | join(\"-\")",
            "[.a, .b] | @csv",
            ".[\"a b\"]",
            ".[$key]",
            ". as {a: $a} | $a",
            "tojson",
            "has(\"a\")",
            "def f: map(.a); .tags | f",
        ];
        let variables = |filter: &str| filter.replace("$key", "\"k\"");
        let wrong: Vec<_> = filters.into_iter().filter(|filter| is_of_array(&variables(filter))).collect();
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn most_filters_are_not_parsed() {
        let filters = [
            "select(.state == \"open\") | {id, title}",
            "length",
            "{id, title}",
            ".title",
            "select(.n > 1)",
            "select(any(.tags[]; . == 1))",
        ];
        assert!(filters.into_iter().all(|filter| !may_be_of_array(filter)));
    }
}
