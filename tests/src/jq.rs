//! The real jq: the oracle of every recipe.

use std::path::Path;
use std::process::Command;
use std::sync::Once;

use serde_json::{Deserializer, Value};

use crate::shell::{self, Printed};

/// Runs a command line that calls jq in a real shell.
pub fn command(command_line: &str, folder: &Path) -> Printed {
    require_jq();
    shell::run(command_line, folder)
}

/// Runs a filter without a shell between, for filters of any content that do not begin with a hyphen.
pub fn filter<'a>(options: impl IntoIterator<Item = &'a str>, filter: &str, input: &str) -> Printed {
    require_jq();
    shell::finish(Command::new("jq").args(options).arg(filter), input)
}

/// A stream of JSON texts as jq reads it: numbers become doubles, and of duplicate keys the last one counts. Two texts
/// that are read alike are equal to jq.
///
/// Panics when jq does not read all of it.
pub fn read(text: &str) -> Vec<Value> {
    let printed = filter(["-c"], ".", text);
    assert_eq!((printed.status, printed.stderr.as_str()), (Some(0), ""), "jq cannot read {text:.200}");
    values(&printed.stdout)
}

/// The JSON values in what jq printed.
pub fn values(text: &str) -> Vec<Value> {
    let values: Result<Vec<Value>, _> = Deserializer::from_str(text).into_iter().collect();
    values.unwrap_or_else(|error| panic!("jq printed what is not JSON: {error} in {text:.200}"))
}

/// How many records jq reported on standard error.
pub fn reports(printed: &Printed) -> usize {
    printed.stderr.lines().filter(|line| line.starts_with("jq: error")).count()
}

fn require_jq() {
    static LOOKED: Once = Once::new();
    LOOKED.call_once(|| {
        let found = Command::new("jq").arg("--version").output();
        assert!(found.is_ok(), "jq is not installed; install it, for example: apt-get install jq");
    });
}

/// The JSON string that a text begins with, as it stands there.
pub fn first_text(text: &str) -> String {
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
    strings.next().expect("there is a string").expect("it is valid JSON");
    text[..strings.byte_offset()].to_owned()
}
