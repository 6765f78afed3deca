//! What a filter reads: the paths that begin at its input, and what it makes itself.

use std::collections::BTreeSet;

use lro_query::tree::{BinaryOp, Part, Path, StrPart, Term, each_part};
use lro_query::{Arena, Limits, Query, functions, words};

use super::fields::Fields;
use super::functions::either;
use super::{Advice, AskedFilter};

/// What a filter reads and makes.
#[derive(Debug, Default)]
pub(super) struct FilterReading {
    /// Paths that begin with a key, in their order in the filter; `[]` is any element.
    pub(super) paths: Vec<Vec<String>>,
    /// Keys of the objects that it makes.
    made: BTreeSet<String>,
    /// Paths that are compared with a number or a text.
    pub(super) compared: Vec<(Vec<String>, Literal)>,
    /// Of these, paths that are less than a number, and paths that are greater than one.
    pub(super) below: Vec<Vec<String>>,
    above: Vec<Vec<String>>,
    /// Keys by which all records are sorted, grouped or told apart: `group_by(.a)`.
    gathered_by: Vec<String>,
    /// `select(.a = …)`
    pub(super) assigns_in_select: bool,
    /// Keys of objects that are made of a value in the record, with the path to it: `.items[] | {id}`.
    pub(super) inner: Vec<(Vec<String>, String)>,
    /// It reads JSON of a text, which has any keys.
    parses_json: bool,
}

/// The keys that `to_entries` and `match` make.
const ENTRIES: [&str; 2] = ["key", "value"];
const MATCHES: [&str; 5] = ["offset", "length", "string", "captures", "name"];

/// What a path is compared with.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Literal {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl FilterReading {
    /// Reads a filter; nothing is known of one that does not parse.
    pub(super) fn of(asked: AskedFilter<'_>) -> Self {
        match asked.query {
            Some(query) => Self::of_query(query),
            // Criteria are run as another filter than the one that is read.
            None => {
                let arena = Arena::default();
                let query = Query::parse(asked.filter, &arena, &Limits::default());
                query.map_or_else(|_| Self::default(), |query| Self::of_query(&query))
            }
        }
    }

    fn of_query(query: &Query<'_>) -> Self {
        let mut reading = Self { gathered_by: gathered_by(query.tree()), ..Self::default() };
        each_part(query.tree(), &mut |part| reading.note(part));
        reading
    }

    fn note(&mut self, term: &Term<&str>) {
        match term {
            Term::Path(..) => self.paths.extend(path_of(term)),
            Term::Obj(members) => {
                for (key, value) in members {
                    let name = text_of(key);
                    match value {
                        Some(_) => self.made.extend(name),
                        None => self.paths.extend(name.map(|name| vec![name])),
                    }
                }
            }
            Term::BinOp(left, BinaryOp::Pipe(None), right) => {
                if let (Some(path), Term::Obj(members)) = (path_of(left), &**right) {
                    let keys = members.iter().filter_map(|(key, value)| match value {
                        None => text_of(key),
                        Some(value) => path_of(value).and_then(|path| path.into_iter().next()),
                    });
                    self.inner.extend(keys.map(|key| (path.clone(), key)));
                }
            }
            Term::BinOp(left, BinaryOp::Cmp(operator), right) => {
                // What `<` and `<=` say of a lesser and a greater number; `!=` says so of both.
                let (is_less, is_greater) = (operator.run(&1, &2), operator.run(&2, &1));
                let is_number = |term: &Term<&str>| matches!(literal(term), Some(Literal::Number(_)));
                if is_less != is_greater && is_number(right) {
                    (if is_less { &mut self.below } else { &mut self.above }).extend(path_of(left));
                } else if is_less != is_greater && is_number(left) {
                    (if is_less { &mut self.above } else { &mut self.below }).extend(path_of(right));
                }
                let compared = match (path_of(left), literal(right)) {
                    (None, _) => path_of(right).zip(literal(left)),
                    (path, literal) => path.zip(literal),
                };
                self.compared.extend(compared);
            }
            Term::Call("to_entries" | "with_entries", _) => self.made.extend(ENTRIES.map(str::to_owned)),
            Term::Call("match", _) => self.made.extend(MATCHES.map(str::to_owned)),
            Term::Call("capture", arguments) => self.made.extend(arguments.iter().filter_map(text_of).flat_map(groups)),
            Term::Call("fromjson", _) => self.parses_json = true,
            Term::Call("select", arguments) => {
                self.assigns_in_select |=
                    arguments.iter().any(|argument| matches!(argument, Term::BinOp(_, BinaryOp::Assign, _)));
            }
            _ => {}
        }
    }

    /// Paths that are less than a number, where nothing excludes null, which is less than every number.
    pub(super) fn less_with_null(&self) -> impl Iterator<Item = &Vec<String>> {
        self.below.iter().filter(|path| !self.above.contains(path))
    }

    /// True if it reads keys that it does not make itself.
    pub(super) fn reads_keys(&self) -> bool {
        !self.parses_json && self.paths.iter().any(|path| !self.made.contains(&path[0]))
    }

    /// The keys that are read of records and that none has.
    pub(super) fn unknown<'a>(&'a self, fields: &'a Fields) -> impl Iterator<Item = &'a str> {
        let mut seen = BTreeSet::new();
        let keys = self.paths.iter().map(|path| path[0].as_str());
        keys.filter(move |key| {
            let is_nested_in_a_known_one = || self.mentions_parent(key, fields);
            fields.get(&[key]).is_none()
                && !self.made.contains(*key)
                && !is_nested_in_a_known_one()
                && seen.insert(*key)
        })
    }

    /// True if it begins with a function that gathers all records by a key.
    pub(super) fn gathers(&self) -> bool {
        !self.gathered_by.is_empty()
    }

    /// Keys by which all records are gathered and that none has. A record may be an array, which is gathered itself.
    pub(super) fn gathered_by_unknown<'a>(&'a self, fields: &'a Fields) -> impl Iterator<Item = &'a str> {
        let keys = self.gathered_by.iter().map(String::as_str);
        keys.filter(|key| fields.get(&[key]).is_none() && fields.get(&["[]", key]).is_none())
    }

    /// True if the filter takes a value that has this key: `.provenance | .confidence`.
    fn mentions_parent(&self, key: &str, fields: &Fields) -> bool {
        let without_elements = |path: &[String]| path.iter().filter(|part| *part != "[]").cloned().collect::<Vec<_>>();
        let paths: Vec<Vec<String>> = self.paths.iter().map(|path| without_elements(path)).collect();
        fields.deeper(key).any(|field| paths.contains(&without_elements(field.parent())))
    }
}

