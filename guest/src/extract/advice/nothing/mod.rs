//! Why a request finds nothing, and one that finds something (USER-15).
//!
//! An answer of nothing is often a slip: other letters, a value that lies in a list, a field that is deeper. Where
//! nothing was found, a bounded part of the file is looked at. What is proposed has been run there and finds something.

mod absence;
mod always;
mod booleans;
mod columns;
mod compared;
mod conditions;
mod counted;
mod dates;
mod document;
mod elements;
mod elsewhere;
mod filters;
mod in_jq;
mod lengths;
mod letter_case;
mod letters;
mod looked_for;
mod maps;
mod matcher;
mod negated;
mod notations;
mod numbers;
mod plain;
mod recipes;
mod route;
mod sample;
mod spelling;
mod trees;
mod unknown;
mod values;
mod wanted;

use std::io::Read;

use super::says_nothing;
use crate::error::{Error, Problem};
use crate::extract::criteria::{Clause, Condition, Criteria, Order};
use crate::extract::page::Page;
use crate::file::header::Header;
use crate::recipes::{Recipe, Set};
use crate::settings::Settings;
use crate::settings::request::Extract;

pub(super) use dates::{FIRST_MILLISECONDS, year};
use sample::{FIRST_RECORDS, MOST_RECORDS, Sample};
use wanted::CriteriaCheck;

/// More remarks than this are not worth reading; an answer over MCP has room for one or two.
const MOST_REMARKS: usize = 3;

/// A request, and the file that it was run on.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// What was asked.
    pub asked: &'a Extract,
    /// Of a file with this header.
    pub header: &'a Header,
    /// And these recipes.
    pub set: &'a Set,
    /// The settings.
    pub settings: &'a Settings,
}

impl<'a> Search<'a> {
    /// An error of a filter, with one that works on the records where it was meant for their document.
    pub fn mend<R: Read>(self, error: Error, open: impl Fn() -> Option<R>) -> Error {
        let (Error::InvalidQuery { problem, known }, Some(filter)) = (&error, self.asked.query.as_deref()) else {
            return error;
        };
        let has_name = |place| document::names(place).iter().any(|name| filter.contains(name));
        let is_meant = document::place(self.header).is_some_and(has_name);
        let sample = is_meant.then(|| open().map(|input| Sample::take(input, FIRST_RECORDS, self))).flatten();
        match sample.and_then(|sample| document::remark(&sample, self.asked, self.header, filter)) {
            Some(hint) => Error::InvalidQuery { problem: Problem { hint, ..problem.clone() }, known: known.clone() },
            None => error,
        }
    }

    /// Remarks on a first page that has no answer. `open` gives the records as JSON texts, one a line; it is called
    /// only where the records can explain the answer.
    pub fn remarks<R: Read>(self, page: &Page, open: impl Fn() -> Option<R>) -> Vec<String> {
        let take = |bounds| Some(Sample::take(open()?, bounds, self));
        let is_empty = is_empty(page);
        let criteria = Criteria::of(self.asked, self.set.kind).ok().flatten();
        let has_jq = self.asked.query.is_some() || self.asked.recipe.is_some();
        // Where some records are selected, it is the filter that finds nothing in them.
        let selects =
            |criteria: &Criteria| take(MOST_RECORDS).is_some_and(|sample| sample.count_clauses(&criteria.clauses) > 0);
        let mut remarks = match criteria {
            Some(criteria) if has_jq && !is_empty => self.of_letters(&criteria, take),
            Some(criteria) if !has_jq || !selects(&criteria) => self.of_criteria(&criteria, page, is_empty, take),
            _ if !is_empty => {
                let example = self.example(page);
                let sorted = self.recipe().and_then(|(_, recipe)| recipes::of_sorting(recipe, || take(FIRST_RECORDS)));
                let of_filter = counted::of_length(self, page).or_else(|| in_jq::remark(self, take));
                example.into_iter().chain(sorted).chain(of_filter).collect()
            }
            _ => take(MOST_RECORDS)
                .into_iter()
                .flat_map(|sample| match sample.records.is_empty() {
                    true => sample.unseen().into_iter().collect(),
                    false => self.of_jq(&sample, !page.remarks.is_empty()),
                })
                .collect(),
        };
        remarks.truncate(MOST_REMARKS);
        remarks
    }

    /// A remark on a recipe that found its own example.
    pub fn example(self, page: &Page) -> Option<String> {
        let (number, recipe) = self.recipe().filter(|_| !is_empty(page))?;
        recipes::of_example(self, number, recipe)
    }

    /// The recipe that was asked for.
    fn recipe(self) -> Option<(u32, &'a Recipe)> {
        let number = self.asked.recipe?;
        Some((number, self.set.recipes.get(usize::try_from(number).ok()?.checked_sub(1)?)?))
    }

