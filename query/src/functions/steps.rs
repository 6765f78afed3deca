//! Steps inside of filters: a call that stands at the head of what can repeat itself.

use jaq_core::box_iter::box_once;
use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::native::{Fun, v};
use jaq_core::ops::Math;
use jaq_core::path::Part;
use jaq_core::{Cv, Native};

use super::Data;
use crate::budget;
use crate::value::Value;

/// The name of the step. No filter can write it.
const STEP: &str = "?step";

/// The filter that passes on its input while the budget lasts.
pub(super) fn step() -> Fun<Data> {
    let native = Native::new(|cv: Cv<'_, Data>| box_once(if budget::call() { Ok(cv.1) } else { Err(budget::exit()) }))
        .with_paths(|cv| {
            box_once(if budget::call() && is_short(cv.1.1.iter()) { Ok(cv.1) } else { Err(budget::exit()) })
        })
        .with_update(|cv, update| if budget::call() { update(cv.1) } else { box_once(Err(budget::exit())) });
    (STEP, v(0), native)
}

/// The name of the same for a definition that takes filters: its argument is how deep such calls nest.
const STEP_AT: &str = "?step_at";

/// Functions of ours that collect what their argument gives for a value.
const COLLECTING: [&str; 7] = ["del", "map", "sort_by", "group_by", "unique_by", "min_by", "max_by"];

/// How deep, as a variable. It is the last argument of each definition that takes filters.
const DEPTH: &str = "$?depth";

/// Calls that pass on filters nest no deeper: what a filter sees is dropped by recursion, one level for each of them.
const MOST_DEPTH: f64 = 500.0;

/// [`step`] for a definition that takes filters.
pub(super) fn step_at() -> Fun<Data> {
    fn goes_on(depth: Value) -> bool {
        budget::call() && (depth.as_f64().is_some_and(|depth| depth <= MOST_DEPTH) || budget::no_stack())
    }
    let native = Native::new(|mut cv: Cv<'_, Data>| {
        box_once(if goes_on(cv.0.pop_var()) { Ok(cv.1) } else { Err(budget::exit()) })
    });
    let native = native
        .with_paths(|mut cv| {
            box_once(if goes_on(cv.0.pop_var()) && is_short(cv.1.1.iter()) { Ok(cv.1) } else { Err(budget::exit()) })
        })
        .with_update(
            |mut cv, update| if goes_on(cv.0.pop_var()) { update(cv.1) } else { box_once(Err(budget::exit())) },
        );
    (STEP_AT, v(1), native)
}

/// True for a path that is dropped by recursion without harm.
fn is_short<'v>(mut path: impl Iterator<Item = &'v Value>) -> bool {
    path.nth(budget::MOST_LEVELS as usize).is_none() || budget::level(budget::MOST_LEVELS + 1)
}

/// A definition of ours that counts its calls, if it calls itself: all others end.
pub(crate) fn counted_if_recursive<'s>(definition: &Def<&'s str>) -> Def<&'s str> {
    Steps { all: false, known: Vec::new(), is_nested: false }.definition(definition.clone())
}

/// Somebody's filter, which counts each call of a definition, and what a comma adds.
pub(crate) fn counted(filter: Term<&str>) -> Term<&str> {
    Steps { all: true, known: Vec::new(), is_nested: false }.term(filter)
}

struct Steps<'s> {
    /// Not only definitions that call themselves are counted.
    all: bool,
    /// Names that are defined where the term stands, with their numbers of arguments, and whether they take filters.
    known: Vec<(&'s str, usize, bool)>,
    /// The term stands in a definition that takes filters.
    is_nested: bool,
}

fn after<'s>(step: Term<&'s str>, term: Term<&'s str>) -> Term<&'s str> {
    Term::BinOp(Box::new(step), BinaryOp::Pipe(None), Box::new(term))
}

fn after_a_step(term: Term<&str>) -> Term<&str> {
    after(Term::Call(STEP, Vec::new()), term)
}

/// True when a call of this name and number of arguments is in the term.
fn calls(term: &Term<&str>, definition: &Def<&str>) -> bool {
    let mut found = false;
    crate::syntax::each_part(term, &mut |part| {
        found |= matches!(part, Term::Call(name, arguments)
            if *name == definition.name && arguments.len() == definition.args.len());
    });
    found
}

