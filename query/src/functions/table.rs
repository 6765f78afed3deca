//! The table of functions: one row for each name and number of arguments.

use std::sync::OnceLock;

use jaq_core::native::{Fun, bome, v};

use super::row::Runs;
use super::{Data, Fast, Reads, Row};
use crate::error::Withheld::{self, Clock, Environment, Files, Halt, Input, Modules, Output};
use crate::value::Value;

/// What a filter must not reach, and why: functions, variables and words of jq's.
const WITHHELD: [(&str, Withheld); 25] = [
    ("env", Environment),
    ("$ENV", Environment),
    ("$__prog_args", Environment),
    ("$__prog_name", Environment),
    ("input", Input),
    ("inputs", Input),
    ("input_filename", Input),
    ("input_line_number", Input),
    ("halt", Halt),
    ("halt_error", Halt),
    ("debug", Output),
    ("debug_empty", Output),
    ("stderr", Output),
    ("stderr_empty", Output),
    ("now", Clock),
    ("localtime", Clock),
    ("strflocaltime", Clock),
    ("get_search_list", Files),
    ("get_jq_origin", Files),
    ("get_prog_origin", Files),
    ("modulemeta", Files),
    ("repl", Files),
    ("import", Modules),
    ("include", Modules),
    ("module", Modules),
];

/// A function that a filter can call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: usize,
    /// What to write, for somebody who calls it with another number of arguments: its usual misuse.
    pub hint: Option<&'static str>,
}

/// The functions that a filter can call, in the order of their names and numbers of arguments.
pub fn functions() -> impl Iterator<Item = Function> {
    let public = rows().iter().filter(|row| row.is_public());
    let mut functions: Vec<Function> =
        public.map(|row| Function { name: row.name, arity: row.arity, hint: row.hint }).collect();
    functions.sort_unstable_by_key(|function| (function.name, function.arity));
    functions.into_iter()
}

/// All rows. A call has an instance of its own and looks up a few, so they are in no order: sorting them would be a tenth of a
/// small call.
pub(crate) fn rows() -> &'static [Row] {
    static ROWS: OnceLock<Vec<Row>> = OnceLock::new();
    ROWS.get_or_init(|| groups().chain(WITHHELD.iter().map(|(name, why)| Row::withheld(name, *why))).collect())
}

/// The rows of functions that run, as their modules have them.
fn groups() -> impl Iterator<Item = Row> {
    let groups = [
        interpreter(),
        super::collections::rows(),
        super::dates::rows(),
        super::descent::rows(),
        super::entries::rows(),
        super::formats::rows(),
        super::mathematics::rows(),
        super::paths::rows(),
        super::patterns::rows(),
        super::prelude::rows(),
        super::streams::rows(),
        super::strings::rows(),
    ];
    groups.into_iter().flatten()
}

/// What the interpreter has, and the list of what there is.
fn interpreter() -> Vec<Row> {
    let core = jaq_core::funs::<Data>().filter_map(|(name, arguments, function)| {
        let row = |name| Row::native((name, arguments, function));
        Some(match name {
            "range" => row("_range"),
            "limit" => row("_limit"),
            "skip" => row("_skip"),
            "error_empty" | "path" => row(name),
            "first" => row(name).one().reads(Reads::Last).fast(Fast::First),
            "last" => row(name).one().reads(Reads::Last),
            _ => return None,
        })
    });
    core.chain([super::run(("builtins", v(0), |_| bome(Ok(builtins())))).one()]).collect()
}

fn builtins() -> Value {
    functions().map(|Function { name, arity, .. }| Value::from(format!("{name}/{arity}"))).collect()
}

/// The row of a function.
pub(crate) fn row(name: &str, arity: usize) -> Option<&'static Row> {
    rows().iter().find(|row| row.arity == arity && row.name == name)
}

/// Why a name is withheld, if it is.
pub(crate) fn withheld(name: &str) -> Option<Withheld> {
    match row(name, 0)?.runs {
        Runs::Withheld(why) => Some(why),
        _ => None,
    }
}

/// The functions in Rust, for the interpreter. It takes them, and they cannot be cloned, so they are made anew.
pub(crate) fn natives() -> impl Iterator<Item = Fun<Data>> {
    let natives = groups().filter_map(|row| match row.runs {
        Runs::Native(function) => Some(function),
        _ => None,
    });
    natives.chain([super::steps::step(), super::steps::step_at()])
}
