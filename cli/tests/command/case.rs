//! A golden case as text:
//!
//! ```text
//! One or more sentences about what it shows.
//!
//! === file small.json, no newline at the end
//! [{"id": "m1"}]
//! === $ lro offload small.json --operation recall
//! === stdout, no newline at the end
//! [{"id": "m1"}]
//! ```
//!
//! After a command line come `status N` unless it is 0, and `stdout` and `stderr` unless they are empty. `stdout as JSON`
//! holds a response, which is a single line, laid out to be read. A line `...` stands for any lines.

use serde_json::{Map, Value};

use crate::run::Printed;

const SECTION: &str = "=== ";
const COMMAND: &str = "$ ";
const FILE: &str = "file ";
const STATUS: &str = "status ";
const STDOUT: &str = "stdout";
const AS_JSON: &str = "stdout as JSON";
const STDERR: &str = "stderr";
const NO_NEWLINE: &str = ", no newline at the end";

#[derive(Clone)]
pub(crate) struct Case {
    about: String,
    /// Names and texts.
    pub(crate) files: Vec<(String, String)>,
    pub(crate) steps: Vec<Step>,
}

/// A command line and what is expected of it.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) command: String,
    expected: Printed,
    as_json: bool,
}

impl Case {
    /// Reads a case; the error says which line of it cannot be understood.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let first = if text.starts_with(SECTION) { 0 } else { text.find("\n=== ").map_or(text.len(), |end| end + 1) };
        let mut case = Self { about: text[..first].to_owned(), files: Vec::new(), steps: Vec::new() };
        for section in sections(&text[first..]) {
            case.add(section)?;
        }
        Ok(case)
    }

    fn add(&mut self, Section { title, body }: Section) -> Result<(), String> {
        if let Some(name) = title.strip_prefix(FILE) {
            self.files.push((name.to_owned(), body));
            return Ok(());
        }
        if let Some(command) = title.strip_prefix(COMMAND) {
            let expected = Printed::default();
            self.steps.push(Step { command: command.to_owned(), expected, as_json: false });
            return Ok(());
        }
        let step = self.steps.last_mut().ok_or(format!("`{title}` stands before the first command line"))?;
        match title.as_str() {
            STDOUT => step.expected.stdout = body,
            AS_JSON => (step.expected.stdout, step.as_json) = (body, true),
            STDERR => step.expected.stderr = body,
            _ => {
                let status = title.strip_prefix(STATUS).and_then(|status| status.parse().ok());
                step.expected.status = status.ok_or(format!("`{title}` is no section"))?;
            }
        }
        Ok(())
    }

    /// The case as text; what was parsed from a text in this form renders to the same.
    pub(crate) fn render(&self) -> String {
        let mut text = self.about.clone();
        for (name, body) in &self.files {
            text.push_str(&section(&format!("{FILE}{name}"), body));
        }
        for step in &self.steps {
            text.push_str(&format!("{SECTION}{COMMAND}{}\n", step.command));
            let Printed { status, stdout, stderr } = &step.expected;
            if *status != 0 {
                text.push_str(&format!("{SECTION}{STATUS}{status}\n"));
            }
            let title = if step.as_json { AS_JSON } else { STDOUT };
            for (title, body) in [(title, stdout), (STDERR, stderr)] {
                if !body.is_empty() {
                    text.push_str(&section(title, body));
                }
            }
        }
        text
    }
}

impl Step {
    /// From now on expects what was printed. What fits already stays as it is written, so that `...` survives.
    pub(crate) fn expect(&mut self, printed: Printed) {
        let Printed { status, mut stdout, stderr } = printed;
        self.expected.status = status;
        let laid_out = laid_out(&stdout);
        self.as_json = laid_out.is_some();
        if let Some(laid_out) = laid_out {
            stdout = laid_out;
        }
        for (expected, found) in [(&mut self.expected.stdout, stdout), (&mut self.expected.stderr, stderr)] {
            if !fits(expected, &found) {
                *expected = found;
            }
        }
    }
}

struct Section {
    title: String,
    body: String,
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix(SECTION), sections.last_mut()) {
            (Some(title), _) => sections.push(Section { title: title.trim_end().to_owned(), body: String::new() }),
            (None, Some(section)) => section.body.push_str(line),
            (None, None) => unreachable!("the text begins with a section"),
        }
    }
    for section in &mut sections {
        if let Some(title) = section.title.strip_suffix(NO_NEWLINE) {
            section.title = title.to_owned();
            section.body.pop();
        }
    }
    sections
}

fn section(title: &str, body: &str) -> String {
    match body.ends_with('\n') {
        true => format!("{SECTION}{title}\n{body}"),
        false => format!("{SECTION}{title}{NO_NEWLINE}\n{body}\n"),
    }
}

/// A response as it is read more easily: a line a member, and a line an element of a list of objects.
fn laid_out(stdout: &str) -> Option<String> {
    let line = stdout.strip_suffix('\n').filter(|line| line.starts_with(r#"{"offloaded":"#) && !line.contains('\n'))?;
    let members: Map<String, Value> = serde_json::from_str(line).ok()?;
    let text = |value: &Value| match value {
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            let lines: Vec<String> = elements.iter().map(|element| format!("    {element}")).collect();
            format!("[\n{}\n  ]", lines.join(",\n"))
        }
        value => value.to_string(),
    };
    let lines: Vec<String> = members.iter().map(|(key, value)| format!("  {key:?}: {}", text(value))).collect();
    Some(format!("{{\n{}\n}}\n", lines.join(",\n")))
}

/// True when `found` is what is expected, a line `...` standing for any lines.
fn fits(expected: &str, found: &str) -> bool {
    fn lines_fit(expected: &[&str], found: &[&str]) -> bool {
        match (expected, found) {
            ([], _) => found.is_empty(),
            (["...\n", expected @ ..], _) => (0..=found.len()).any(|skip| lines_fit(expected, &found[skip..])),
            ([first, expected @ ..], [line, found @ ..]) => first == line && lines_fit(expected, found),
            (_, []) => false,
        }
    }
    let (expected, found): (Vec<_>, Vec<_>) =
        (expected.split_inclusive('\n').collect(), found.split_inclusive('\n').collect());
    lines_fit(&expected, &found)
}
