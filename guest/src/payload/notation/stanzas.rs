//! Blocks of `Key: value` lines, with blank lines or rulers between them.

use super::Reading;
use super::fields::{Found, Sink, TextField, Value, read as read_fields};
use super::names::MOST_COLUMNS;

/// Blocks that make a list.
const LEAST_BLOCKS: usize = 3;

/// At least this many tenths of the blocks begin with the same key: sections of a document do not.
const SAME_PARTS: usize = 9;

/// At least one line in this many has a key; text with fewer is prose.
const KEY_LINES: usize = 5;

/// In a program, at least one line in this many ends with a bracket or a semicolon.
const CODE_LINES: usize = 8;

/// A longer key is the beginning of a sentence.
const MOST_KEY_BYTES: usize = 40;

/// A key with more words is the beginning of a sentence.
const MOST_KEY_WORDS: usize = 4;

/// What a line without a key is called, and the first line of a block without one.
const TEXT: &str = "text";

/// Reads blocks.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let shared = shared_key(text)?;
    read_fields("blocks", LEAST_BLOCKS, text, |text, sink| walk(text, shared, sink))
}

/// The key that nearly all blocks begin with, if nearly all lines are in such blocks.
fn shared_key(text: &str) -> Option<&str> {
    let mut first: Option<&str> = None;
    let (mut blocks, mut same, mut keys, mut lines, mut all_lines) = (0, 0, 0, 0, 0);
    let (mut code, mut nested) = (0, 0);
    for block in Blocks::of(text) {
        let block_keys = || block.text.lines().filter_map(key_and_value);
        all_lines += block.text.lines().count();
        code += block.text.lines().filter(|line| is_code(line)).count();
        let Some(key) = first_key(block.text) else { continue };
        // A heading may stand before the first block.
        if first.is_none_or(|known| known != key) && same < 2 {
            (first, blocks, same) = (Some(key), 0, 0);
        }
        blocks += 1;
        same += usize::from(first == Some(key));
        keys += block_keys().count();
        lines += block.text.lines().filter(|line| !is_ruler(line)).count();
        nested += usize::from(is_nested(block.text));
    }
    let is_list = same >= LEAST_BLOCKS && same * 10 >= blocks * SAME_PARTS;
    // A list has more than one key, and a dialogue of long answers is prose.
    let has_keys = keys * 3 >= lines && keys >= same * 2 && keys * KEY_LINES >= all_lines;
    let is_program = code * CODE_LINES > all_lines || nested * 10 > blocks * (10 - SAME_PARTS);
    (is_list && has_keys && !is_program).then_some(first?)
}

/// The first key of a block that has a value: what has none may be a heading.
fn first_key(block: &str) -> Option<&str> {
    let mut keys = block.lines().filter_map(key_and_value).take(2);
    let (key, value) = keys.next()?;
    if value.is_empty() { keys.next().map(|(key, _)| key).or(Some(key)) } else { Some(key) }
}

