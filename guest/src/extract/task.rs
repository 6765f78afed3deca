//! What an extraction runs: a recipe of the file, a filter of the caller's, or criteria (EXTRACT-01 to 07, 23).

mod selected;

use std::borrow::Cow;

use lro_query::{
    Arena, Continuation, Error as Cause, Limits, Oversize, PageLimits, Piece, Position, Program, Query, Scope, Shape,
};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::extract::advice::{AskedFilter, explained};
use crate::extract::criteria::{Compiled, Criteria};
use crate::file::kind::Kind;
use crate::recipes::{self, Native, Recipe};
use crate::settings::Settings;
use crate::settings::request::{self, Way};
use crate::settings::sections::is_variable;

pub use selected::not_on_records;

/// A program with its variables.
#[derive(Debug)]
pub struct Task<'a> {
    native: Native,
    /// Names, without the dollar sign, and values.
    pub variables: Vec<(String, lro_query::Value)>,
    /// What the caller wrote, for advice on it; nothing for a recipe, which is ours.
    written: Option<Cow<'a, str>>,
    /// The filter that selects the records for the task's own.
    before: Option<String>,
}

impl Task<'_> {
    /// The text of the filter that is run.
    pub fn filter(&self) -> &str {
        &self.native.filter
    }

    /// The filter, parsed, behind what selects the records for it.
    pub fn parsed<'q>(&'q self, arena: &'q Arena, bounds: &Limits) -> Result<Query<'q>, Cause> {
        let query = Query::parse(self.filter(), arena, bounds)?;
        match &self.before {
            Some(before) => Ok(query.after(Query::parse(before, arena, bounds)?)),
            None => Ok(query),
        }
    }

    /// True if it looks at the whole set before there is a result.
    pub fn slurps(&self) -> bool {
        self.native.shape.slurps()
    }

    /// The program, with its filter parsed.
    pub fn program<'q>(&self, query: &'q Query<'q>) -> Program<'q> {
        self.native.program(query)
    }

    /// What the caller wrote. A filter of the caller's is the one that is run, and is not parsed again for advice on
    /// it. The `note` says what it ran on.
    pub fn asked<'q>(&'q self, query: Option<&'q Query<'q>>, note: &'q str) -> Option<AskedFilter<'q>> {
        let filter = self.written.as_deref()?;
        let query = query.filter(|query| query.text() == filter && self.before.is_none());
        Some(AskedFilter { filter, query, slurps: self.slurps(), note })
    }
}

/// What the request asks for, of a file with these recipes.
pub fn task<'a>(request: &'a request::Extract, set: &'a recipes::Set) -> Result<Task<'a>, Error> {
    let none = Map::new();
    let params = request.params.as_ref().unwrap_or(&none);
    let criteria = Criteria::of(request, set.kind)?;
    match (request.recipe, &request.query, criteria) {
        (Some(number), None, None) => recipe(number, params, request, set),
        (None, Some(filter), None) => custom(filter, params, request),
        (None, None, Some(criteria)) => without_jq(&criteria, request, set.kind),
        (Some(_), Some(_), _) => Err(refused("both `recipe` and `query` are given", "give exactly one of them")),
        (Some(number), None, Some(criteria)) => recipe(number, params, request, set)?.on_selected(&criteria, request),
        (None, Some(filter), Some(criteria)) => custom(filter, params, request)?.on_selected(&criteria, request),
        (None, None, None) => Err(refused(
            "neither `recipe` nor `query` nor `where` is given",
            "give a recipe from 1 to 10, a jq filter, conditions, or a line",
        )),
    }
}

/// The lines of the file themselves: records as the bytes that they came as, lines of a text as texts.
pub fn lines(request: &request::Extract, is_text: bool) -> Task<'static> {
    let (filter, shape) = if is_text { (".", Shape::Each) } else { ("true", Shape::Select) };
    let native = Native { filter: filter.into(), shape, reads: None, raw: request.raw.unwrap_or(is_text) };
    Task { native, variables: Vec::new(), written: None, before: None }
}

fn without_jq(criteria: &Criteria, request: &request::Extract, kind: Kind) -> Result<Task<'static>, Error> {
    if request.params.is_some() || request.slurp == Some(true) {
        return Err(refused("`params` and `slurp` do not go with criteria", "leave them out; they are for `query`"));
    }
    let Compiled { filter, shape, variables } = criteria.compile();
    // Lines stand as they are, as those of the recipes for text do.
    let raw = request.raw.unwrap_or(kind == Kind::Text);
    let native = Native { filter: filter.into(), shape, reads: None, raw };
    Ok(Task { native, variables, written: Some(criteria.as_read().into()), before: None })
}

