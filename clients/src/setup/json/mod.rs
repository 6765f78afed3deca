//! Edits of JSON with comments as texts that are cut and inserted: line ends, indentation, comments and order stay.
//! What is inserted and removed again leaves the text as it was.

mod layout;

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

use self::layout::Layout;
use super::document::{Invalid, Step, line_of, shown};

/// Comments and commas at the end are what clients with comments allow.
pub(super) const WITH_COMMENTS: ParseOptions =
    ParseOptions { allow_comments: true, allow_trailing_commas: true, ..STRICT };

/// Nothing that is not JSON is accepted.
pub(super) const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_trailing_commas: false,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Returns the text if it is a JSON object. A text without content becomes one.
pub(super) fn checked(text: &str, options: ParseOptions) -> Result<String, Invalid> {
    if text.trim().is_empty() {
        return Ok(if text.contains("\r\n") { "{}\r\n" } else { "{}\n" }.to_owned());
    }
    match parse_as(text, &options)? {
        Node::Object(_) => Ok(text.to_owned()),
        other => {
            Err(Invalid { line: Some(line_of(text, other.range().start)), reason: "it is not an object".to_owned() })
        }
    }
}

/// What was checked before can be parsed again, also with what an edit has added.
fn parse(text: &str) -> Result<Node<'_>, Invalid> {
    parse_as(text, &WITH_COMMENTS)
}

fn parse_as<'a>(text: &'a str, options: &ParseOptions) -> Result<Node<'a>, Invalid> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), options)
        .map_err(|error| Invalid { line: Some(error.line_display()), reason: error.kind().to_string() })?;
    parsed.value.ok_or_else(|| Invalid::new("it contains no value"))
}

/// The text as a value.
pub(super) fn value(text: &str) -> Result<Value, Invalid> {
    Ok(value_of(&parse(text)?))
}

fn value_of(node: &Node<'_>) -> Value {
    match node {
        Node::StringLit(text) => Value::String(text.value.to_string()),
        Node::NumberLit(number) => serde_json::from_str(number.value).unwrap_or_default(),
        Node::BooleanLit(boolean) => Value::Bool(boolean.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(array) => array.elements.iter().map(value_of).collect(),
        Node::Object(object) => {
            let member = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                (property.name.as_str().to_owned(), value_of(&property.value))
            };
            Value::Object(object.properties.iter().map(member).collect::<Map<_, _>>())
        }
    }
}

/// A value in the text, and the brackets and siblings around it.
struct Container {
    /// From the opening to the closing bracket, both included.
    range: Range<usize>,
    /// The children with their keys.
    children: Vec<Range<usize>>,
}

impl Container {
    fn of_object(object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(|child| child.range.start..child.range.end).collect();
        Self { range: object.range.start..object.range.end, children }
    }

    fn of_array(array: &Array<'_>) -> Self {
        let children = array.elements.iter().map(|child| child.range().start..child.range().end).collect();
        Self { range: array.range.start..array.range.end, children }
    }

    /// Where the text between the opening bracket or the sibling before and this child begins.
    fn before(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(self.range.start + 1, |previous| self.children[previous].end)
    }
}

/// Follows a path from the root.
fn follow<'a, 'b>(text: &str, root: &'b Node<'a>, path: &[Step]) -> Result<&'b Node<'a>, Invalid> {
    let mut node = root;
    for (depth, step) in path.iter().enumerate() {
        node = match (node, step) {
            (Node::Object(object), Step::Key(key)) => {
                &object.properties[only(text, object, key)?.ok_or_else(|| missing(path))?].value
            }
            (Node::Array(array), Step::Index(index)) => array.elements.get(*index).ok_or_else(|| missing(path))?,
            (other, _) => {
                return Err(Invalid {
                    line: Some(line_of(text, other.range().start)),
                    reason: format!("{} has another type than clients expect", shown(&path[..depth])),
                });
            }
        };
    }
    Ok(node)
}

fn missing(path: &[Step]) -> Invalid {
    Invalid::new(format!("{} is missing", shown(path)))
}

/// The index of the only member with this key. Clients take the last of several, people read the first.
fn only(text: &str, object: &Object<'_>, key: &str) -> Result<Option<usize>, Invalid> {
    let mut found = object.properties.iter().enumerate().filter(|(_, property)| property.name.as_str() == key);
    let first = found.next().map(|(index, _)| index);
    match found.next() {
        Some((_, second)) => Err(Invalid {
            line: Some(line_of(text, second.range.start)),
            reason: format!("the key `{key}` occurs twice in one object"),
        }),
        None => Ok(first),
    }
}

fn container(text: &str, node: &Node<'_>, path: &[Step]) -> Result<Container, Invalid> {
    match node {
        Node::Object(object) => Ok(Container::of_object(object)),
        Node::Array(array) => Ok(Container::of_array(array)),
        other => Err(Invalid {
            line: Some(line_of(text, other.range().start)),
            reason: format!("{} has another type than clients expect", shown(path)),
        }),
    }
}