/// True for a block with a key that has no value but lines with keys below it: that is YAML.
fn is_nested(block: &str) -> bool {
    let mut lines = block.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().map_or("", |next| next.trim_start());
        let is_deeper = lines.peek().is_some_and(|next| indent(next) > indent(line)) || next.starts_with("- ");
        let has_no_value = line.trim_end().ends_with(':');
        if has_no_value && is_deeper && (next.starts_with("- ") || key_and_value(next).is_some()) {
            return true;
        }
    }
    false
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn walk<'a>(text: &'a str, shared: &str, sink: &mut Sink<'_, 'a>) -> Option<()> {
    let mut previous: Option<(usize, Vec<TextField<'_>>)> = None;
    for block in Blocks::of(text) {
        let mut fields: Vec<TextField<'_>> = Vec::new();
        let mut lines = 0;
        let first_key = first_key(block.text);
        // What stands before the list may be a record too: of the list itself.
        let is_whole = previous.is_none() && is_header(block.text);
        let begins = first_key == Some(shared) || is_whole;
        if begins {
            previous.take().map_or(Some(()), |(lines, fields)| sink(Found::Row { lines, fields }))?;
        } else if let Some(before) = previous.take() {
            // A paragraph without the key goes on with the block before it.
            (lines, fields) = before;
        } else {
            let mut numbered = block.text.lines().enumerate();
            numbered.try_for_each(|(i, line)| sink(Found::Line { number: block.line + i, line }))?;
            continue;
        }
        // What is deeper than the first key belongs to the value before it.
        let deepest = block.text.lines().find(|line| key_and_value(line).is_some()).map(indent);
        for (i, line) in block.text.lines().enumerate().filter(|(_, line)| !is_ruler(line)) {
            if i == 0
                && first_key == Some(shared)
                && line.ends_with(':')
                && key_and_value(line).is_some_and(|(key, _)| key != shared)
            {
                sink(Found::Line { number: block.line, line })?;
                continue;
            }
            lines += 1;
            take(&mut fields, line, deepest);
            if fields.len() > MOST_COLUMNS {
                return None;
            }
        }
        previous = Some((lines, fields));
    }
    previous.map_or(Some(()), |(lines, fields)| sink(Found::Row { lines, fields }))
}

/// True for a line that ends as those of programs do.
fn is_code(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with([';', '{', '}', '(', '['])
        || line.ends_with([',', ')']) && key_and_value(line).is_none()
        || line.ends_with("],")
}

/// True for a block of several keys and nothing else but what they have.
fn is_header(block: &str) -> bool {
    let keys = block.lines().filter_map(key_and_value).count();
    keys > 1 && block.lines().all(|line| line.starts_with(' ') || key_and_value(line).is_some())
}

/// Takes a line of a block: a field, or more of the one before it.
fn take<'a>(fields: &mut Vec<TextField<'a>>, line: &'a str, deepest: Option<usize>) {
    let field = key_and_value(line).filter(|_| deepest.is_some_and(|deepest| indent(line) <= deepest));
    match (field, fields.last_mut()) {
        (Some((key, value)), _) => fields.push(TextField { key: key.into(), value: value_of(value) }),
        (None, Some(TextField { value: Value::Bare(text) | Value::Text(text), .. })) => {
            let text = text.to_mut();
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line.trim());
        }
        (None, _) => fields.push(TextField { key: TEXT.into(), value: Value::Bare(line.trim().into()) }),
    }
}

/// A value without the quotes around all of it, as Python writes them.
fn value_of(value: &str) -> Value<'_> {
    let inner = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    match inner('\'').or_else(|| inner('"')) {
        Some(inner) if !inner.contains('\\') => Value::Text(inner.into()),
        _ => Value::Bare(value.into()),
    }
}

/// A line that is a key and its value. In Markdown a key is bold, and an item of a list.
fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    let (key, value) = match item.strip_prefix("**") {
        Some(bold) => {
            let (key, value) = bold.split_once("**")?;
            match key.strip_suffix(':') {
                Some(key) => (key, value),
                None => (key, value.strip_prefix(':')?),
            }
        }
        None => line.split_once(':')?,
    };
    let key = key.trim();
    let value = match value.chars().next() {
        Some(' ' | '\t') | None => value.trim(),
        Some(_) => return None,
    };
    let is_part = |letter: char| letter.is_alphanumeric() || " _-./()#".contains(letter);
    let is_key = key.len() <= MOST_KEY_BYTES
        && key.starts_with(char::is_alphabetic)
        && key.split(' ').count() <= MOST_KEY_WORDS
        && key.chars().all(is_part);
    is_key.then_some((key, value))
}

/// A line that only separates.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && "-=*_~".contains(&line[..line.chars().next().map_or(0, char::len_utf8)]) && {
        let first = line.as_bytes()[0];
        line.bytes().all(|byte| byte == first)
    }
}

/// The blocks of a text.
struct Blocks<'a> {
    text: &'a str,
    line: usize,
}

/// Lines between blank ones or rulers, and the number of the first of them.
struct Block<'a> {
    text: &'a str,
    line: usize,
}

