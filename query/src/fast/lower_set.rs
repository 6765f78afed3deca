//! From a filter on the array of all records to a plan: what happens to each record, one step over all of them, and a
//! rest that the general engine runs on what is left.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Opt, Part, Path};

use super::expression::Expression;
use super::lower::Lowering;
use super::record::Reader;
use crate::Value;
use crate::functions::Whole;
use crate::functions::table::row;
use crate::run::input::Form;
use crate::{Program, Shape};

/// The plan of a program on the whole set.
#[derive(Debug)]
pub(crate) struct SetPlan<'p> {
    /// The elements that each record gives.
    pub(super) elements: Expression,
    /// What is done with them.
    pub(super) step: Step,
    /// The filter that runs on the outcome.
    pub(crate) rest: Option<&'p Term<&'p str>>,
    /// The records leave as they came, even those that are printed otherwise.
    pub(super) as_they_came: bool,
    /// Strings among the results stand bare.
    pub(super) raw: bool,
    pub(super) keys: Vec<Vec<u8>>,
}

/// One step over all elements.
#[derive(Debug)]
pub(super) enum Step {
    /// They are the elements of an array.
    Collect,
    /// They are outputs, one after the other.
    Spread,
    /// How many there are.
    Length,
    /// In the order of their keys.
    Sort {
        /// The key.
        key: Expression,
        /// The other way round.
        descending: bool,
        /// Only so many of them.
        most: Option<usize>,
        /// What each is then turned into.
        then: Expression,
        /// They are outputs, one after the other, not the elements of an array.
        spread: bool,
    },
    /// An array of what is said of all elements: `[length, map(f)]`.
    Pieces(Vec<Piece>),
    /// An object for each key.
    Group {
        /// The key.
        key: Expression,
        /// The object's members.
        members: Vec<(Vec<u8>, Piece)>,
    },
    /// The first of each key, in the order of the keys.
    Unique {
        /// The key.
        key: Expression,
    },
    /// The one with the smallest or the largest key.
    Best {
        /// The key.
        key: Expression,
        /// The largest.
        largest: bool,
    },
}

/// What can be said of a group.
#[derive(Debug)]
pub(super) enum Piece {
    /// `length`
    Count,
    /// `.[0] | f`
    First(Expression),
    /// `map(f)`
    Map(Expression),
}

/// The rest of a filter that has come to its end.
static AS_IT_IS: Term<&str> = Term::Id;

impl Step {
    /// True if what comes of it are the elements of one array.
    fn makes_an_array(&self) -> bool {
        match self {
            Self::Collect | Self::Pieces(_) | Self::Group { .. } | Self::Unique { .. } => true,
            Self::Sort { spread, .. } => !spread,
            Self::Spread | Self::Length | Self::Best { .. } => false,
        }
    }
}

impl<'p> SetPlan<'p> {
    /// The plan of a program, if it is known.
    pub(crate) fn of(program: Program<'p>, variables: &[(String, Value)]) -> Option<Self> {
        let mut lowering = Lowering::new(variables);
        let mut lowered = Self::with(&mut lowering, program)?;
        lowered.keys = lowering.keys;
        Some(lowered)
    }

    /// The same, with keys of several plans together.
    pub(super) fn with(lowering: &mut Lowering, program: Program<'p>) -> Option<Self> {
        let tree = program.query.tree();
        let plan = |elements, step, rest| Self {
            elements,
            step,
            rest,
            as_they_came: false,
            raw: program.raw,
            keys: Vec::new(),
        };
        match program.shape {
            Shape::Sort { descending } | Shape::SortSelected { descending } => {
                let (elements, key) = match (program.shape, tree) {
                    (Shape::Sort { .. }, key) => (Expression::Id, key),
                    (_, Term::BinOp(select, BinaryOp::Pipe(None), key)) => (lowering.one_selected(select)?, &**key),
                    _ => return None,
                };
                let key = lowering.key_of(key)?;
                let step = Step::Sort { key, descending, most: None, then: Expression::Id, spread: false };
                Some(Self { as_they_came: true, ..plan(elements, step, None) })
            }
            Shape::All => {
                let (elements, step, next) = lowering.set(&piped(tree))?;
                Some(plan(elements, step, after(tree, next)))
            }
            Shape::Whole => {
                let (elements, step, next) = lowering.set(&piped(tree))?;
                // An array is one result: it has to be in memory as a whole.
                let rest = after(tree, next).or_else(|| step.makes_an_array().then_some(&AS_IT_IS));
                Some(plan(elements, step, rest))
            }
            Shape::Each | Shape::Select | Shape::Project => None,
        }
    }

    /// True for one that does more than to collect or spread elements.
    #[cfg(test)]
    pub(super) fn is_stepped(&self) -> bool {
        !matches!(self.step, Step::Collect | Step::Spread)
    }

