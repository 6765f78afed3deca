//! The functions of the filter language: jaq's, less those that reach out of a filter, plus our own.

use std::cell::RefCell;

use jaq_core::data::JustLut;
use jaq_core::load::parse::Def;
use jaq_core::native::{Fun, bome, run, unary, v};
use jaq_core::{Error, ValR};
use jaq_json::Val;
use jaq_std::ValT as _;
use regex::bytes::{Regex, RegexBuilder};

use super::pattern::as_jq_reads_it;
use super::writer::write_json;

/// Definitions in jq: what can be said in jq is said in jq.
const PRELUDE: &str = include_str!("prelude.jq");

/// What a filter must not reach, and why (EXTRACT-14). One list for functions, definitions and variables.
pub(super) const WITHHELD: [(&str, &str); 23] = [
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
    ("module", FILES),
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
        run(("@tsv", v(0), |cv| bome(row(&cv.1, b'\t', push_tsv)))),
        run(("@csv", v(0), |cv| bome(row(&cv.1, b',', push_csv)))),
        run(("has_member", v(1), |cv| unary(cv, |set, member| Ok(has_member(&set, &member).into())))),
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

pub(super) fn compile(pattern: &str, flags: &str) -> Result<Regex, Error<Val>> {
    let mut builder = RegexBuilder::new(&as_jq_reads_it(pattern));
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

/// A row of fields. Like jq's, but an array or object stands as JSON instead of failing the record.
fn row(value: &Val, separator: u8, push_text: fn(&mut Vec<u8>, &[u8])) -> ValR<Val> {
    let Val::Arr(fields) = value else {
        return Err(Error::typ(value.clone(), "array"));
    };
    let mut row = Vec::with_capacity(64);
    for (i, field) in fields.iter().enumerate() {
        if i > 0 {
            row.push(separator);
        }
        match field {
            Val::Null => {}
            Val::TStr(text) | Val::BStr(text) => push_text(&mut row, text),
            Val::Arr(_) | Val::Obj(_) => {
                let mut json = Vec::new();
                write_json(&mut json, field);
                push_text(&mut row, &json);
            }
            scalar => write_json(&mut row, scalar),
        }
    }
    Ok(Val::utf8_str(row))
}

/// Tabs, line ends, backslashes and NUL are escaped.
fn push_tsv(row: &mut Vec<u8>, text: &[u8]) {
    for byte in text {
        match byte {
            b'\t' => row.extend(br"\t"),
            b'\n' => row.extend(br"\n"),
            b'\r' => row.extend(br"\r"),
            b'\\' => row.extend(br"\\"),
            0 => row.extend(br"\0"),
            other => row.push(*other),
        }
    }
}

/// Text stands in quotes, and quotes in it are doubled.
fn push_csv(row: &mut Vec<u8>, text: &[u8]) {
    row.push(b'"');
    for byte in text {
        if *byte == b'"' {
            row.push(b'"');
        }
        row.push(*byte);
    }
    row.push(b'"');
}

/// What `index` says of a set of tags, without looking for the place: an array has the element, a text has the part.
fn has_member(set: &Val, member: &Val) -> bool {
    match (set, member) {
        (Val::Arr(elements), member) => elements.contains(member),
        (Val::TStr(text), Val::TStr(part)) => !part.is_empty() && memchr::memmem::find(text, part).is_some(),
        _ => false,
    }
}
