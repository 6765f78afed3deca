//! Negated conditions that all records meet, and which therefore say nothing.

use super::conditions::{occurs, said, said_clause};
use super::sample::Sample;
use super::unknown;
use crate::extract::criteria::{Clause, Condition, Field};

/// A remark on a negated condition: all records meet what it negates.
pub(super) fn always_met(sample: &Sample<'_>, clause: &Clause) -> Option<String> {
    let Clause::Not(condition) = clause else { return None };
    Some(format!("`{}` matches {}: each of them meets `{}`", said_clause(clause), sample.nobody(), said(condition)))
}

/// True for a condition on a field that no record has.
pub(super) fn is_absent(sample: &Sample<'_>, clause: &Clause) -> bool {
    let has_some = |condition: &&Condition| occurs(sample, &condition.field.parts);
    !sample.records.is_empty() && !sample.is_text() && !clause.conditions().iter().any(has_some)
}

/// A remark on a condition that all records meet because none has its field.
pub(super) fn absent(sample: &Sample<'_>, clause: &Clause) -> Option<String> {
    let field = &clause.conditions().first()?.field;
    let path: Vec<&str> = field.parts.iter().map(String::as_str).collect();
    // A field that is null everywhere is known to be there.
    if !is_absent(sample, clause) || sample.fields().get(&path).is_some() {
        return None;
    }
    let instead = |path: &[String]| {
        let instead = clause.with_field(&Field::of_path(path));
        let finds = occurs(sample, path) && sample.count_clauses(std::slice::from_ref(&instead)) > 0;
        instead.exact().as_str().filter(|_| finds).map(str::to_owned)
    };
    Some(unknown::remark(sample, field, "write", instead))
}