    fn of_criteria(
        self,
        criteria: &Criteria,
        page: &Page,
        is_empty: bool,
        take: impl Fn(sample::Bounds) -> Option<Sample<'a>>,
    ) -> Vec<String> {
        let mut negated = self.of_negated(criteria, &take);
        if negated.is_empty() && spelling::may_be_unequal_to_several(&criteria.clauses) {
            let sample = take(MOST_RECORDS);
            negated.extend(sample.iter().flat_map(|sample| spelling::of_unequal(sample, &criteria.clauses)));
        }
        if !is_empty {
            negated.extend(counted::remark(self, criteria, page, &take));
        }
        self.of_wanted(criteria, page, is_empty, &take).into_iter().chain(negated).collect()
    }

    fn of_wanted(
        self,
        criteria: &Criteria,
        page: &Page,
        is_empty: bool,
        take: impl Fn(sample::Bounds) -> Option<Sample<'a>>,
    ) -> Vec<String> {
        if is_empty && !criteria.clauses.is_empty() {
            return take(MOST_RECORDS).map(|sample| self.of_conditions(&sample, criteria)).unwrap_or_default();
        }
        if !criteria.wanted.totals().is_empty() {
            return take(MOST_RECORDS).map(|sample| self.of_totals(&sample, criteria, page)).unwrap_or_default();
        }
        let odd = CriteriaCheck::of(criteria, page);
        if odd.is_any() {
            return take(MOST_RECORDS)
                .map(|sample| wanted::remarks(&sample, self.asked, criteria, &odd))
                .unwrap_or_default();
        }
        self.of_letters(criteria, take)
    }

    /// Remarks on the conditions that match no record; where each holds for some, on all of them together.
    fn of_conditions(self, sample: &Sample<'_>, criteria: &Criteria) -> Vec<String> {
        if sample.records.is_empty() {
            return sample.unseen().into_iter().collect();
        }
        let clauses = &criteria.clauses;
        let single: Vec<Condition> = criteria.single_conditions().cloned().collect();
        let counts: Vec<usize> =
            clauses.iter().map(|clause| sample.count_clauses(std::slice::from_ref(clause))).collect();
        let of_values = booleans::remarks(sample, &single);
        let dates = notations::remarks(sample, &single);
        if !of_values.is_empty() || !dates.is_empty() {
            return of_values.into_iter().chain(dates).collect();
        }
        let alone = matches!(clauses[..], [Clause::One(_)]);
        let missed = clauses.iter().zip(&counts).filter(|(_, count)| **count == 0).map(|(clause, _)| clause);
        let remarks: Vec<String> = missed
            .flat_map(|clause| missed_parts(sample, clause))
            .filter_map(|clause| match clause {
                Clause::One(one) => lengths::of_condition(sample, one)
                    .or_else(|| letters::of_condition(sample, one))
                    .or_else(|| conditions::remark(sample, self.asked, one, alone)),
                clause => negated::always_met(sample, clause),
            })
            .take(MOST_REMARKS)
            .collect();
        if !remarks.is_empty() || clauses.len() == 1 {
            return remarks;
        }
        let letters = letters::remarks(sample, &single);
        if !letters.is_empty() {
            return letters;
        }
        let each = clauses.iter().zip(&counts);
        let each = each.map(|(one, count)| format!("`{}` ({})", conditions::said_clause(one), sample.times(*count)));
        let each = each.collect::<Vec<_>>().join(", ");
        vec![format!("{} meets all conditions; those that meet one: {each}", sample.nobody())]
    }

    /// Remarks on negated conditions whose field no record has: all records meet them, and something was found.
    fn of_negated(self, criteria: &Criteria, take: &impl Fn(sample::Bounds) -> Option<Sample<'a>>) -> Vec<String> {
        let clauses: Vec<&Clause> = criteria.clauses.iter().flat_map(Clause::holding_without_their_field).collect();
        let is_absent = |sample: &Sample<'_>| clauses.iter().any(|one| negated::is_absent(sample, one));
        if clauses.is_empty() || !take(FIRST_RECORDS).is_some_and(|sample| is_absent(&sample)) {
            return Vec::new();
        }
        let Some(sample) = take(MOST_RECORDS) else { return Vec::new() };
        clauses.iter().filter_map(|clause| negated::absent(&sample, clause)).collect()
    }

