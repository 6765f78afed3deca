//! Filters: compiled once a call, run on one value at a time.

use jaq_core::load::parse::Def;
use jaq_core::load::{Arena, File, Loader, span};
use jaq_core::{Compiler, Ctx, Vars, compile::Undefined};

use super::functions::{definitions, functions, withheld};
use super::natives::Data;
use super::reads::keys_of;
use super::syntax::{self, Fault};
use super::value::message;
use super::values::Value;
use crate::error::{Error, Problem};
use crate::extract::advice;
use crate::settings::Settings;

/// What the filter is called inside.
const MAIN: &str = "__filter__";

/// A compiled filter with its variables.
pub struct Filter {
    compiled: jaq_core::Filter<Data>,
    variables: Vec<Value>,
    /// The only keys that it reads of an object; all of them where that is not known.
    pub(super) reads: Option<Vec<String>>,
}

/// Compiles a filter. Variables are bound by name, without the dollar sign; their values are data, never text of the
/// filter (EXTRACT-07).
///
/// Errors: `limit-reached` for a filter that is too long or nested too deep, `invalid-query` for one that is no jq or
/// uses what is withheld.
pub fn compile(text: &str, variables: &[(String, Value)], settings: &Settings) -> Result<Filter, Error> {
    within_limits(text, settings)?;
    without_modules(text)?;
    let names: Vec<String> = variables.iter().map(|(name, _)| format!("${name}")).collect();
    let arena = Arena::default();
    let term = syntax::parse(text, &arena).map_err(|faults| not_jq(text, faults))?;
    let reads = keys_of(&term);
    // The interpreter loads definitions and a text. The filter is a definition, and the text names it.
    let mut all: Vec<Def<&str>> = definitions(&term).into_iter().collect();
    all.push(Def { name: MAIN, args: Vec::new(), body: term });
    let modules = Loader::new(all).load(&arena, File { code: MAIN, path: () }).map_err(|_| not_jq(text, Vec::new()))?;
    let compiled = Compiler::default()
        .with_funs(functions())
        .with_global_vars(names.iter().map(String::as_str))
        .compile(modules)
        .map_err(undefined)?;
    Ok(Filter { compiled, variables: variables.iter().map(|(_, value)| value.clone()).collect(), reads })
}

impl Filter {
    /// Runs the filter on a value. Errors are jq's texts; nothing comes after one.
    pub fn run(&self, input: Value) -> impl Iterator<Item = Result<Value, String>> {
        let context = Ctx::<Data>::new(&self.compiled.lut, Vars::new(self.variables.iter().cloned()));
        self.compiled.id.run((context, input)).map(|output| {
            output.map_err(|exception| match exception.get_err() {
                Ok(error) => message(error),
                // Halting is withheld; what remains is a `break` that left its label.
                Err(_) => "break".to_owned(),
            })
        })
    }
}

/// Refuses a filter that is too long or nested too deep for a parser that recurses.
pub(super) fn within_limits(text: &str, settings: &Settings) -> Result<(), Error> {
    let too = |what: &str, limit: &'static str, value: u32| Error::LimitReached {
        problem: Problem::new(
            format!("cannot compile the filter: it is {what}, {limit} is {value}"),
            "write a shorter filter, or do the work in several extractions",
        ),
        limit,
        value,
    };
    if text.len() > settings.max_filter_bytes as usize {
        return Err(too(&format!("{} bytes long", text.len()), "max_filter_bytes", settings.max_filter_bytes));
    }
    if nesting(text) > settings.max_filter_nesting {
        return Err(too("nested too deep", "max_filter_nesting", settings.max_filter_nesting));
    }
    Ok(())
}

/// Refuses a filter that begins with a module directive. jaq would look for the file, or, for `import … as $x`, take the
/// variable for one that it is given, and panic.
fn without_modules(text: &str) -> Result<(), Error> {
    let tokens = jaq_core::load::lex::Lexer::new(text).lex().unwrap_or_default();
    let directive = tokens.first().map(|token| token.0).filter(|word| ["import", "include", "module"].contains(word));
    match directive {
        Some(word) => Err(Error::invalid_query(
            format!("cannot compile the filter: {}", withheld_message(&format!("`{word}`"), word)),
            "write all definitions into the filter itself",
        )),
        None => Ok(()),
    }
}