    /// A reader of the records that the plan looks at.
    pub(super) fn reader(&self, deepest: u32, form: Form) -> Reader {
        Reader::new(self.keys.clone(), deepest, form)
    }
}

/// What is left of a pipe after so many of its stages.
fn after<S>(mut tree: &Term<S>, stages: usize) -> Option<&Term<S>> {
    for _ in 0..stages {
        let Term::BinOp(_, BinaryOp::Pipe(None), rest) = tree else { return None };
        tree = rest;
    }
    Some(tree)
}

/// The stages of a pipe.
fn piped<S>(mut term: &Term<S>) -> Vec<&Term<S>> {
    let mut terms = Vec::new();
    while let Term::BinOp(first, BinaryOp::Pipe(None), rest) = term {
        terms.push(&**first);
        term = rest;
    }
    terms.push(term);
    terms
}

/// The terms that commas separate.
fn listed<S>(mut term: &Term<S>) -> Vec<&Term<S>> {
    let mut terms = Vec::new();
    while let Term::BinOp(first, BinaryOp::Comma, rest) = term {
        terms.extend(listed(first));
        term = rest;
    }
    terms.push(term);
    terms
}

type Parts<'s> = [(Part<Term<&'s str>>, Opt)];

/// The parts of a path after `.[]`, if it begins so.
fn after_iteration<'t, 's>(term: &'t Term<&'s str>) -> Option<&'t Parts<'s>> {
    match term {
        Term::Path(base, Path(parts)) => match (&**base, &parts[..]) {
            (Term::Id, [(Part::Range(None, None), _), rest @ ..]) => Some(rest),
            _ => None,
        },
        _ => None,
    }
}

impl Lowering {
    /// `select(f)` where f has one output, so that nothing is selected twice.
    fn one_selected(&mut self, term: &Term<&str>) -> Option<Expression> {
        match term {
            Term::Call("select", arguments) if self.lower(arguments.first()?)?.is_single() => self.lower(term),
            _ => None,
        }
    }

    fn key_of(&mut self, term: &Term<&str>) -> Option<Expression> {
        let key = self.lower(term)?;
        Some(if key.is_single() { key } else { Expression::List(Box::new(key)) })
    }

    /// What happens to the elements, the step over them all, and the number of the stage that follows.
    fn set(&mut self, stages: &[&Term<&str>]) -> Option<(Expression, Step, usize)> {
        let (mut elements, mut at) = (Expression::Id, 0);
        while let Some(next) = stages.get(at).and_then(|stage| self.for_each(stage)) {
            elements = elements.then(next);
            at += 1;
        }
        if let Some((step, next)) = self.step(&stages[at..]) {
            return Some((elements, step, at + next));
        }
        match stages.get(at) {
            Some(stage) if after_iteration(stage).is_some() => {
                elements = elements.then(self.iterated(&stages[at..])?);
                Some((elements, Step::Spread, stages.len()))
            }
            _ => (at > 0).then_some((elements, Step::Collect, at)),
        }
    }

    /// `map(f)` and `[.[] | f]`.
    fn for_each(&mut self, stage: &Term<&str>) -> Option<Expression> {
        match stage {
            Term::Call("map", arguments) if arguments.len() == 1 => self.lower(&arguments[0]),
            Term::Arr(Some(inner)) => self.iterated(&piped(inner)),
            _ => None,
        }
    }

    /// `.[] | f`
    fn iterated(&mut self, stages: &[&Term<&str>]) -> Option<Expression> {
        let (first, others) = stages.split_first()?;
        let parts = Path(after_iteration(first)?.to_vec());
        let mut lowered = self.path(Expression::Id, &parts)?;
        for stage in others {
            lowered = lowered.then(self.lower(stage)?);
        }
        Some(lowered)
    }

    fn step(&mut self, stages: &[&Term<&str>]) -> Option<(Step, usize)> {
        if let Term::Arr(Some(pieces)) = stages.first()? {
            let pieces = listed(pieces).into_iter().map(|piece| self.piece(piece)).collect::<Option<Vec<_>>>()?;
            // Of no elements there is no first.
            let is_known = |piece: &Piece| matches!(piece, Piece::Count | Piece::Map(_));
            return pieces.iter().all(is_known).then_some((Step::Pieces(pieces), 1));
        }
        let Term::Call(name, arguments) = stages.first()? else { return None };
        let key = |lowering: &mut Self| arguments.first().map_or(Some(Expression::Id), |key| lowering.key_of(key));
        Some(match row(name, arguments.len())?.whole? {
            Whole::Length => (Step::Length, 1),
            Whole::Sort => return self.sort(arguments.first(), &stages[1..]),
            Whole::Unique => (Step::Unique { key: key(self)? }, 1),
            Whole::Smallest => (Step::Best { key: key(self)?, largest: false }, 1),
            Whole::Largest => (Step::Best { key: key(self)?, largest: true }, 1),
            Whole::Group => {
                let key = key(self)?;
                let members = match stages.get(1)? {
                    Term::Call("map", body) => match &body[..] {
                        [Term::Obj(members)] => self.pieces(members)?,
                        _ => return None,
                    },
                    _ => return None,
                };
                (Step::Group { key, members }, 2)
            }
        })
    }