impl<'s> Steps<'s> {
    fn definition(&mut self, definition: Def<&'s str>) -> Def<&'s str> {
        if !self.all {
            let counts = calls(&definition.body, &definition);
            let body = self.term(definition.body);
            return Def { body: if counts { after_a_step(body) } else { body }, ..definition };
        }
        let Def { name, mut args, body } = definition;
        let takes_filters = args.iter().any(|argument| !argument.starts_with('$'));
        self.known.push((name, args.len(), takes_filters));
        let outside = (self.known.len(), self.is_nested);
        self.known.extend(args.iter().map(|argument| (*argument, 0, false)));
        self.is_nested |= takes_filters;
        let body = self.term(body);
        self.known.truncate(outside.0);
        self.is_nested = outside.1;
        if !takes_filters {
            return Def { name, args, body: after_a_step(body) };
        }
        args.push(DEPTH);
        Def { name, args, body: after(Term::Call(STEP_AT, vec![Term::Var(DEPTH)]), body) }
    }

    /// A call, which of a definition that takes filters says how deep it stands.
    fn call(&mut self, name: &'s str, arguments: Vec<Term<&'s str>>) -> Term<&'s str> {
        let mut known = self.known.iter().rev();
        let known = known.find(|(known, arity, _)| *known == name && *arity == arguments.len()).copied();
        let mut arguments = match known {
            None if COLLECTING.contains(&name) => arguments.into_iter().map(|argument| self.listed(argument)).collect(),
            _ => self.terms(arguments),
        };
        if let Some((_, _, true)) = known {
            arguments.push(match self.is_nested {
                true => Term::BinOp(Box::new(Term::Var(DEPTH)), BinaryOp::Math(Math::Add), Box::new(Term::Num("1"))),
                false => Term::Num("0"),
            });
        }
        Term::Call(name, arguments)
    }

    #[expect(clippy::boxed_local, reason = "the tree is made of boxes")]
    fn boxed(&mut self, term: Box<Term<&'s str>>) -> Box<Term<&'s str>> {
        Box::new(self.term(*term))
    }

    fn terms(&mut self, terms: Vec<Term<&'s str>>) -> Vec<Term<&'s str>> {
        terms.into_iter().map(|term| self.term(term)).collect()
    }

    /// The elements of an array, or what a function collects, as they are written: no more than the filter has letters, so
    /// their commas cost nothing.
    fn listed(&mut self, term: Term<&'s str>) -> Term<&'s str> {
        match term {
            Term::BinOp(left, BinaryOp::Comma, right) => {
                let (left, right) = (self.listed(*left), self.listed(*right));
                Term::BinOp(Box::new(left), BinaryOp::Comma, Box::new(right))
            }
            other => self.term(other),
        }
    }

    fn term(&mut self, term: Term<&'s str>) -> Term<&'s str> {
        match term {
            Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) => term,
            Term::Str(format, parts) => Term::Str(format, parts.into_iter().map(|part| self.part(part)).collect()),
            Term::Arr(inner) => Term::Arr(inner.map(|inner| Box::new(self.listed(*inner)))),
            Term::Obj(members) => Term::Obj(
                members.into_iter().map(|(key, value)| (self.term(key), value.map(|value| self.term(value)))).collect(),
            ),
            Term::Neg(inner) => Term::Neg(self.boxed(inner)),
            Term::BinOp(left, BinaryOp::Comma, right) => {
                let right = self.term(*right);
                let right = if self.all { after_a_step(right) } else { right };
                Term::BinOp(self.boxed(left), BinaryOp::Comma, Box::new(right))
            }
            Term::BinOp(left, BinaryOp::Pipe(pattern), right) => {
                let pattern = pattern.map(|pattern| self.pattern(pattern));
                Term::BinOp(self.boxed(left), BinaryOp::Pipe(pattern), self.boxed(right))
            }
            Term::BinOp(left, operator, right) => Term::BinOp(self.boxed(left), operator, self.boxed(right)),
            Term::Label(name, inner) => Term::Label(name, self.boxed(inner)),
            Term::Fold(kind, values, pattern, arguments) => {
                Term::Fold(kind, self.boxed(values), self.pattern(pattern), self.terms(arguments))
            }
            Term::TryCatch(inner, catch) => Term::TryCatch(self.boxed(inner), catch.map(|catch| self.boxed(catch))),
            Term::IfThenElse(cases, otherwise) => Term::IfThenElse(
                cases.into_iter().map(|(condition, then)| (self.term(condition), self.term(then))).collect(),
                otherwise.map(|otherwise| self.boxed(otherwise)),
            ),
            Term::Def(definitions, body) => {
                let outside = self.known.len();
                let definitions = definitions.into_iter().map(|definition| self.definition(definition)).collect();
                let body = self.boxed(body);
                self.known.truncate(outside);
                Term::Def(definitions, body)
            }
            Term::Call(name, arguments) => self.call(name, arguments),
            Term::Path(inner, mut path) => {
                for (part, _) in &mut path.0 {
                    *part = match std::mem::replace(part, Part::Range(None, None)) {
                        Part::Index(index) => Part::Index(self.term(index)),
                        Part::Range(from, upto) => {
                            Part::Range(from.map(|from| self.term(from)), upto.map(|upto| self.term(upto)))
                        }
                    };
                }
                Term::Path(self.boxed(inner), path)
            }
        }
    }

    fn part(&mut self, part: StrPart<&'s str, Term<&'s str>>) -> StrPart<&'s str, Term<&'s str>> {
        match part {
            StrPart::Term(term) => StrPart::Term(self.term(term)),
            other => other,
        }
    }

    fn pattern(&mut self, pattern: Pattern<&'s str>) -> Pattern<&'s str> {
        match pattern {
            Pattern::Var(_) => pattern,
            Pattern::Arr(parts) => Pattern::Arr(parts.into_iter().map(|part| self.pattern(part)).collect()),
            Pattern::Obj(members) => {
                Pattern::Obj(members.into_iter().map(|(key, part)| (self.term(key), self.pattern(part))).collect())
            }
        }
    }
}
