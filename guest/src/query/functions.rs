//! The functions of the filter language: jaq's, less those that reach out of a filter, plus our own.

use std::cell::RefCell;

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, bome, run, v};
use jaq_core::{Error, ValR};
use jaq_json::Val;
use jaq_std::ValT as _;
use regex::bytes::{Regex, RegexBuilder};

/// Definitions in jq: what can be said in jq is said in jq.
const PRELUDE: &str = include_str!("prelude.jq");

/// What a filter must not reach, and why (EXTRACT-14). One list for functions, definitions and variables.
pub(super) const WITHHELD: [(&str, &str); 22] = [
    ("env", ENVIRONMENT),
    ("$ENV", ENVIRONMENT),
    ("$__prog_args", ENVIRONMENT),
    ("input", INPUT),
    ("inputs", INPUT),
    ("input_filename", INPUT),
    ("input_line_number", INPUT),
    ("halt", HALT),
    ("halt_error", HALT),
    ("debug", OUTPUT),
    ("debug_empty", OUTPUT),
    ("stderr", OUTPUT),
    ("stderr_empty", OUTPUT),
    ("now", CLOCK),
    ("localtime", CLOCK),
    ("strflocaltime", CLOCK),
    ("get_search_list", FILES),
    ("modulemeta", FILES),
    ("import", FILES),
    ("include", FILES),
    ("repl", FILES),
    ("$__prog_name", ENVIRONMENT),
];

const ENVIRONMENT: &str = "a filter cannot see the environment";
const INPUT: &str = "a filter sees one record, or all of them as an array when it slurps";
const HALT: &str = "a filter cannot end the run; use `empty` or `limit`";
const OUTPUT: &str = "a filter has no output but its results";
const CLOCK: &str = "a filter gives the same results at any time and place; compare with a date as text";
const FILES: &str = "a filter cannot see files or modules";

/// Why a name is withheld, if it is.
pub(super) fn withheld(name: &str) -> Option<&'static str> {
    WITHHELD.iter().find(|(known, _)| *known == name).map(|(_, reason)| *reason)
}

/// Definitions that a filter can use.
pub(super) fn definitions() -> impl Iterator<Item = Def<&'static str>> {
    let ours = jaq_core::load::parse(PRELUDE, |parser| parser.defs()).expect("the prelude is valid jq");
    let theirs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    theirs.filter(|def| withheld(def.name).is_none() && def.name != "test").chain(ours)
}

/// Native functions that a filter can use.
pub(super) fn functions() -> impl Iterator<Item = Fun<JustLut<Val>>> {
    let theirs = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    theirs.filter(|(name, ..)| withheld(name).is_none()).chain([
        run(("test", v(2), |mut cv| {
            let flags = cv.0.pop_var();
            let pattern = cv.0.pop_var();
            bome(test(&cv.1, &pattern, &flags))
        })),
        run(("escape_tsv", v(0), |cv| bome(escape_tsv(&cv.1)))),
    ])
}

thread_local! {
    /// The last pattern that was compiled: a filter mostly has one, and compiling it costs more than matching.
    static LAST: RefCell<Option<(String, String, Regex)>> = const { RefCell::new(None) };
}

/// `test(re; flags)`: jaq's own compiles the pattern anew for every record.
fn test(text: &Val, pattern: &Val, flags: &Val) -> ValR<Val> {
    // jq takes `test(["re", "flags"])` too.
    let (pattern, flags) = match pattern {
        Val::Arr(both) => (both.first().unwrap_or(&Val::Null), both.get(1).unwrap_or(flags)),
        _ => (pattern, flags),
    };
    let text = text.try_as_utf8_bytes()?;
    let pattern = String::from_utf8_lossy(pattern.try_as_utf8_bytes()?);
    let flags = match flags {
        Val::Null => "".into(),
        flags => String::from_utf8_lossy(flags.try_as_utf8_bytes()?),
    };
    LAST.with_borrow_mut(|last| {
        match last {
            Some((known, known_flags, regex)) if *known == pattern && *known_flags == flags => {
                return Ok(regex.is_match(text).into());
            }
            _ => {}
        }
        let regex = compile(&pattern, &flags)?;
        let found = regex.is_match(text);
        *last = Some((pattern.into_owned(), flags.into_owned(), regex));
        Ok(found.into())
    })
}

fn compile(pattern: &str, flags: &str) -> Result<Regex, Error<Val>> {
    let mut builder = RegexBuilder::new(pattern);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'x' => builder.ignore_whitespace(true),
            's' => builder.dot_matches_new_line(true),
            'p' => builder.dot_matches_new_line(true).multi_line(true),
            // They tell matches apart, and here it only counts whether there is one.
            'g' | 'n' | 'l' => &mut builder,
            other => return Err(Error::str(format_args!("{flags} is not a valid modifier string: unknown `{other}`"))),
        };
    }
    builder.build().map_err(|error| Error::str(format_args!("{pattern} is not a valid regular expression: {error}")))
}

/// The four characters that `@tsv` escapes.
fn escape_tsv(text: &Val) -> ValR<Val> {
    let bytes = text.try_as_utf8_bytes()?;
    if memchr::memchr3(b'\t', b'\n', b'\r', bytes).or_else(|| memchr::memchr(b'\\', bytes)).is_none() {
        return Ok(text.clone());
    }
    let mut escaped = Vec::with_capacity(bytes.len() + 8);
    for byte in bytes {
        match byte {
            b'\t' => escaped.extend(br"\t"),
            b'\n' => escaped.extend(br"\n"),
            b'\r' => escaped.extend(br"\r"),
            b'\\' => escaped.extend(br"\\"),
            other => escaped.push(*other),
        }
    }
    Ok(Val::utf8_str(escaped))
}