    /// Remarks on aggregates: on the conditions where no record meets them, on fields that are missing, and on values
    /// that are left out.
    fn of_totals(self, sample: &Sample<'_>, criteria: &Criteria, page: &Page) -> Vec<String> {
        let is_missed = wanted::totals_are_empty(criteria, page) && !criteria.clauses.is_empty();
        if is_missed && sample.count_clauses(&criteria.clauses) == 0 {
            return self.of_conditions(sample, criteria);
        }
        let odd = CriteriaCheck::of(criteria, page);
        let groups = if odd.is_any() { wanted::remarks(sample, self.asked, criteria, &odd) } else { Vec::new() };
        let compared: Vec<Condition> = criteria.single_conditions().filter(is_compared).cloned().collect();
        let joined = elements::joined(&criteria.clauses);
        let compared = of_compared(sample, &compared).into_iter().chain(elements::remark(sample, &joined));
        groups.into_iter().chain(wanted::of_totals(sample, criteria)).chain(compared).collect()
    }

    /// Remarks on what compares letters and was meant for dates or numbers. Such a request has results, and they are wrong.
    fn of_letters(self, criteria: &Criteria, take: impl Fn(sample::Bounds) -> Option<Sample<'a>>) -> Vec<String> {
        let compared: Vec<Condition> = criteria.single_conditions().filter(is_compared).cloned().collect();
        let joined = elements::joined(&criteria.clauses);
        let alone: Vec<Condition> =
            criteria.single_conditions().filter(|one| booleans::is_field_alone(one)).cloned().collect();
        if compared.is_empty() && alone.is_empty() && criteria.sort_by.is_empty() && elements::pairs(&joined).is_empty()
        {
            return Vec::new();
        }
        let of = |sample: &Sample<'_>| {
            let mut remarks = of_compared(sample, &compared);
            remarks.extend(booleans::remarks(sample, &alone));
            remarks.extend(elements::remark(sample, &joined));
            remarks.extend(criteria.sort_by.iter().flat_map(|order| of_sorting(sample, order)));
            remarks
        };
        let Some(first) = take(FIRST_RECORDS) else { return Vec::new() };
        let remarks = of(&first);
        // What is told must hold for more records than it takes to see that something is odd.
        if remarks.is_empty() || first.is_all() {
            return remarks;
        }
        take(MOST_RECORDS).map_or(remarks, |sample| of(&sample))
    }

    /// Remarks on a recipe or a filter, which may have other remarks already.
    fn of_jq(self, sample: &Sample<'_>, is_told: bool) -> Vec<String> {
        let recipe = self.recipe().and_then(|(number, recipe)| recipes::remark(sample, self.asked, number, recipe));
        let filter = self.asked.query.as_deref().and_then(|filter| {
            document::remark(sample, self.asked, self.header, filter)
                .or_else(|| filters::remark(sample, self.asked, filter, is_told))
        });
        recipe.into_iter().chain(filter).collect()
    }
}

/// True for an order that may be meant for dates, numbers or ranks, and compares letters.
fn is_compared(condition: &&Condition) -> bool {
    condition.operator.is_order() && notations::compares_a_date(condition) || letters::may_compare_meanings(condition)
}

/// Remarks on an order by lists, by letters, or by a field that no record has.
fn of_sorting(sample: &Sample<'_>, order: &Order) -> Vec<String> {
    if let Some(told) = lengths::of_sorting(sample, order) {
        return vec![told];
    }
    let is_missing = !sample.records.is_empty() && !conditions::occurs(sample, &order.field.parts);
    let missing = is_missing.then(|| wanted::missing_order(sample, order)).flatten();
    letters::of_sorting(sample, order).into_iter().chain(missing).collect()
}

/// Remarks on conditions that compare letters where dates or numbers were meant.
fn of_compared(sample: &Sample<'_>, conditions: &[Condition]) -> Vec<String> {
    let lengths: Vec<String> = conditions.iter().filter_map(|one| lengths::of_condition(sample, one)).collect();
    if !lengths.is_empty() {
        return lengths;
    }
    let dates = notations::remarks(sample, conditions);
    if dates.is_empty() { letters::remarks(sample, conditions) } else { dates }
}

/// The single conditions of one that no record meets, which no record meets either. Each alternative is one of them, and
/// of those that must hold together some may be.
fn missed_parts<'c>(sample: &Sample<'_>, clause: &'c Clause) -> Vec<&'c Clause> {
    match clause {
        Clause::One(_) | Clause::Not(_) => vec![clause],
        Clause::Any(list) | Clause::All(list) => {
            let missed = list.iter().filter(|one| sample.count_clauses(std::slice::from_ref(*one)) == 0);
            missed.flat_map(|one| missed_parts(sample, one)).collect()
        }
    }
}

/// True for a last page that answers nothing.
fn is_empty(page: &Page) -> bool {
    page.next.is_none() && is_nothing(&page.text)
}

/// True for results that answer nothing: there are none, or only nulls, a count of 0, or an empty list or object.
pub fn is_nothing(results: &[u8]) -> bool {
    says_nothing(results) || matches!(results.trim_ascii(), b"[]" | b"{}")
}

#[cfg(test)]
mod tests;