impl<'a> Blocks<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, line: 1 }
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let is_between = |line: &str| line.trim().is_empty() || is_ruler(line);
        for line in self.text.split_inclusive('\n') {
            if !is_between(line) {
                break;
            }
            self.text = &self.text[line.len()..];
            self.line += 1;
        }
        let lines = || self.text.split_inclusive('\n').take_while(|line| !is_between(line));
        let (bytes, count) = lines().fold((0, 0), |(bytes, count), line| (bytes + line.len(), count + 1));
        let block = Block { text: &self.text[..bytes], line: self.line };
        self.text = &self.text[bytes..];
        self.line += count;
        (bytes > 0).then_some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn blocks_become_records() {
        let rows = [
            (
                "Commit history:\nCommit: 'a1'\nAuthor: <A \"B <c>\">\nDate: 2026-01-01 00:00:00+00:00\nMessage: 'One'\n\nCommit: 'a2'\nAuthor: x\nMessage: 'Two'\n\nCommit: 'a3'\nMessage: \"It's\"\n",
                "blocks {\"line\":1,\"text\":\"Commit history:\"}\n{\"Commit\":\"a1\",\"Author\":\"<A \\\"B <c>\\\">\",\"Date\":\"2026-01-01 00:00:00+00:00\",\"Message\":\"One\"}\n{\"Commit\":\"a2\",\"Author\":\"x\",\"Message\":\"Two\"}\n{\"Commit\":\"a3\",\"Message\":\"It's\"}",
            ),
            (
                "Title: A\nURL: http://a\n\nTitle: B: c\nURL: http://b\nmore\n\nTitle: C\nURL:\nTag: x\nTag: y\n",
                "blocks {\"Title\":\"A\",\"URL\":\"http://a\"}\n{\"Title\":\"B: c\",\"URL\":\"http://b\\nmore\"}\n{\"Title\":\"C\",\"URL\":\"\",\"Tag\":[\"x\",\"y\"]}",
            ),
            (
                "Found 3:\n\n1. One\n   URL: a\n   N: 1\n\n2. Two\n   URL: b\n   N: 2\n\n3. Three\n   URL: c\n   N: 3\n",
                "blocks {\"line\":1,\"text\":\"Found 3:\"}\n{\"text\":\"1. One\",\"URL\":\"a\",\"N\":1}\n{\"text\":\"2. Two\",\"URL\":\"b\",\"N\":2}\n{\"text\":\"3. Three\",\"URL\":\"c\",\"N\":3}",
            ),
            (
                "processor\t: 0\nmodel\t: x\n\nprocessor\t: 1\nmodel\t: x\n\nprocessor\t: 2\nmodel\t: x\n",
                "blocks {\"processor\":0,\"model\":\"x\"}\n{\"processor\":1,\"model\":\"x\"}\n{\"processor\":2,\"model\":\"x\"}",
            ),
            (
                "---\nid: 1\nb: x\n---\nid: 2\nb: y\n---\nid: 3\nb: z\n",
                "blocks {\"id\":1,\"b\":\"x\"}\n{\"id\":2,\"b\":\"y\"}\n{\"id\":3,\"b\":\"z\"}",
            ),
            ("a: 1\nb:\n  c: 2\n---\na: 2\nb:\n  c: 2\n---\na: 3\nb:\n  c: 2\n", ""),
            (
                "### 1. A\n- **Title:** x\n- **Stars**: 5\n\n### 2. B\n- **Title:** y\n- **Stars**: 6\n\n### 3. C\n- **Title:** z\n- **Stars**: 7\n",
                "blocks {\"text\":\"### 1. A\",\"Title\":\"x\",\"Stars\":5}\n{\"text\":\"### 2. B\",\"Title\":\"y\",\"Stars\":6}\n{\"text\":\"### 3. C\",\"Title\":\"z\",\"Stars\":7}",
            ),
            (
                "Format: x\nSource: y\n\nFiles: a\nLicense: b\n\nFiles: c\nLicense: d\n\nFiles: e\nLicense: f\n",
                "blocks {\"Format\":\"x\",\"Source\":\"y\"}\n{\"Files\":\"a\",\"License\":\"b\"}\n{\"Files\":\"c\",\"License\":\"d\"}\n{\"Files\":\"e\",\"License\":\"f\"}",
            ),
            ("Note: this is so.\n\nAnd it goes on.\n\nHint: that is not.\n\nAnd so on.\n", ""),
            (
                "Package: a\nDescription: b\n It does:\n  - x\n  see: y\n\nPackage: c\nSize: 1\n\nPackage: d\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\nSize: 2\n\nPackage: e\n",
                "blocks {\"Package\":\"a\",\"Description\":\"b\\nIt does:\\n- x\\nsee: y\"}\n{\"Package\":\"c\",\"Size\":1}\n{\"Package\":\"d\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\",\"Size\":2}\n{\"Package\":\"e\"}",
            ),
            ("a {\n  b: 1;\n  c: 2;\n}\n\nd {\n  b: 1;\n  c: 2;\n}\n\ne {\n  b: 1;\n  c: 2;\n}\n", ""),
            ("Note: a\n\nNote: b\n\nNote: c\n\nNote: d\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