/// An upper bound of how deep the parser recurses: brackets, and words that open a block, however they are quoted.
fn nesting(text: &str) -> u32 {
    let (mut depth, mut deepest) = (0_u32, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    let opening =
        words.filter(|word| matches!(*word, "if" | "try" | "reduce" | "foreach" | "def" | "as" | "label")).count();
    let signs = text.bytes().filter(|byte| *byte == b'-').count();
    deepest.saturating_add(u32::try_from(opening + signs).unwrap_or(u32::MAX))
}

fn not_jq(text: &str, faults: Vec<Fault<'_>>) -> Error {
    let what: Vec<String> = faults.into_iter().take(3).map(|(expected, found)| at(text, found, &expected)).collect();
    let hint = advice::of_syntax(text)
        .unwrap_or_else(|| "write a jq filter, for example `select(.title | test(\"cache\"; \"i\"))`".to_owned());
    Error::invalid_query(format!("cannot compile the filter: {}", what.join("; ")), hint)
}

fn at(text: &str, found: &str, expected: &str) -> String {
    let position = span(text, found).start;
    let column = text.get(..position).map_or(1, |before| before.chars().count() + 1);
    let expected = if expected == "nothing" { "the end of the filter" } else { expected };
    match found.chars().take(20).collect::<String>() {
        end if end.is_empty() => format!("expected {expected} at the end"),
        found => format!("expected {expected} at character {column}, before `{found}`"),
    }
}

fn undefined(errors: jaq_core::compile::Errors<&str, ()>) -> Error {
    let (mut what, mut hints, mut known) = (Vec::new(), Vec::new(), Vec::new());
    for (name, kind) in errors.into_iter().flat_map(|(_, errors)| errors).take(3) {
        let (message, advice) = match (withheld(name), kind) {
            (Some(reason), _) => (withheld_message(&format!("`{name}`"), name), Some(advice::of_withheld(reason))),
            (None, Undefined::Filter(arity)) => {
                (format!("function `{name}/{arity}` is not defined"), Some(advice::of_function(name, arity)))
            }
            (None, Undefined::Var) => (format!("variable `{name}` is not defined"), Some(advice::of_variable(name))),
            (None, kind) => (format!("{} `{name}` is not defined", kind.as_str()), None),
        };
        what.push(message);
        if let Some(advice) = advice.filter(|advice| !hints.contains(&advice.hint)) {
            hints.push(advice.hint);
            known.extend(advice.known);
        }
    }
    let problem = Problem::new(format!("cannot compile the filter: {}", what.join("; ")), hints.join("; "));
    Error::InvalidQuery { problem, known }
}

fn withheld_message(what: &str, name: &str) -> String {
    let reason = withheld(name).unwrap_or_default();
    format!("{what} is withheld: {}", reason.split("; ").next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::functions::WITHHELD;
    use super::super::values::from_json;
    use super::*;

    fn compiled(text: &str) -> Result<Filter, Error> {
        compile(text, &[("x".to_owned(), from_json("\"v\"").unwrap())], &Settings::default())
    }

    fn first(text: &str, input: &str) -> String {
        let outputs = compiled(text).unwrap().run(from_json(input).unwrap()).next();
        outputs.map_or_else(String::new, |output| output.map_or_else(|error| error, |value| value.to_string()))
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
            (".tags | index(\"a\")", r#"{"tags":["b","a"]}"#, "1"),
        ];
        for (filter, input, expected) in rows {
            assert_eq!(first(filter, input), expected, "{filter}");
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
        for (name, _) in WITHHELD {
            for route in routes {
                let call = route.replace("NAME", name);
                // `{module}` is a key, and `{$x}` a variable.
                if route == "{NAME}" && !name.starts_with('$') {
                    assert!(compiled(&call).is_ok(), "{call}");
                    continue;
                }
                let Err(error) = compiled(&call) else { panic!("{call} compiles") };
                assert!(matches!(error, Error::InvalidQuery { .. }), "{call}: {error}");
            }
        }
        let listed = first("builtins | map(split(\"/\")[0]) | unique | join(\" \")", "null");
        for (name, _) in WITHHELD {
            assert!(!listed.split([' ', '"']).any(|other| other == name), "builtins lists {name}");
        }
        for call in ["env", "$ENV", "input", "halt", "input_filename", "now", "debug", "$ENV.PATH", "halt_error(1)"] {
            let error = compiled(call).err().unwrap();
            assert!(error.message().contains("is withheld"), "{call}: {error}");
        }
    }

    #[test]
    fn a_filter_that_is_no_jq_is_told_where() {
        let rows = [
            ("select(.a", "closing parenthesis"),
            (".a |", "at the end"),
            ("nosuch(1)", "function `nosuch/1` is not defined"),
            ("$y", "variable `$y` is not defined"),
            (".a ++ .b", "at character"),
        ];
        for (filter, part) in rows {
            let error = compiled(filter).err().unwrap();
            assert!(error.message().contains(part), "{filter}: {error}");
        }
    }

    #[test]
    fn filters_too_long_or_too_deep_never_reach_the_parser() {
        let long = format!("\"{}\"", "x".repeat(9000));
        let deep = format!("{}1{}", "(".repeat(300), ")".repeat(300));
        let minus = format!("{}1", "-".repeat(4000));
        let ifs = "if . then ".repeat(300);
        for (filter, name) in [
            (long, "max_filter_bytes"),
            (deep, "max_filter_nesting"),
            (minus, "max_filter_nesting"),
            (ifs, "max_filter_nesting"),
        ] {
            let error = compiled(&filter).err().unwrap();
            assert!(matches!(error, Error::LimitReached { limit, .. } if limit == name), "{error}");
        }
    }
}