/// Functions that gather the elements of an array by a key.
const GATHERING: [&str; 5] = ["sort_by", "group_by", "unique_by", "min_by", "max_by"];

/// The keys of the function that a filter on all records begins with, behind `map(select(…))`. What stands further behind may
/// run on other values.
fn gathered_by(tree: &Term<&str>) -> Vec<String> {
    match tree {
        Term::BinOp(left, BinaryOp::Pipe(None), right) => match &**left {
            Term::Id => gathered_by(right),
            Term::Call("map", arguments) if matches!(arguments[..], [Term::Call("select", _)]) => gathered_by(right),
            left => gathered_by(left),
        },
        Term::Path(base, _) => gathered_by(base),
        Term::Call(name, arguments) if GATHERING.contains(name) => arguments.iter().flat_map(first_keys).collect(),
        _ => Vec::new(),
    }
}

/// The first keys of `.a.b`, or of each part of `[.a, .b]`.
fn first_keys(term: &Term<&str>) -> Vec<String> {
    match term {
        Term::Arr(Some(inner)) | Term::Neg(inner) => first_keys(inner),
        Term::BinOp(left, BinaryOp::Comma, right) => [first_keys(left), first_keys(right)].concat(),
        Term::BinOp(left, BinaryOp::Pipe(None), _) => first_keys(left),
        _ => path_of(term).into_iter().filter_map(|path| path.into_iter().next()).collect(),
    }
}

/// The path of `.a.b`, `.a[0].b` and `.a[].b`; `None` if it begins with something else than a key of the input.
fn path_of(term: &Term<&str>) -> Option<Vec<String>> {
    let Term::Path(base, Path(parts)) = term else { return None };
    if !matches!(**base, Term::Id) {
        return None;
    }
    let mut path: Vec<String> = parts.iter().map_while(|(part, _)| step(part)).flatten().collect();
    // With slurp, records are elements: `.[0].title`, `.[].title`.
    if path.first().is_some_and(|first| first == "[]") {
        path.remove(0);
    }
    (!path.is_empty()).then_some(path)
}

/// The key that a part of a path leads to, or `[]` for any element. A slice leads nowhere else; `None` if the key is not known.
pub(super) fn step(part: &Part<Term<&str>>) -> Option<Option<String>> {
    match part {
        Part::Index(Term::Num(_)) | Part::Range(None, None) => Some(Some("[]".to_owned())),
        Part::Index(key) => text_of(key).map(Some),
        Part::Range(..) => Some(None),
    }
}