/// The records to look at, and where the page begins: with the first of them, or where the caller continues. The
/// `front` is the first record of the file, or of the lines that are asked for; a file that is not divided belongs to
/// its first part; `byte_before` returns the byte before an offset, if there is one.
pub fn scope(
    request: &request::Extract,
    is_divided: bool,
    front: Position,
    byte_before: impl FnOnce(u64) -> Option<u8>,
) -> Result<Scope, Error> {
    let part = request.part.unwrap_or_default();
    let part = if is_divided { part } else { part.of_the_undivided() };
    let from = part.from.filter(|from| *from > 0);
    let first = match from {
        // What is left of the line before, which may be no more than its end, is dropped.
        Some(from) => Position { offset: from - 1, line: 1, skip: 0, before: 0 },
        None => front,
    };
    let scope = |start| Scope { start, from, until: part.until };
    if let Some(piece) = piece(request) {
        return Ok(scope(Position { skip: piece.result, ..first }));
    }
    let Some(next) = request.next.as_deref().map(position).transpose()? else { return Ok(scope(first)) };
    // A token of another file leads into the middle of a line, where it leads anywhere.
    let begins_a_line = next.offset > front.offset && byte_before(next.offset) == Some(b'\n');
    if next.offset >= first.offset && (next.offset == front.offset || begins_a_line) {
        return Ok(scope(next));
    }
    Err(refused("`next` is of another file", BEGIN_AT_THE_FRONT))
}

const BEGIN_AT_THE_FRONT: &str = "pass the `next` of the previous page, or leave it out to begin at the front";

/// The error of a `next` that leads to where no page of this call begins.
pub fn of_another_call() -> Error {
    refused("`next` is of another call", BEGIN_AT_THE_FRONT)
}

/// The piece of a result that `next` leads to, if that is what it leads to.
fn piece(request: &request::Extract) -> Option<Piece> {
    Piece::of(request.next.as_deref()?)
}

fn position(token: &str) -> Result<Position, Error> {
    Continuation::part(token)
        .and_then(|(position, _)| Position::from_token(position))
        .map_err(|cause| explained(cause, ""))
}

/// The rest of a set, if the page before has put it in order.
pub fn continuation(request: &request::Extract, task: &Task<'_>) -> Result<Option<Continuation>, Error> {
    match request.next.as_deref() {
        Some(token) if task.slurps() => {
            Continuation::part(token).map(|(_, rest)| rest).map_err(|cause| explained(cause, ""))
        }
        _ => Ok(None),
    }
}

/// The bounds of a page.
pub fn limits(request: &request::Extract, settings: &Settings) -> PageLimits {
    PageLimits {
        results: request.limit,
        bytes: request.max_bytes,
        chunk_bytes: request.chunk_bytes,
        page_results: Some(settings.max_page_results),
        page_bytes: Some(settings.max_page_bytes),
        oversize: oversize(request),
        counts: request.counts_results(),
        of_one: matches!(request.document, Some(Way::Document | Way::Record)),
    }
}

/// A line that is asked for alone is read in pieces where it is too large, and so is a result that a stub led to.
fn oversize(request: &request::Extract) -> Oversize {
    match piece(request) {
        Some(piece) => Oversize::Piece(piece.from),
        None if request.reads_lines() && request.lines.is_none_or(|lines| lines == 1) => Oversize::Piece(0),
        None if request.stubs => Oversize::Stub,
        None => Oversize::Refused,
    }
}

fn recipe<'a>(
    number: u32,
    params: &Map<String, Value>,
    request: &request::Extract,
    set: &'a recipes::Set,
) -> Result<Task<'a>, Error> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let Some(recipe) = index.and_then(|index| set.recipes.get(index)) else {
        return Err(refused(
            &format!("there is no recipe {number}"),
            &format!("give a recipe from 1 to {}, or a jq filter as `query`", set.recipes.len()),
        ));
    };
    if request.slurp == Some(true) {
        return Err(refused("`slurp` does not go with a recipe", "leave it out; it is for `query`"));
    }
    if set.are_given {
        return given(number, recipe, params, request);
    }
    let value = parameter(number, recipe, params)?;
    let variables =
        recipe.parameter.iter().map(|parameter| (parameter.name.to_owned(), value.to_owned().into())).collect();
    let raw = request.raw.unwrap_or(recipe.native.raw);
    Ok(Task { native: Native { raw, ..recipe.native.clone() }, variables, written: None, before: None })
}

