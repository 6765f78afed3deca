//! Tools under the names of other systems, and with their arguments: each call is translated to one of ours (GATE-13 to
//! 15, READ-09 to 12).

use serde_json::{Map, Value, json};

use super::{Answer, extract, read, search};
use crate::calls::{self, Source};
use crate::error::Error;
use crate::settings::Settings;

/// Arguments by their names.
type Arguments = Map<String, Value>;

/// `artifact_read`: all of it, or lines.
pub(super) fn artifact_read(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let asked = Asked::new(given).range("lines", "start_line", "end_line").keep(&["encoding", "next"]);
    read::answer(asked.arguments, settings).map(Answer::Object)
}

/// `artifact_grep`: like grep, it minds the case.
pub(super) fn artifact_grep(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let asked = Asked::new(given).needs("artifact_grep", "pattern")?.case(true);
    let asked = asked.keep(&["pattern", "context", "next"]).rename("max_results", "limit");
    search::answer(asked.arguments, settings).map(Answer::Object)
}

/// `artifact_jq`: on the document that came in.
pub(super) fn artifact_jq(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let asked =
        Asked::new(given).needs("artifact_jq", "query")?.keep(&["query", "line", "next"]).on_the_document(settings)?;
    extract::answer(asked.arguments, settings).map(Answer::Object)
}

/// `read_large_output`: characters.
pub(super) fn read_large_output(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let asked = Asked::new(given).range("characters", "start", "end").keep(&["next"]);
    read::answer(asked.arguments, settings).map(Answer::Object)
}

/// `search_large_output`: small and capital letters match each other unless the caller says otherwise.
pub(super) fn search_large_output(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let asked = Asked::new(given).needs("search_large_output", "pattern")?.case(false);
    let asked = asked.keep(&["pattern", "next"]).rename("max_results", "limit");
    search::answer(asked.arguments, settings).map(Answer::Object)
}

/// `query_large_output`: on the document that came in. What jq prints with its options is the text of the answer.
pub(super) fn query_large_output(given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let switch = |key: &str| given.get(key).and_then(Value::as_bool);
    let form = extract::Form { raw: switch("raw") == Some(true), indented: switch("compact") == Some(false) };
    let asked = Asked::new(given).needs("query_large_output", "query")?.keep(&["query", "line", "next"]);
    let asked = asked.on_the_document(settings)?;
    match form {
        extract::Form { raw: false, indented: false } => extract::answer(asked.arguments, settings).map(Answer::Object),
        form => extract::printed(asked.arguments, form, settings),
    }
}

/// The operations of the unified tool: the arguments that each has beside the file and `next`, and its tool.
const OPERATIONS: [(&str, &[&str], super::Handle); 3] = [
    ("read", &["start", "end"], read_large_output),
    ("search", &["pattern", "case_sensitive", "max_results"], search_large_output),
    ("query", &["query", "compact", "raw", "line"], query_large_output),
];

/// `large_output`: the three in one.
pub(super) fn large_output(mut given: Arguments, settings: &Settings) -> Result<Answer, Error> {
    let operation = given.remove("operation").unwrap_or_default();
    let Some((name, own, handle)) = OPERATIONS.iter().find(|(name, ..)| operation == **name) else {
        let reason = match operation.as_str() {
            Some(other) => format!("`{}` is not an operation", lro_query::json::cut(other, 60)),
            None => "`operation` is missing".to_owned(),
        };
        return Err(Error::invalid_argument(
            format!("cannot call large_output: {reason}"),
            r#"the operations are read, search and query, for example: {"operation": "read", "filename": "…", "start": 1, "end": 5000}"#,
        ));
    };
    if let Some(other) =
        given.keys().find(|key| !own.contains(&key.as_str()) && !["file_path", "next"].contains(&key.as_str()))
    {
        return Err(Error::invalid_argument(
            format!("cannot call large_output: the operation `{name}` has no argument `{other}`"),
            format!("its arguments are filename, {}, next", own.join(", ")),
        ));
    }
    handle(given, settings)
}

/// Arguments of ours, made of those that came.
struct Asked {
    given: Arguments,
    arguments: Arguments,
}

impl Asked {
    fn new(mut given: Arguments) -> Self {
        let file = given.remove("file_path").map(|file| ("file_path".to_owned(), file));
        Self { given, arguments: file.into_iter().collect() }
    }

    fn needs(self, tool: &str, key: &str) -> Result<Self, Error> {
        match self.given.contains_key(key) {
            true => Ok(self),
            false => Err(Error::invalid_argument(
                format!("cannot call {tool}: `{key}` is missing"),
                match key {
                    "pattern" => r#"give a regular expression, for example: "pattern": "ERROR|FATAL""#,
                    _ => r#"give a jq filter on the document, for example: "query": ".results[0]""#,
                },
            )),
        }
    }

    fn keep(mut self, keys: &[&str]) -> Self {
        for key in keys {
            self = self.rename(key, key);
        }
        self
    }

    fn rename(mut self, from: &str, to: &str) -> Self {
        if let Some(value) = self.given.remove(from) {
            self.arguments.insert(to.to_owned(), value);
        }
        self
    }

    /// Two numbers as the range `A-B`; neither of them for all. The page after another one has its range in `next`.
    fn range(mut self, key: &str, start: &str, end: &str) -> Self {
        let mut number = |key: &str| self.given.remove(key);
        let range = match (number(start), number(end)) {
            (None, None) => return self,
            (start, end) => {
                format!("{}-{}", start.unwrap_or_else(|| json!(1)), end.map(|end| end.to_string()).unwrap_or_default())
            }
        };
        if !self.given.contains_key("next") {
            self.arguments.insert(key.to_owned(), range.into());
        }
        self
    }

    fn case(mut self, is_sensitive: bool) -> Self {
        let is_sensitive =
            self.given.remove("case_sensitive").and_then(|value| value.as_bool()).unwrap_or(is_sensitive);
        self.arguments.insert("ignore_case".to_owned(), (!is_sensitive).into());
        self
    }

    /// A text has no document: its records or lines, which `shape` tells of, are an array.
    fn on_the_document(mut self, settings: &Settings) -> Result<Self, Error> {
        let path = self.arguments.get("file_path").and_then(Value::as_str).unwrap_or_default();
        match calls::is_of_text(Source::File(path), settings)? {
            true => self.arguments.insert("slurp".to_owned(), true.into()),
            false => self.arguments.insert("on".to_owned(), "document".into()),
        };
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(given: Value) -> Asked {
        let Value::Object(given) = given else { panic!("arguments are an object") };
        Asked::new(given)
    }

    #[test]
    fn arguments_are_translated() {
        let range = |given| Value::Object(asked(given).range("lines", "start_line", "end_line").arguments);
        assert_eq!(
            range(json!({"file_path": "a", "start_line": 3, "end_line": 9})),
            json!({"file_path": "a", "lines": "3-9"})
        );
        assert_eq!(range(json!({"file_path": "a", "start_line": 3})), json!({"file_path": "a", "lines": "3-"}));
        assert_eq!(range(json!({"file_path": "a", "end_line": 9})), json!({"file_path": "a", "lines": "1-9"}));
        assert_eq!(range(json!({"file_path": "a"})), json!({"file_path": "a"}));
        assert_eq!(range(json!({"start_line": 3, "next": "n"})), json!({}));
        let case = |given, missing| asked(given).case(missing).arguments["ignore_case"].clone();
        assert_eq!([case(json!({}), true), case(json!({}), false)], [json!(false), json!(true)]);
        assert_eq!(case(json!({"case_sensitive": false}), true), json!(true));
    }
}