/// The names of the groups of a pattern.
fn groups(pattern: String) -> Vec<String> {
    let names = pattern.split("(?<").skip(1).filter_map(|rest| Some(rest.split_once('>')?.0.to_owned()));
    names.collect()
}

pub(super) fn text_of(term: &Term<&str>) -> Option<String> {
    match term {
        Term::Str(None, parts) => match &parts[..] {
            [StrPart::Str(text)] => Some((*text).to_owned()),
            _ => None,
        },
        _ => None,
    }
}

fn literal(term: &Term<&str>) -> Option<Literal> {
    match term {
        Term::Num(number) => number.parse().ok().map(Literal::Number),
        other => text_of(other).map(Literal::Text),
    }
}

/// Advice on a filter that names a field as other languages do: `select(title == "x")`, `.x-y`.
pub(super) fn of_bare_name(filter: &str, fields: &Fields) -> Option<Advice> {
    let words = words(filter)?;
    let names: BTreeSet<&str> = functions().map(|function| function.name).collect();
    let unknown =
        |word: &&str| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !names.contains(word);
    for (i, word) in words.iter().enumerate().filter(|(_, word)| unknown(word)) {
        let before = i.checked_sub(1).map(|before| words[before]);
        let field = i.checked_sub(2).and_then(|place| words[place].strip_prefix('.'));
        let joined = field.zip(before).map(|(field, sign)| (sign, format!("{field}{sign}{word}")));
        if let Some((_, joined)) =
            joined.filter(|(sign, joined)| *sign == "-" || fields.get(&[joined.as_str()]).is_some())
        {
            let hint =
                format!("a key with characters other than letters, digits and _ is written in quotes: `.\"{joined}\"`");
            return Some(Advice::new(hint, fields.get(&[&joined]).map(|field| field.key().to_owned())));
        }
        let near = fields.near(word);
        if fields.get(&[word]).is_some() {
            return Some(Advice::new(format!("a field begins with a dot: `.{word}`"), [(*word).to_owned()]));
        }
        if let [first, ..] = near[..]
            && !words.get(i + 1).is_some_and(|next| next.starts_with('('))
        {
            let hint = format!("a field begins with a dot: `.{first}`");
            return Some(Advice::new(hint, near.iter().map(|name| (*name).to_owned())));
        }
    }
    None
}

/// The keys that could have been meant by one that no record has: nearer ones, and the same one deeper.
pub(super) fn instead_of(key: &str, fields: &Fields) -> Vec<String> {
    let near = fields.near(key).into_iter().map(|name| super::fields::jq(&[name]));
    // A path that was written as one key.
    let path = fields.dotted(key).filter(|path| path.len() > 1);
    let path = path.map(|path| super::jq_path(&path));
    let found: Vec<String> = path.into_iter().chain(fields.places_of(key)).chain(near).take(3).collect();
    if found.is_empty() { fields.near_anywhere(key) } else { found }
}

/// `did you mean …?`, and the fields that there are.
pub(super) fn did_you_mean(key: &str, fields: &Fields) -> Advice {
    let instead = instead_of(key, fields);
    let known = fields.have();
    match instead.is_empty() {
        true => Advice::new(known, fields.top().map(|field| field.key().to_owned())),
        false => Advice::new(format!("did you mean {}? {known}", either(&instead)), instead),
    }
}

#[cfg(test)]
mod tests {
    use super::{AskedFilter, FilterReading};

    #[test]
    fn a_filter_gathers_all_records_by_keys() {
        for (filter, expected) in [
            ("group_by(.a)", &["a"][..]),
            ("group_by(.a.b) | map(length)", &["a"]),
            (". | sort_by(-.a) | .[0]", &["a"]),
            ("max_by([.a, .b]).id", &["a", "b"]),
            ("unique_by(.a | ascii_downcase)[:5]", &["a"]),
            ("map(select(.x)) | min_by(.a)", &["a"]),
            ("sort_by(length)", &[]),
            ("map({n: .x}) | sort_by(.n)", &[]),
            (".items | sort_by(.n)", &[]),
            ("[.[] | group_by(.n)]", &[]),
        ] {
            let reading = FilterReading::of(AskedFilter { filter, query: None, slurps: true, note: "" });
            assert_eq!(reading.gathered_by, expected, "{filter}");
            assert_eq!(reading.gathers(), !expected.is_empty(), "{filter}");
        }
    }
}
