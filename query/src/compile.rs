//! From a query to a filter that runs: definitions and functions bound, compiled once a call.

use std::collections::BTreeSet;

use jaq_core::load::parse::{Def, Term};
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, compile::Undefined};

use crate::Limits;
use crate::budget;
use crate::error::{Error, Unknown, Why};
use crate::failure::Failure;
use crate::functions::Data;
use crate::functions::prelude;
use crate::functions::steps::{counted, counted_if_recursive};
use crate::functions::table::{natives, withheld};
use crate::query::Query;
use crate::syntax::{each_part, ordered};
use crate::value::{Value, failure_of};

/// What the filter is called inside.
const MAIN: &str = "__filter__";

/// At most this many names are told.
const MOST_NAMES: usize = 3;

/// A compiled filter with its variables.
pub struct Filter {
    compiled: jaq_core::Filter<Data>,
    variables: Vec<Value>,
}

/// Compiles a query. Variables are bound by name, without the dollar sign; their values are data, never text of the filter.
///
/// Errors: [`Error::Unknown`] for names that do not exist or are withheld.
pub fn compile(query: &Query<'_>, variables: &[(String, Value)]) -> Result<Filter, Error> {
    compile_tree(query.tree(), variables)
}

/// The same for a part of a query's tree.
pub(crate) fn compile_tree(tree: &Term<&str>, variables: &[(String, Value)]) -> Result<Filter, Error> {
    let names: Vec<String> = variables.iter().map(|(name, _)| format!("${name}")).collect();
    let arena = Arena::default();
    // The interpreter loads definitions and a text. The filter is a definition, and the text names it.
    let mut all: Vec<Def<&str>> = definitions(tree);
    all.push(Def { name: MAIN, args: Vec::new(), body: counted(ordered(tree, &arena)) });
    // Nothing is loaded: a query begins with no module directive.
    let loaded = Loader::new(all).load(&arena, File { code: MAIN, path: () });
    let modules = loaded.map_err(|_| Error::Unknown(Vec::new()))?;
    let compiled = Compiler::default()
        .with_funs(natives())
        .with_global_vars(names.iter().map(String::as_str))
        .compile(modules)
        .map_err(undefined)?;
    Ok(Filter { compiled, variables: variables.iter().map(|(_, value)| value.clone()).collect() })
}

/// The definitions that a filter needs, each after those that it needs itself: compiling all of them for every call would
/// take longer than most filters run.
fn definitions(filter: &Term<&str>) -> Vec<Def<&'static str>> {
    let mut needed = Needed { known: prelude::definitions(), seen: BTreeSet::new(), definitions: Vec::new() };
    needed.add(filter);
    needed.definitions
}

struct Needed {
    known: &'static prelude::Definitions,
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
                self.definitions.push(counted_if_recursive(definition));
            }
        }
    }
}

impl Filter {
    /// Runs the filter on a value. Nothing comes after a failure.
    pub fn run(&self, input: Value) -> impl Iterator<Item = Result<Value, Failure>> {
        let context = Ctx::<Data>::new(&self.compiled.lut, Vars::new(self.variables.iter().cloned()));
        self.compiled.id.run((context, input)).map(|output| {
            output.map_err(|exception| match exception.get_err() {
                Ok(error) => failure_of(error),
                // Halting is withheld; what remains is a `break` that left its label.
                Err(_) => Failure::Other("break".to_owned()),
            })
        })
    }
}

/// Runs a filter on one value: the outputs as JSON, and the failure that ended them.
pub fn outputs(filter: &str, input: Value, limits: &Limits) -> Result<(Vec<String>, Option<Failure>), Error> {
    let arena = Arena::default();
    let filter = compile(&Query::parse(filter, &arena, limits)?, &[])?;
    let mut outputs = Vec::new();
    for output in filter.run(input) {
        match output {
            Ok(value) => outputs.push(value.to_json()),
            Err(failure) => {
                budget::check()?;
                return Ok((outputs, Some(failure)));
            }
        }
    }
    budget::check()?;
    Ok((outputs, None))
}