/// Adds a member with this key, or an element at this index, to the container at the path.
pub(super) fn add(
    text: &str,
    path: &[Step],
    key: Option<&str>,
    index: Option<usize>,
    value: &Value,
) -> Result<String, Invalid> {
    let root = parse(text)?;
    let node = follow(text, &root, path)?;
    if matches!(node, Node::Array(_)) != key.is_none() {
        let line = Some(line_of(text, node.range().start));
        return Err(Invalid { line, reason: format!("{} has another type than clients expect", shown(path)) });
    }
    let container = container(text, node, path)?;
    let index = index.unwrap_or(container.children.len()).min(container.children.len());
    let layout = Layout::of(text, &container.range, &container.children);
    let child = layout.child(key, value);
    let mut edits = Vec::new();
    if container.children.is_empty() {
        let inside = &text[container.range.start + 1..container.range.end - 1];
        let closing = if inside.contains('\n') { String::new() } else { layout.before_closing() };
        edits.push((container.range.start + 1, format!("{}{child}{closing}", layout.before_first())));
    } else if index == container.children.len() {
        let end = container.children[index - 1].end;
        let rest = &text[end..container.range.end - 1];
        let comma = comma_in(rest);
        let after_line = end + comma.map_or(0, |at| at + 1);
        let tail = same_line_comment(&text[after_line..container.range.end - 1]);
        if comma.is_none() {
            edits.push((end, ",".to_owned()));
        }
        let trailing = if comma.is_some() { "," } else { "" };
        edits.push((after_line + tail, format!("{}{child}{trailing}", layout.between())));
    } else {
        let start = container.children[index].start;
        edits.push((start, format!("{child},{}", layout.between())));
    }
    Ok(spliced(text, edits.into_iter().map(|(at, new)| (at..at, new)).collect()))
}

/// Replaces the value at the path.
pub(super) fn replace(text: &str, path: &[Step], value: &Value) -> Result<String, Invalid> {
    let root = parse(text)?;
    let range = follow(text, &root, path)?.range();
    Ok(spliced(text, vec![(range.start..range.end, value.to_string())]))
}

/// Removes the value at the path, its key and its comma.
pub(super) fn remove(text: &str, path: &[Step]) -> Result<String, Invalid> {
    let root = parse(text)?;
    let (last, parents) = path.split_last().ok_or_else(|| missing(path))?;
    let parent = follow(text, &root, parents)?;
    let index = match (parent, last) {
        (Node::Object(object), Step::Key(key)) => only(text, object, key)?.ok_or_else(|| missing(path))?,
        (Node::Array(array), Step::Index(index)) if *index < array.elements.len() => *index,
        _ => return Err(missing(path)),
    };
    let container = container(text, parent, parents)?;
    let child = container.children[index].clone();
    let before = container.before(index);
    let gap = &text[before..child.start];
    let mut start = child.start - blank_at_end(gap);
    let mut end = child.end;
    let next = container.children.get(index + 1).map_or(container.range.end - 1, |next| next.start);
    let comma_after = comma_in(&text[child.end..next]);
    let mut edits = Vec::new();
    if let Some(at) = comma_after {
        end = child.end + at + 1;
        // Before the first of several on one line there is no blank of its own.
        if index == 0 && container.children.len() > 1 && !text[start..child.start].contains('\n') {
            start = child.start;
            end += text[end..next].len() - text[end..next].trim_start_matches([' ', '\t']).len();
        }
    } else if index > 0
        && let Some(at) = comma_in(gap)
    {
        edits.push((before + at..before + at + 1, String::new()));
    }
    if container.children.len() == 1 {
        let rest = &text[end..container.range.end - 1];
        if rest.contains('\n') && rest.trim().is_empty() && text[container.range.start + 1..start].is_empty() {
            end += rest.len();
        }
    }
    edits.push((start..end, String::new()));
    Ok(spliced(text, edits))
}

/// Where a comma is in a text between values, which otherwise only has blanks and comments.
fn comma_in(gap: &str) -> Option<usize> {
    let mut rest = gap;
    loop {
        let at = gap.len() - rest.len();
        rest = match rest.as_bytes() {
            [] => return None,
            [b',', ..] => return Some(at),
            [b'/', b'/', ..] => &rest[rest.find('\n').unwrap_or(rest.len())..],
            [b'/', b'*', ..] => &rest[rest.find("*/").map_or(rest.len(), |end| end + 2)..],
            _ => &rest[rest.chars().next().map_or(0, char::len_utf8)..],
        };
    }
}

/// The length of the comments that follow on the same line.
fn same_line_comment(rest: &str) -> usize {
    let line = rest[..rest.find('\n').unwrap_or(rest.len())].trim_end_matches('\r');
    let is_comment =
        line.trim_start().starts_with("//") || line.trim_start().starts_with("/*") && line.trim_end().ends_with("*/");
    if is_comment { line.trim_end().len() } else { 0 }
}

/// The length of the blank at the end of a gap, from its last line on.
fn blank_at_end(gap: &str) -> usize {
    let blank = gap.len() - gap.trim_end_matches([' ', '\t']).len();
    let before = &gap[..gap.len() - blank];
    let line_end = if before.ends_with("\r\n") { 2 } else { usize::from(before.ends_with('\n')) };
    blank + line_end
}

/// The text with these places replaced.
fn spliced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    // Stable: what is inserted at one place keeps its order.
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + edits.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut from = 0;
    for (range, new) in edits {
        out.push_str(&text[from..range.start]);
        out.push_str(&new);
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}
