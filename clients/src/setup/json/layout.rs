//! Where added JSON goes on the page: line ends, indentation and blanks as they are around it.

use std::ops::Range;

use serde_json::Value;

/// How the children of a container are laid out.
pub(super) struct Layout {
    is_multiline: bool,
    line_end: &'static str,
    /// The blank in front of the line that the container begins on.
    outer: String,
    /// What each level adds.
    unit: String,
    /// The blank in front of the children.
    inner: String,
    space: &'static str,
}

impl Layout {
    /// The layout of the container with these brackets and children.
    pub(super) fn of(text: &str, brackets: &Range<usize>, children: &[Range<usize>]) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let outer = indent_of(text, brackets.start).to_owned();
        let unit = unit(text);
        let first = children.first();
        let is_multiline = match first {
            Some(first) => text[brackets.start..first.start].contains('\n'),
            // A text on one line stays on one line, except when it is empty, and so does a container on one line.
            None => (text.trim_end().contains('\n') || text.trim().len() <= 2) && !is_inside_line(text, brackets.start),
        };
        let inner = match children.last() {
            Some(last) if is_multiline => indent_of(text, last.start).to_owned(),
            _ => format!("{outer}{unit}"),
        };
        let space = if text.contains("\":") && !text.contains("\": ") { "" } else { " " };
        Self { is_multiline, line_end, outer, unit, inner, space }
    }

    /// What stands before the closing bracket.
    pub(super) fn before_closing(&self) -> String {
        if self.is_multiline { format!("{}{}", self.line_end, self.outer) } else { String::new() }
    }

    /// What stands before the first child.
    pub(super) fn before_first(&self) -> String {
        if self.is_multiline { format!("{}{}", self.line_end, self.inner) } else { String::new() }
    }

    /// What stands between two children, after the comma.
    pub(super) fn between(&self) -> String {
        if self.is_multiline { self.before_first() } else { self.space.to_owned() }
    }

    /// A member with this key, or an element.
    pub(super) fn child(&self, key: Option<&str>, value: &Value) -> String {
        let mut out = key.map_or(String::new(), |key| format!("{}:{}", Value::from(key), self.space));
        self.write(value, &self.inner, &mut out);
        out
    }

    /// Writes a value as clients do: objects and lists of objects have a line for each child, lists of texts have one.
    fn write(&self, value: &Value, indent: &str, out: &mut String) {
        let (open, close, children): (_, _, Vec<(String, &Value)>) = match value {
            Value::Array(elements) => ('[', ']', elements.iter().map(|child| (String::new(), child)).collect()),
            Value::Object(members) => {
                let key = |key: &String| format!("{}:{}", Value::from(key.as_str()), self.space);
                ('{', '}', members.iter().map(|(name, child)| (key(name), child)).collect())
            }
            other => return out.push_str(&other.to_string()),
        };
        let is_flat = !self.is_multiline || children.is_empty();
        let inner = format!("{indent}{}", self.unit);
        out.push(open);
        for (number, (key, child)) in children.iter().enumerate() {
            if number > 0 {
                out.push_str(if is_flat && self.space == " " { ", " } else { "," });
            }
            if !is_flat {
                out.push_str(self.line_end);
                out.push_str(&inner);
            }
            out.push_str(key);
            self.write(child, &inner, out);
        }
        if !is_flat {
            out.push_str(self.line_end);
            out.push_str(indent);
        }
        out.push(close);
    }
}

/// True if the container around this place begins on the same line. Brackets in texts can mislead it, which changes the
/// layout only.
fn is_inside_line(text: &str, at: usize) -> bool {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    let count = |brackets: [char; 2]| line.matches(brackets).count();
    count(['{', '[']) > count(['}', ']'])
}

/// The blank at the beginning of the line of this place.
fn indent_of(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The blank that a level adds: that of the first line that has one.
fn unit(text: &str) -> String {
    let blank = |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned();
    let indented = text.lines().find(|line| line.starts_with([' ', '\t']) && line.trim_start().starts_with('"'));
    indented.map_or_else(|| "  ".to_owned(), blank)
}