/// A recipe that the caller gave: its filter, with what is passed in place of the defaults of its variables.
fn given<'a>(
    number: u32,
    recipe: &'a Recipe,
    params: &Map<String, Value>,
    request: &request::Extract,
) -> Result<Task<'a>, Error> {
    if let Some(name) = params.keys().find(|name| recipe.variables.iter().all(|(known, _)| known != *name)) {
        let known: Vec<String> = recipe.variables.iter().map(|(known, _)| format!("`{known}`")).collect();
        let takes = if known.is_empty() { "no parameter".to_owned() } else { known.join(", ") };
        return Err(refused(&format!("parameter `{name}` is not known"), &format!("recipe {number} takes {takes}")));
    }
    let value = |(name, default): &(String, Value)| {
        (name.clone(), params.get(name).map_or_else(|| default.clone(), |given| like(default, given)))
    };
    let variables = recipes::variables(&recipe.variables.iter().map(value).collect())?;
    let native = Native { raw: request.raw.unwrap_or(recipe.native.raw), ..recipe.native.clone() };
    Ok(Task { native, variables, written: Some(recipe.native.filter.as_ref().into()), before: None })
}

/// A value of the type of the default: models write numbers as texts, and texts of digits as numbers.
fn like(default: &Value, given: &Value) -> Value {
    match (default, given) {
        (Value::Number(_) | Value::Bool(_), Value::String(text)) => {
            let read = serde_json::from_str(text).ok();
            let is_like = |read: &Value| std::mem::discriminant(read) == std::mem::discriminant(default);
            read.filter(is_like).unwrap_or_else(|| given.clone())
        }
        (Value::String(_), Value::Number(_) | Value::Bool(_)) => given.to_string().into(),
        _ => given.clone(),
    }
}

/// The value of a recipe's parameter: decision 20.
fn parameter<'a>(number: u32, recipe: &'a Recipe, params: &'a Map<String, Value>) -> Result<&'a str, Error> {
    let known = || match &recipe.parameter {
        Some(parameter) => format!("recipe {number} takes `{}`, a string", parameter.name),
        None => format!("recipe {number} takes no parameter"),
    };
    let mut chosen = recipe.parameter.as_ref().map_or("", |parameter| &parameter.default);
    let mut given = 0;
    for (name, value) in params {
        let fits = recipe.parameter.as_ref().is_some_and(|p| p.name == name || p.alias == Some(name));
        given += 1;
        match value {
            Value::String(text) if fits && given == 1 => chosen = text,
            _ if fits && given > 1 => return Err(refused("the parameter is given twice", &known())),
            _ if fits => return Err(refused(&format!("parameter `{name}` is not a string"), &known())),
            _ => return Err(refused(&format!("parameter `{name}` is not known"), &known())),
        }
    }
    Ok(chosen)
}