    /// A sort, and what follows it: `reverse`, `.[:n]`, `map(f)` or `.[] | f`. Where one end of it is all that is looked at,
    /// the others are not kept.
    fn sort(&mut self, key: Option<&Term<&str>>, after: &[&Term<&str>]) -> Option<(Step, usize)> {
        let key = key.map_or(Some(Expression::Id), |key| self.key_of(key))?;
        let mut next = 0;
        let mut descending = matches!(after.first(), Some(Term::Call("reverse", arguments)) if arguments.is_empty());
        next += usize::from(descending);
        let mut most = after.get(next).and_then(|stage| first_so_many(stage));
        next += usize::from(most.is_some());
        if let Some(end) = after.get(next).and_then(|stage| end_looked_at(stage)).filter(|_| most.is_none()) {
            most = Some(1);
            descending ^= end == End::Last;
            return Some((Step::Sort { key, descending, most, then: Expression::Id, spread: false }, 1 + next));
        }
        let (then, spread, next) = match after.get(next) {
            Some(Term::Call("map", body)) if body.len() == 1 => match self.single(&body[0]) {
                Some(then) => (then, false, next + 1),
                None => (Expression::Id, false, next),
            },
            Some(stage) if after_iteration(stage).is_some() => {
                match self.iterated(&after[next..]).filter(Expression::is_single) {
                    Some(then) => (then, true, after.len()),
                    None => (Expression::Id, false, next),
                }
            }
            _ => (Expression::Id, false, next),
        };
        Some((Step::Sort { key, descending, most, then, spread }, 1 + next))
    }

    fn pieces(&mut self, members: &[(Term<&str>, Option<Term<&str>>)]) -> Option<Vec<(Vec<u8>, Piece)>> {
        let mut pieces: Vec<(Vec<u8>, Piece)> = Vec::new();
        for (key, value) in members {
            let name = match key {
                Term::Str(None, parts) => match &parts[..] {
                    [StrPart::Str(name)] => name.as_bytes().to_vec(),
                    _ => return None,
                },
                _ => return None,
            };
            if pieces.iter().any(|(known, _)| *known == name) {
                return None;
            }
            pieces.push((name, self.piece(value.as_ref()?)?));
        }
        Some(pieces)
    }

    fn piece(&mut self, term: &Term<&str>) -> Option<Piece> {
        let stages = piped(term);
        let (first, others) = stages.split_first()?;
        let first = match first {
            Term::Call("length", arguments) if arguments.is_empty() && others.is_empty() => return Some(Piece::Count),
            Term::Call("map", body) if body.len() == 1 && others.is_empty() => {
                return self.lower(&body[0]).map(Piece::Map);
            }
            Term::Call("first", arguments) if arguments.is_empty() => Expression::Id,
            Term::Path(base, Path(parts)) => match (&**base, &parts[..]) {
                (Term::Id, [(Part::Index(Term::Num("0")), _), rest @ ..]) => {
                    self.path(Expression::Id, &Path(rest.to_vec()))?
                }
                _ => return None,
            },
            _ => return None,
        };
        let lowered = others.iter().try_fold(first, |first, stage| Some(first.then(self.lower(stage)?)))?;
        lowered.is_single().then_some(Piece::First(lowered))
    }
}

/// `.[:n]` and `.[0:n]`
fn first_so_many(stage: &Term<&str>) -> Option<usize> {
    let Term::Path(base, Path(parts)) = stage else { return None };
    match (&**base, &parts[..]) {
        (Term::Id, [(Part::Range(None | Some(Term::Num("0")), Some(Term::Num(most))), _)]) => most.parse().ok(),
        _ => None,
    }
}

/// One end of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// The end of an array that is all that a stage looks at: `first`, `.[0].key`, `last`, `.[-1].key`.
fn end_looked_at(stage: &Term<&str>) -> Option<End> {
    match stage {
        Term::Call("first", arguments) if arguments.is_empty() => Some(End::First),
        Term::Call("last", arguments) if arguments.is_empty() => Some(End::Last),
        Term::Path(base, Path(parts)) => match (&**base, &parts[..]) {
            (Term::Id, [(Part::Index(Term::Num("0")), _), ..]) => Some(End::First),
            (Term::Id, [(Part::Index(Term::Neg(place)), _), ..]) => {
                matches!(**place, Term::Num("1")).then_some(End::Last)
            }
            _ => None,
        },
        _ => None,
    }
}
