//! The functions of the filter language: what jq has, less what reaches out of a filter.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use jaq_core::load::parse::{Def, Term};
use jaq_core::native::{Fun, bome, run, v};

use crate::error::Withheld::{self, Clock, Environment, Files, Halt, Input, Modules, Output};
use crate::functions::{Data, natives};
use crate::syntax::each_part;
use crate::value::Value;

/// Definitions in jq: what can be said in jq is said in jq.
const PRELUDE: &str = include_str!("prelude.jq");

/// What a filter must not reach, and why. One list for functions, definitions and variables.
pub(crate) const WITHHELD: [(&str, Withheld); 23] = [
    ("env", Environment),
    ("$ENV", Environment),
    ("$__prog_args", Environment),
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
    ("modulemeta", Files),
    ("import", Modules),
    ("include", Modules),
    ("module", Modules),
    ("repl", Files),
    ("$__prog_name", Environment),
];

/// Why a name is withheld, if it is.
pub(crate) fn withheld(name: &str) -> Option<Withheld> {
    WITHHELD.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}

/// The definitions that a filter needs, each after those that it needs itself: compiling all of them for every call would
/// take longer than most filters run.
pub(crate) fn definitions(filter: &Term<&str>) -> Vec<Def<&'static str>> {
    let mut needed = Needed { known: prelude(), seen: BTreeSet::new(), definitions: Vec::new() };
    needed.add(filter);
    needed.definitions
}

/// Native functions that a filter can use.
pub(crate) fn functions() -> impl Iterator<Item = Fun<Data>> {
    let core = jaq_core::funs::<Data>().filter_map(|(name, arguments, function)| {
        let name = match name {
            "range" => "_range",
            "limit" => "_limit",
            "skip" => "_skip",
            "error_empty" | "path" | "first" | "last" => name,
            _ => return None,
        };
        Some((name, arguments, function))
    });
    core.chain(natives()).chain([run(("builtins", v(0), |_| bome(Ok(builtins()))))])
}

/// The functions that a filter can call, with their number of arguments, in the order of their names.
pub fn function_names() -> BTreeSet<(String, usize)> {
    let defined = prelude().keys().map(|(name, arity)| (*name, *arity));
    let native = functions().map(|(name, arguments, _)| (name, arguments.len()));
    let names = defined.chain(native).filter(|(name, _)| !name.starts_with(['_', '@']));
    names.map(|(name, arity)| (name.to_owned(), arity)).collect()
}

/// The same as a value.
fn builtins() -> Value {
    function_names().into_iter().map(|(name, arity)| Value::from(format!("{name}/{arity}"))).collect()
}

type Definitions = BTreeMap<(&'static str, usize), Def<&'static str>>;

fn prelude() -> &'static Definitions {
    static PARSED: OnceLock<Definitions> = OnceLock::new();
    PARSED.get_or_init(|| {
        let parsed = jaq_core::load::parse(PRELUDE, |parser| parser.defs()).expect("the prelude is valid jq");
        parsed.into_iter().map(|definition| ((definition.name, definition.args.len()), definition)).collect()
    })
}

struct Needed {
    known: &'static Definitions,
    seen: BTreeSet<(&'static str, usize)>,
    definitions: Vec<Def<&'static str>>,
}

impl Needed {
    fn add(&mut self, term: &Term<&str>) {
        let mut names = BTreeSet::from([("null".to_owned(), 0)]);
        each_part(term, &mut |part| {
            if let Term::Call(name, arguments) = part {
                names.insert(((*name).to_owned(), arguments.len()));
            }
        });
        let known = self.known;
        for (name, arity) in names {
            let found = known.range(..).find(|((known, known_arity), _)| *known == name && *known_arity == arity);
            let Some((name, definition)) = found else { continue };
            if self.seen.insert(*name) {
                self.add(&definition.body);
                self.definitions.push(definition.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_definition_finds_what_it_needs_and_nothing_is_defined_twice() {
        for ((name, arity), definition) in prelude() {
            let text =
                if *arity == 0 { (*name).to_owned() } else { format!("{name}({})", vec!["."; *arity].join(";")) };
            let compiled = crate::testing::compiled(&text, &[]);
            assert!(compiled.is_ok(), "{text}: {}", compiled.err().unwrap());
            assert!(withheld(definition.name).is_none(), "{name}");
        }
        let natives: Vec<(&str, usize)> = functions().map(|(name, arguments, _)| (name, arguments.len())).collect();
        for (i, native) in natives.iter().enumerate() {
            assert!(!natives[..i].contains(native) && !prelude().contains_key(native), "{native:?}");
            assert!(withheld(native.0).is_none(), "{native:?}");
        }
    }
}
