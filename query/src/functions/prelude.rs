//! Functions in jq: what can be said in jq is said in jq, in `prelude.jq`. Its definitions are parsed when a filter is
//! first compiled; the fast path does without.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jaq_core::load::parse::Def;

use super::{CallWith, Fast, Matching, Reads, Row};

const TEXT: &str = include_str!("prelude.jq");

/// Definitions by their names and numbers of arguments.
pub(crate) type Definitions = BTreeMap<(&'static str, usize), Def<&'static str>>;

/// All of them.
pub(crate) fn definitions() -> &'static Definitions {
    static PARSED: OnceLock<Definitions> = OnceLock::new();
    PARSED.get_or_init(|| {
        let parsed = jaq_core::load::parse(TEXT, |parser| parser.defs()).expect("the prelude is valid jq");
        parsed.into_iter().map(|definition| ((definition.name, definition.args.len()), definition)).collect()
    })
}

/// A row for each.
pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::prelude("error", 0).one(),
        Row::prelude("error", 1).reads(Reads::Arguments),
        Row::prelude("true", 0).one().reads(Reads::Nothing).fast(Fast::Constant("true")),
        Row::prelude("false", 0).one().reads(Reads::Nothing).fast(Fast::Constant("false")),
        Row::prelude("null", 0).one().reads(Reads::Nothing).fast(Fast::Constant("null")),
        Row::prelude("_last_or_null", 1).one(),
        Row::prelude("finites", 0),
        Row::prelude("normals", 0),
        Row::prelude("toarray", 0).one(),
        Row::prelude("isvalid", 1).one(),
        Row::prelude("abs", 0).one(),
        Row::prelude("have_literal_numbers", 0).one(),
        Row::prelude("have_decnum", 0).one(),
        Row::prelude("select", 1).reads(Reads::Condition).fast(Fast::Select),
        Row::prelude("range", 1).reads(Reads::Arguments).fast(Fast::Range),
        Row::prelude("range", 2).reads(Reads::Arguments).fast(Fast::Range),
        Row::prelude("range", 3).reads(Reads::Arguments),
        Row::prelude("repeat", 1),
        Row::prelude("recurse", 1),
        Row::prelude("recurse", 2),
        Row::prelude("recurse_down", 0),
        Row::prelude("while", 2),
        Row::prelude("until", 2),
        Row::prelude("limit", 2).reads(Reads::Last).fast(Fast::Limit),
        Row::prelude("skip", 2).reads(Reads::Last),
        Row::prelude("first", 0).one().fast(Fast::At(0)),
        Row::prelude("last", 0).one().fast(Fast::At(-1)),
        Row::prelude("nth", 1).one(),
        Row::prelude("nth", 2).reads(Reads::Last),
        Row::prelude("isempty", 1).one().reads(Reads::Arguments).fast(Fast::IsEmpty),
        Row::prelude("all", 2).one().reads(Reads::Generator).fast(Fast::All),
        Row::prelude("any", 2).one().reads(Reads::Generator).fast(Fast::Any),
        Row::prelude("all", 1).one().fast(Fast::All),
        Row::prelude("any", 1).one().fast(Fast::Any),
        Row::prelude("all", 0).one().fast(Fast::All),
        Row::prelude("any", 0).one().fast(Fast::Any),
        Row::prelude("add", 1).one().reads(Reads::Arguments).fast(Fast::AddAll),
        Row::prelude("in", 1).one(),
        Row::prelude("inside", 1).one(),
        Row::prelude("combinations", 0),
        Row::prelude("combinations", 1),
        Row::prelude("splits", 1),
        Row::prelude("splits", 2),
        Row::prelude("IN", 1).one().fast(Fast::In),
        Row::prelude("IN", 2).one(),
        Row::prelude("INDEX", 2).one(),
        Row::prelude("INDEX", 1).one(),
        Row::prelude("JOIN", 2).one(),
        Row::prelude("JOIN", 3),
        Row::prelude("JOIN", 4),
        Row::prelude("ascii", 0).one(),
        Row::prelude("map_values", 1).one().fast(Fast::MapValues),
        Row::prelude("with_entries", 1).one().fast(Fast::WithEntries),
        Row::prelude("walk", 1),
        Row::prelude("flatten", 0).one(),
        Row::prelude("index", 1).one().fast(Fast::With(CallWith::Index)),
        Row::prelude("rindex", 1).one(),
        Row::prelude("trimstr", 1).one(),
        Row::prelude("paths", 1),
        Row::prelude("leaf_paths", 0),
        Row::prelude("pick", 1).one(),
        Row::prelude("tostream", 0),
        Row::prelude("fromstream", 1),
        Row::prelude("truncate_stream", 1),
        Row::prelude("test", 1).one().fast(Fast::Test),
        Row::prelude("match", 1).fast(Fast::Matches(Matching::Match)),
        Row::prelude("match", 2).fast(Fast::Matches(Matching::Match)),
        Row::prelude("capture", 1).fast(Fast::Matches(Matching::Capture)),
        Row::prelude("capture", 2).fast(Fast::Matches(Matching::Capture)),
        Row::prelude("scan", 1).fast(Fast::Matches(Matching::Scan)),
        Row::prelude("scan", 2).fast(Fast::Matches(Matching::Scan)),
        Row::prelude("split", 2).one(),
        Row::prelude("sub", 2).fast(Fast::Replace { all: false }),
        Row::prelude("sub", 3).fast(Fast::Replace { all: false }),
        Row::prelude("gsub", 2).fast(Fast::Replace { all: true }),
        Row::prelude("gsub", 3).fast(Fast::Replace { all: true }),
        Row::prelude("todateiso8601", 0).one(),
        Row::prelude("todate", 0).one(),
        Row::prelude("fromdate", 0).one(),
        Row::prelude("date", 0).one().hint("`date` takes no format: write `strftime(…)`"),
        Row::prelude("dateadd", 2).one(),
        Row::prelude("datesub", 2).one(),
        Row::prelude("format", 1).one(),
    ]
}