fn custom<'a>(filter: &'a str, params: &Map<String, Value>, request: &request::Extract) -> Result<Task<'a>, Error> {
    if let Some(name) = params.keys().find(|name| !is_variable(name)) {
        return Err(refused(
            &format!("parameter `{name}` cannot be a variable"),
            "name it with letters, digits and single underscores, beginning with a letter",
        ));
    }
    let variables = recipes::variables(params)?;
    let shape = match request.document {
        Some(Way::Array) => Shape::Whole,
        None if request.slurp == Some(true) => Shape::All,
        _ => Shape::Each,
    };
    let native = Native { filter: filter.to_owned().into(), shape, reads: None, raw: request.raw == Some(true) };
    Ok(Task { native, variables, written: Some(filter.into()), before: None })
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot extract: {reason}"), hint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::file::header::Deviations;
    use crate::payload::detail::Detail;
    use crate::settings::Profile;

    /// The filter, and the variable if there is one; or the error.
    fn asked(json: &str, profile: Profile) -> Result<(String, Option<String>), String> {
        let request = request::Extract::parse(json).map_err(|error| error.to_string())?;
        let set = recipes::set(&Deviations { profile, ..Deviations::default() }, Detail::Medium);
        let task = task(&request, &set).map_err(|error| error.to_string())?;
        let variable = task.variables.first().map(|(name, value)| format!("${name} is {value}"));
        Ok((task.filter().to_owned(), variable))
    }

    #[test]
    fn a_recipe_takes_its_parameter_or_the_specifications_literal() {
        let rows = [
            (r#"{"recipe":2}"#, r#"$namespace is "_semantic""#),
            (r#"{"recipe":2,"params":{"namespace":"x\" or true"}}"#, r#"$namespace is "x\" or true""#),
            (r#"{"recipe":3,"params":{}}"#, r#"$keyword is "keyword""#),
            (r#"{"recipe":5,"params":{"memory_type":"episodic"}}"#, r#"$memory_type is "episodic""#),
            (r#"{"recipe":7}"#, r#"$tag is "TAG""#),
            (r#"{"recipe":10,"params":{"pattern":"a"}}"#, r#"$pattern is "a""#),
            (r#"{"recipe":10,"params":{"keyword":"b"}}"#, r#"$pattern is "b""#),
        ];
        for (json, variable) in rows {
            assert_eq!(asked(json, Profile::Current).unwrap().1.as_deref(), Some(variable), "{json}");
        }
        assert_eq!(
            asked(r#"{"recipe":6,"params":{"memory_type":"x"}}"#, Profile::Early).unwrap().1.as_deref(),
            Some(r#"$memory_type is "x""#)
        );
    }

    #[test]
    fn parameters_never_change_the_program() {
        let plain = asked(r#"{"recipe":3}"#, Profile::Current).unwrap().0;
        let hostile =
            asked(r#"{"recipe":3,"params":{"keyword":"\") or env or test(\""}}"#, Profile::Current).unwrap().0;
        assert_eq!(plain, hostile);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        let rows = [
            (r#"{}"#, "neither `recipe` nor `query`"),
            (r#"{"recipe":1,"query":"."}"#, "both `recipe` and `query`"),
            (r#"{"recipe":1,"sort_by":"a"}"#, "both `recipe` and `sort_by`"),
            (r#"{"query":".","where":["a=1"],"select":["a"]}"#, "both `query` and `select`"),
            (r#"{"recipe":0}"#, "no recipe 0"),
            (r#"{"recipe":11}"#, "no recipe 11"),
            (r#"{"recipe":1,"params":{"x":"y"}}"#, "parameter `x` is not known"),
            (r#"{"recipe":2,"params":{"keyword":"y"}}"#, "parameter `keyword` is not known"),
            (r#"{"recipe":2,"params":{"namespace":1}}"#, "not a string"),
            (r#"{"recipe":10,"params":{"keyword":"a","pattern":"b"}}"#, "given twice"),
            (r#"{"recipe":2,"slurp":true}"#, "`slurp` does not go"),
            (r#"{"where":[],"slurp":true}"#, "`slurp` do not go with criteria"),
            (r#"{"where":[],"params":{}}"#, "`slurp` do not go with criteria"),
            (r#"{"query":".","params":{"a b":1}}"#, "cannot be a variable"),
            (r#"{"query":".","params":{"__loc__":1}}"#, "cannot be a variable"),
        ];
        for (json, part) in rows {
            let error = asked(json, Profile::Current).unwrap_err();
            assert!(error.contains(part), "{json}: {error}");
        }
    }

    #[test]
    fn a_parameter_of_a_given_recipe_has_the_type_of_its_default() {
        let lro = json!({"kind": "records", "recipes": [
            {"name": "x", "query": ".s == $s and .n > $n", "params": {"s": "open", "n": 1}, "raw": true}]});
        let set = recipes::set(&serde_json::from_value::<Deviations>(lro).unwrap(), Detail::Full);
        let rows = [
            (r#"{"recipe":1}"#, r#"n=1 s="open""#, true),
            (r#"{"recipe":1,"params":{"s":5,"n":"7"}}"#, r#"n=7 s="5""#, true),
            (r#"{"recipe":1,"params":{"s":true,"n":"many"},"raw":false}"#, r#"n="many" s="true""#, false),
        ];
        for (json, expected, raw) in rows {
            let request = request::Extract::parse(json).unwrap();
            let task = task(&request, &set).unwrap();
            let mut variables: Vec<_> = task.variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
            variables.sort();
            assert_eq!((variables.join(" ").as_str(), task.native.raw), (expected, raw), "{json}");
        }
    }

    #[test]
    fn a_line_alone_is_read_in_pieces_and_a_model_gets_stubs() {
        let of = |json: &str, stubs| oversize(&request::Extract { stubs, ..request::Extract::parse(json).unwrap() });
        assert_eq!(of(r#"{"line":2}"#, true), Oversize::Piece(0));
        assert_eq!(of(r#"{"line":2,"lines":1}"#, true), Oversize::Piece(0));
        assert_eq!(of(r#"{"line":2,"lines":2}"#, true), Oversize::Stub);
        assert_eq!(of(r#"{"query":"."}"#, true), Oversize::Stub);
        assert_eq!(of(r#"{"query":"."}"#, false), Oversize::Refused);
    }
}
