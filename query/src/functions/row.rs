//! A row of the table of functions: all that the crate knows of one function.

use jaq_core::native::Fun;

use super::Data;
use crate::error::Withheld;
use crate::json::Type;
use crate::value::{Result, Value};

/// One function: a name with a number of arguments.
pub(crate) struct Row {
    /// Its name; those that begin with `_` are for the prelude, those with `@` are formats.
    pub(crate) name: &'static str,
    /// How many arguments it takes. A withheld name is withheld with any number.
    pub(crate) arity: usize,
    /// What runs when it is called.
    pub(crate) runs: Runs,
    /// It has one output, or fails, if each of its arguments has one.
    pub(crate) one: bool,
    /// Which keys it reads of its input.
    pub(crate) reads: Reads,
    /// Its form on the bytes of a record.
    pub(crate) fast: Option<Fast>,
    /// The Rust function of values that it is, for plans that have no form of it.
    pub(crate) plain: Option<Plain>,
    /// Its form on the array of all records.
    pub(crate) whole: Option<Whole>,
    /// What to write, for somebody who calls it with another number of arguments.
    pub(crate) hint: Option<&'static str>,
}

/// What runs when a function is called.
pub(crate) enum Runs {
    /// Rust.
    Native(Fun<Data>),
    /// The definition in the prelude.
    Prelude,
    /// Nothing: a filter must not reach it.
    Withheld(Withheld),
}

/// A function of values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plain {
    /// Of its input.
    Of(fn(Value) -> Result),
    /// Of its input and an argument.
    With(fn(Value, Value) -> Result),
}

/// Which keys a function reads of its input, if that is an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// It may read all of it.
    All,
    /// No more than its type. There are no arguments.
    Nothing,
    /// No more than its type, and its output may be the input. There are no arguments.
    PassesOn,
    /// The key that its argument names.
    Key,
    /// What its arguments read, whose outputs it may look into.
    Arguments,
    /// What its argument reads, and its output may be the input.
    Condition,
    /// What its arguments read; its outputs are those of the last one.
    Last,
    /// What its first argument reads, and the second one of the outputs of the first.
    Generator,
}

/// A function on the bytes of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fast {
    /// A value that is the same for every input, as JSON.
    Constant(&'static str),
    /// The input, if it has one of these types.
    Only(&'static [Type]),
    /// The element at this place.
    At(i64),
    /// `not`
    Not,
    /// `recurse`
    Recurse,
    /// A function of the input.
    Call(Call),
    /// A function of the input and the output of its argument.
    With(CallWith),
    /// `test` of a text that the filter says.
    Test,
    /// `select`
    Select,
    /// `map`
    Map,
    /// `any`, of the elements or of a generator
    Any,
    /// `all`
    All,
    /// `sort_by` and the like, of an array in a record
    By(Whole),
    /// `IN`, of values
    In,
    /// `isempty`
    IsEmpty,
    /// `first`, of a filter
    First,
    /// `limit`
    Limit,
    /// `range`
    Range,
    /// `add`, of a filter
    AddAll,
    /// `with_entries`
    WithEntries,
    /// `map_values`
    MapValues,
    /// `del`
    Delete,
    /// `match`, `capture`, `scan`
    Matches(Matching),
    /// `sub`; `gsub` if all matches are replaced
    Replace { all: bool },
}

/// What is made of the matches of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matching {
    /// `match`
    Match,
    /// `capture`
    Capture,
    /// `scan`
    Scan,
}

/// Functions of the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// `length`
    Length,
    /// `type`
    Type,
    /// `ascii_downcase`
    Downcase,
    /// `ascii_upcase`
    Upcase,
    /// `tostring`, `@text`
    ToString,
    /// `tojson`, `@json`
    ToJson,
    /// `keys`
    Keys,
    /// `keys_unsorted`
    KeysUnsorted,
    /// `@tsv`
    Tsv,
    /// `@csv`
    Csv,
    /// `add`
    Add,
    /// `to_entries`
    ToEntries,
    /// `from_entries`
    FromEntries,
    /// `sort`
    Sort,
    /// `unique`
    Unique,
    /// `reverse`
    Reverse,
}

/// Functions of the input and an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallWith {
    /// `startswith`
    StartsWith,
    /// `endswith`
    EndsWith,
    /// `contains`
    Contains,
    /// `index`
    Index,
    /// `has`
    Has,
    /// `has_member`
    HasMember,
    /// `ltrimstr`
    TrimStart,
    /// `rtrimstr`
    TrimEnd,
    /// `split`
    Split,
    /// `join`
    Join,
}

/// Functions of the array of all records, by a key that their argument says or by the record itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// `length`
    Length,
    /// `sort`, `sort_by`
    Sort,
    /// `unique`, `unique_by`
    Unique,
    /// `min_by`
    Smallest,
    /// `max_by`
    Largest,
    /// `group_by`
    Group,
}

impl Row {
    fn new(name: &'static str, arity: usize, runs: Runs) -> Self {
        Self { name, arity, runs, one: false, reads: Reads::All, fast: None, plain: None, whole: None, hint: None }
    }

    /// A function in Rust, with any number of outputs, that reads all of its input.
    pub(super) fn native(function: Fun<Data>) -> Self {
        Self::new(function.0, function.1.len(), Runs::Native(function))
    }

    /// The same for one that the prelude defines.
    pub(super) fn prelude(name: &'static str, arity: usize) -> Self {
        Self::new(name, arity, Runs::Prelude)
    }

    /// A name that a filter must not reach.
    pub(super) fn withheld(name: &'static str, why: Withheld) -> Self {
        Self::new(name, 0, Runs::Withheld(why))
    }

    /// It has one output.
    pub(super) fn one(self) -> Self {
        Self { one: true, ..self }
    }

    /// What it reads.
    pub(super) fn reads(self, reads: Reads) -> Self {
        Self { reads, ..self }
    }

    /// The function that it is.
    pub(super) fn plain(self, function: Plain) -> Self {
        Self { plain: Some(function), ..self }
    }

    /// Its form on bytes.
    pub(super) fn fast(self, fast: Fast) -> Self {
        Self { fast: Some(fast), ..self }
    }

    /// Its form on the array of all records.
    pub(super) fn whole(self, whole: Whole) -> Self {
        Self { whole: Some(whole), ..self }
    }

    /// What to write instead of a call with another number of arguments.
    pub(super) fn hint(self, hint: &'static str) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// True for a function that a filter can call by a name of jq's.
    pub(super) fn is_public(&self) -> bool {
        !matches!(self.runs, Runs::Withheld(_)) && !self.name.starts_with(['_', '@'])
    }
}