fn undefined(errors: jaq_core::compile::Errors<&str, ()>) -> Error {
    let unknown = |(name, kind): (&str, Undefined)| {
        let why = match (withheld(name), kind) {
            (Some(withheld), _) => Why::Withheld(withheld),
            (None, Undefined::Filter(arity)) => Why::Function(arity),
            (None, Undefined::Var) => Why::Variable,
            (None, kind) => Why::Thing(kind.as_str()),
        };
        Unknown { name: name.to_owned(), why }
    };
    Error::Unknown(errors.into_iter().flat_map(|(_, errors)| errors).take(MOST_NAMES).map(unknown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::from_json;
    use crate::functions::table::rows;

    fn compiled(text: &str) -> Result<Filter, Error> {
        crate::testing::compiled(text, &[("x".to_owned(), from_json("\"v\"").unwrap())])
    }

    fn first(text: &str, input: &str) -> String {
        let outputs = compiled(text).unwrap().run(from_json(input).unwrap()).next();
        outputs
            .map_or_else(String::new, |output| output.map_or_else(|error| error.to_string(), |value| value.to_string()))
    }

    #[test]
    fn filters_run_and_see_their_variables() {
        let rows = [
            (".a", r#"{"a":1}"#, "1"),
            ("$x", "null", r#""v""#),
            (r#"test("KEY"; "i")"#, r#""a key""#, "true"),
            (r#"test("key")"#, r#""a KEY""#, "false"),
            (r#"test(["É", "i"])"#, r#""é""#, "true"),
            (r#"[1, null, true, "a\tb\\c\nd", [1]] | @tsv"#, "null", r#""1\t\ttrue\ta\\tb\\\\c\\nd\t[1]""#),
            (r#"[1, null, "a\"b,c"] | @csv"#, "null", r#""1,,\"a\"\"b,c\"""#),
            ("[] | @tsv", "null", r#""""#),
            // What jaq's parser does not know.
            ("[foreach .[] / .[] as $i (0; . + $i)]", "[1, 2]", "[1,3,3.5,4.5]"),
            ("reduce (reduce .[] as $x (0; . + $x)) + 1 as $y (1; . + $y)", "[1, 2]", "5"),
            (". as {$a, $b: [$c]} | [$a, $b, $c]", r#"{"a":1,"b":[2]}"#, "[1,[2],2]"),
            ("try range(\"x\") catch .", "null", r#""Range bounds must be numeric""#),
            (".tags | index(\"a\")", r#"{"tags":["b","a"]}"#, "1"),
        ];
        for (filter, input, expected) in rows {
            assert_eq!(first(filter, input), expected, "{filter}");
        }
    }

    #[test]
    fn a_fraction_has_one_dot() {
        assert_eq!((first(".5", "null"), first("[.5e1, 1-.5]", "null")), ("0.5".to_owned(), "[5,0.5]".to_owned()));
        for text in [".11.0", ".1.5", ". 5", "[.11.0 > .0]"] {
            assert!(matches!(compiled(text), Err(Error::Syntax(_))), "{text}");
        }
    }

    #[test]
    fn what_is_withheld_is_refused_by_name() {
        // NAME stands for a name; every place where a call, a variable or a file can stand.
        let routes = [
            "NAME",
            "NAME(1)",
            "NAME(1; 2)",
            "NAME?",
            "try NAME catch .",
            "[NAME]",
            "{a: NAME}",
            "{(NAME): 1}",
            "{NAME}",
            "\"\\(NAME)\"",
            "@json \"\\(NAME)\"",
            ".[NAME]",
            ".[NAME:]",
            ".a[NAME]",
            "path(NAME)",
            "NAME as $x | $x",
            ". as {(NAME): $x} | $x",
            ". as [$x] ?// {a: $x} | NAME",
            "def f: NAME; f",
            "def f(g): g; f(NAME)",
            "def f($g): $g; f(NAME)",
            "def g: def h: NAME; h; g",
            "reduce NAME as $x (0; .)",
            "reduce . as $x (NAME; .)",
            "foreach . as $x (0; .; NAME)",
            "if NAME then 1 else 2 end",
            "if . then NAME end",
            "limit(1; NAME)",
            "first(NAME)",
            "label $l | NAME",
            "NAME // 1",
            "1 // NAME",
            "NAME and true",
            "-NAME",
            ".a = NAME",
            ".a |= NAME",
            "NAME |= 1",
            "map(NAME)",
            "walk(NAME)",
            "getpath([NAME])",
            "NAME::NAME",
            "import \"NAME\" as $x; $x",
            "import \"NAME\" as x; x::f",
            "include \"NAME\"; .",
            "modulemeta | NAME",
        ];
        let names = || rows().iter().map(|row| row.name).filter(|name| withheld(name).is_some());
        for name in names() {
            for route in routes {
                let call = route.replace("NAME", name);
                // `{module}` is a key, and `{$x}` a variable.
                if route == "{NAME}" && !name.starts_with('$') {
                    assert!(compiled(&call).is_ok(), "{call}");
                    continue;
                }
                let Err(error) = compiled(&call) else { panic!("{call} compiles") };
                assert!(matches!(error, Error::Unknown(_) | Error::Syntax(_)), "{call}: {error}");
            }
        }
        let listed = first("builtins | map(split(\"/\")[0]) | unique | join(\" \")", "null");
        for name in names() {
            assert!(!listed.split([' ', '"']).any(|other| other == name), "builtins lists {name}");
        }
        for call in ["env", "$ENV", "input", "halt", "input_filename", "now", "debug", "$ENV.PATH", "halt_error(1)"] {
            let error = compiled(call).err().unwrap();
            assert!(error.to_string().contains("is withheld"), "{call}: {error}");
        }
    }

    #[test]
    fn a_filter_that_is_no_jq_is_told_where() {
        let rows = [
            ("select(.a", "closing parenthesis"),
            (".a |", "at the end"),
            ("nosuch(1)", "function `nosuch/1` is not defined"),
            ("select.a = 1", "function `select/0` is not defined"),
            ("$y", "variable `$y` is not defined"),
            (".a ++ .b", "at character"),
        ];
        for (filter, part) in rows {
            let error = compiled(filter).err().unwrap();
            assert!(error.to_string().contains(part), "{filter}: {error}");
        }
    }
}
