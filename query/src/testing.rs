//! Queries and filters for tests. They are never freed.

use crate::{Arena, Error, Filter, Limits, Program, Query, Shape, Value, compile};

/// A query that parses.
pub(crate) fn query(filter: &str) -> &'static Query<'static> {
    parsed(filter).expect("the filter parses")
}

/// A query, where it parses.
pub(crate) fn parsed(filter: &str) -> Result<&'static Query<'static>, Error> {
    let (text, arena) = (Box::leak(Box::from(filter)), Box::leak(Box::default()));
    Query::parse(text, arena, &Limits::default()).map(|query| &*Box::leak(Box::new(query)))
}

/// A program whose filter parses.
pub(crate) fn program(filter: &str, shape: Shape) -> Program<'static> {
    Program { query: query(filter), shape, reads: None, raw: false }
}

/// A compiled filter.
pub(crate) fn compiled(filter: &str, variables: &[(String, Value)]) -> Result<Filter, Error> {
    let arena = Arena::default();
    compile(&Query::parse(filter, &arena, &Limits::default())?, variables)
}
