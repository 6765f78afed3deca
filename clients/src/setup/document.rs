//! A configuration as text that is edited in place: what an edit does not name keeps its bytes.

use std::fmt;

use serde_json::Value;

use super::json;
use super::toml::Toml;

/// How a configuration is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// JSON, for clients that reject anything else.
    Json,
    /// JSON with comments, and commas at the end.
    Jsonc,
    /// TOML.
    Toml,
}

/// A step from a value to one inside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// Into a map.
    Key(String),
    /// Into a list.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// Why a configuration cannot be edited.
#[derive(Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The line, where it is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: String,
}

impl Invalid {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self { line: None, reason: reason.into() }
    }
}

/// Larger files are not configurations. Claude Code keeps histories in one of its files, so it may have megabytes.
const MOST_BYTES: usize = 64 << 20;

const MARK: &str = "\u{feff}";

/// A configuration that can be edited.
pub struct Document {
    mark: &'static str,
    body: Body,
}

enum Body {
    Json(String),
    Toml(Box<Toml>),
}

impl Document {
    /// Reads a configuration. A text without content is an empty one.
    ///
    /// # Errors
    /// It is not written like that.
    pub fn parse(text: &str, format: Format) -> Result<Self, Invalid> {
        if text.len() > MOST_BYTES {
            return Err(Invalid::new(format!("it has more than {} MiB", MOST_BYTES >> 20)));
        }
        let (mark, text) = text.strip_prefix(MARK).map_or(("", text), |rest| (MARK, rest));
        let body = match format {
            Format::Json => Body::Json(json::checked(text, json::STRICT)?),
            Format::Jsonc => Body::Json(json::checked(text, json::WITH_COMMENTS)?),
            Format::Toml => Body::Toml(Box::new(Toml::parse(text)?)),
        };
        Ok(Self { mark, body })
    }

    /// The configuration as a value.
    ///
    /// # Errors
    /// An edit has made it invalid.
    pub fn value(&self) -> Result<Value, Invalid> {
        match &self.body {
            Body::Json(text) => json::value(text),
            Body::Toml(toml) => Ok(toml.value()),
        }
    }

    /// Adds a member at the end of the map at this path.
    pub(super) fn add_member(&mut self, map: &[Step], key: &str, value: &Value) -> Result<(), Invalid> {
        match &mut self.body {
            Body::Json(text) => *text = json::add(text, map, Some(key), None, value)?,
            Body::Toml(toml) => toml.add_member(map, key, value)?,
        }
        Ok(())
    }

    /// Inserts an element into the list at this path.
    pub(super) fn insert_element(&mut self, list: &[Step], index: usize, value: &Value) -> Result<(), Invalid> {
        match &mut self.body {
            Body::Json(text) => *text = json::add(text, list, None, Some(index), value)?,
            Body::Toml(toml) => toml.insert_element(list, index, value)?,
        }
        Ok(())
    }

    /// Replaces the value at this path.
    pub(super) fn replace(&mut self, path: &[Step], value: &Value) -> Result<(), Invalid> {
        match &mut self.body {
            Body::Json(text) => *text = json::replace(text, path, value)?,
            Body::Toml(toml) => toml.replace(path, value)?,
        }
        Ok(())
    }

    /// Removes the value at this path, with its key.
    pub(super) fn remove(&mut self, path: &[Step]) -> Result<(), Invalid> {
        match &mut self.body {
            Body::Json(text) => *text = json::remove(text, path)?,
            Body::Toml(toml) => toml.remove(path)?,
        }
        Ok(())
    }
}

impl fmt::Display for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.mark)?;
        match &self.body {
            Body::Json(text) => formatter.write_str(text),
            Body::Toml(toml) => formatter.write_str(&toml.to_text()),
        }
    }
}

/// The value at a path.
pub fn at<'a>(value: &'a Value, path: &[Step]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.as_object()?.get(key),
        Step::Index(index) => value.as_array()?.get(*index),
    })
}

/// A path as people write it: `mcpServers.lro`.
pub(crate) fn shown(path: &[Step]) -> String {
    let steps: Vec<String> = path
        .iter()
        .map(|step| match step {
            Step::Key(key) => key.clone(),
            Step::Index(index) => index.to_string(),
        })
        .collect();
    if steps.is_empty() { "the whole file".to_owned() } else { format!("`{}`", steps.join(".")) }
}

/// The line of a place in a text, counted from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count() + 1
}
