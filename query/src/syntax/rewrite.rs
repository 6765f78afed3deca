//! Rewrites of the parser's tree, case by case: what jaq means by it becomes what jq means.

use std::collections::BTreeSet;
use std::mem::take;

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Def, Pattern, Term};
use jaq_core::load::{Arena, span};
use jaq_core::ops::Math;
use jaq_core::path::{Part, Path};

use super::outputs::Own;
use super::{ALTERNATIVES, Fault, GROUP, Tree};

/// The name of a value that runs before what it is used in. No filter can write it.
const RIGHT: &str = "$?right";

/// Rewrites a tree from the bottom up.
pub(super) struct Rewrite<'s> {
    text: &'s str,
    arena: &'s Arena,
    own: Own<'s>,
    faults: Vec<Fault<'s>>,
}

fn call<'s>(name: &'s str, arguments: Vec<Tree<'s>>) -> Tree<'s> {
    Term::Call(name, arguments)
}

fn text_of(text: &str) -> Tree<'_> {
    Term::Str(None, vec![StrPart::Str(text)])
}

pub(super) fn operation<'s>(left: Tree<'s>, operator: BinaryOp<&'s str>, right: Tree<'s>) -> Tree<'s> {
    Term::BinOp(Box::new(left), operator, Box::new(right))
}

/// `value as $name | body`
pub(super) fn bound<'s>(value: Tree<'s>, name: &'s str, body: Tree<'s>) -> Tree<'s> {
    operation(value, BinaryOp::Pipe(Some(Pattern::Var(name))), body)
}

impl<'s> Rewrite<'s> {
    /// For this filter, whose text is given.
    pub(super) fn new(text: &'s str, arena: &'s Arena, filter: &Tree<'s>) -> Self {
        Self { text, arena, own: Own::of(filter), faults: Vec::new() }
    }

    /// The filter, as it is run.
    pub(super) fn filter(mut self, filter: Tree<'s>) -> Result<Tree<'s>, Vec<Fault<'s>>> {
        let filter = self.term(filter);
        if self.faults.is_empty() { Ok(filter) } else { Err(self.faults) }
    }

    #[expect(clippy::boxed_local, reason = "the tree is made of boxes")]
    fn boxed(&mut self, term: Box<Tree<'s>>) -> Box<Tree<'s>> {
        Box::new(self.term(*term))
    }

    fn terms(&mut self, terms: Vec<Tree<'s>>) -> Vec<Tree<'s>> {
        terms.into_iter().map(|term| self.term(term)).collect()
    }

    fn term(&mut self, term: Tree<'s>) -> Tree<'s> {
        match term {
            Term::Call(GROUP, mut inner) if inner.len() == 1 => {
                let inner = inner.pop().expect("a group has one term");
                self.term(inner)
            }
            Term::Var(name @ "$__loc__") => self.location(name),
            // The interpreter's own goes through all levels above for each value.
            Term::Recurse if !self.own.has("recurse") => call("recurse", Vec::new()),
            Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) => term,
            Term::Str(format, parts) => Term::Str(format, parts.into_iter().map(|part| self.part(part)).collect()),
            Term::Arr(inner) => Term::Arr(inner.map(|inner| self.boxed(inner))),
            Term::Obj(members) => Term::Obj(members.into_iter().map(|member| self.member(member)).collect()),
            Term::Neg(inner) => Term::Neg(self.boxed(inner)),
            Term::BinOp(left, operator, right) => self.binary(*left, operator, *right),
            Term::Label(name, inner) => Term::Label(name, self.boxed(inner)),
            Term::Fold(kind, values, pattern, arguments) => {
                let mut arguments = self.terms(arguments);
                if kind == "reduce" && arguments.len() == 2 && !self.own.single(&arguments[1]) {
                    arguments[1] = call("_last_or_null", vec![take(&mut arguments[1])]);
                }
                Term::Fold(kind, self.boxed(values), self.pattern(pattern), arguments)
            }
            Term::TryCatch(inner, catch) => Term::TryCatch(self.boxed(inner), catch.map(|catch| self.boxed(catch))),
            Term::IfThenElse(cases, otherwise) => {
                let cases = cases.into_iter().map(|(condition, then)| (self.term(condition), self.term(then)));
                let cases = cases.collect();
                Term::IfThenElse(cases, otherwise.map(|otherwise| self.boxed(otherwise)))
            }
            Term::Def(definitions, body) => {
                let definitions = definitions.into_iter();
                let definitions = definitions.map(|def| Def { body: self.term(def.body), ..def }).collect();
                Term::Def(definitions, self.boxed(body))
            }
            Term::Call(name, arguments) => Term::Call(name, self.terms(arguments)),
            Term::Path(inner, path) => self.path(*inner, path),
        }
    }

    /// `$__loc__` is where it stands.
    fn location(&self, name: &'s str) -> Tree<'s> {
        let before = &self.text[..span(self.text, name).start];
        let line = self.arena.alloc((before.matches('\n').count() + 1).to_string());
        Term::Obj(vec![(text_of("file"), Some(text_of("<top-level>"))), (text_of("line"), Some(Term::Num(line)))])
    }

    fn member(&mut self, (key, value): (Tree<'s>, Option<Tree<'s>>)) -> (Tree<'s>, Option<Tree<'s>>) {
        match (key, value) {
            (Term::Var(name @ "$__loc__"), None) => (text_of("__loc__"), Some(self.location(name))),
            (Term::Num(number), _) => {
                self.faults.push(("a string as object key".to_owned(), number));
                (text_of(""), None)
            }
            (key @ Term::Var(_), None) => (key, None),
            (key, value) => (self.term(key), value.map(|value| self.term(value))),
        }
    }

    fn pattern(&mut self, pattern: Pattern<&'s str>) -> Pattern<&'s str> {
        match pattern {
            Pattern::Var(_) => pattern,
            Pattern::Arr(parts) => Pattern::Arr(parts.into_iter().map(|part| self.pattern(part)).collect()),
            Pattern::Obj(members) => {
                let mut rewritten = Vec::with_capacity(members.len());
                for (key, part) in members {
                    if let Term::Num(name) | Term::Call(name @ ("true" | "false" | "null"), _) = key {
                        self.faults.push(("a string as object key".to_owned(), name));
                    }
                    rewritten.push((self.term(key), self.pattern(part)));
                }
                Pattern::Obj(rewritten)
            }
        }
    }

    fn part(&mut self, part: StrPart<&'s str, Tree<'s>>) -> StrPart<&'s str, Tree<'s>> {
        match part {
            StrPart::Term(term) => StrPart::Term(self.term(term)),
            other => other,
        }
    }

    fn path(&mut self, inner: Tree<'s>, path: Path<Tree<'s>>) -> Tree<'s> {
        let inner = self.term(inner);
        let mut parts = Vec::with_capacity(path.0.len());
        for (part, optional) in path.0 {
            let part = match part {
                Part::Index(index) => Part::Index(self.term(index)),
                Part::Range(from, upto) => {
                    Part::Range(from.map(|from| self.term(from)), upto.map(|upto| self.term(upto)))
                }
            };
            parts.push((part, optional));
        }
        Term::Path(Box::new(inner), Path(parts))
    }

    fn binary(&mut self, left: Tree<'s>, operator: BinaryOp<&'s str>, right: Tree<'s>) -> Tree<'s> {
        match operator {
            BinaryOp::Pipe(Some(Pattern::Arr(mut patterns)))
                if matches!(patterns.first(), Some(Pattern::Var(ALTERNATIVES))) =>
            {
                patterns.remove(0);
                let (left, right) = (self.term(left), self.term(right));
                let patterns = patterns.into_iter().map(|pattern| self.pattern(pattern)).collect();
                one_of(left, patterns, right)
            }
            BinaryOp::Pipe(pattern) => {
                let pattern = pattern.map(|pattern| self.pattern(pattern));
                let (left, right) = (self.term(left), self.term(right));
                operation(left, BinaryOp::Pipe(pattern), right)
            }
            BinaryOp::Comma => {
                let (left, right) = (self.term(left), self.term(right));
                operation(left, BinaryOp::Comma, right)
            }
            operator => {
                let mut chain = Chain::default();
                chain.flatten(operation(left, operator, right));
                let operands = self.terms(take(&mut chain.operands));
                let mut operands = operands.into_iter();
                let mut operators = take(&mut chain.operators).into_iter().peekable();
                let first = operands.next().expect("a chain has operands");
                self.climbed(first, &mut operands, &mut operators, 0)
            }
        }
    }

    /// Operators by jq's precedence.
    fn climbed(
        &mut self,
        mut left: Tree<'s>,
        operands: &mut std::vec::IntoIter<Tree<'s>>,
        operators: &mut std::iter::Peekable<std::vec::IntoIter<BinaryOp<&'s str>>>,
        least: u8,
    ) -> Tree<'s> {
        while let Some(operator) = operators.next_if(|operator| precedence(operator).0 >= least) {
            let (level, right_first) = precedence(&operator);
            let mut right = operands.next().expect("every operator has two operands");
            while let Some(next) = operators.peek().map(|next| precedence(next).0) {
                if next > level || (next == level && right_first) {
                    right = self.climbed(right, operands, operators, next);
                } else {
                    break;
                }
            }
            left = self.operated(left, operator, right);
        }
        left
    }

    /// One operator on operands that are rewritten already.
    fn operated(&mut self, left: Tree<'s>, operator: BinaryOp<&'s str>, right: Tree<'s>) -> Tree<'s> {
        match operator {
            BinaryOp::Update if !self.own.plain(&left) => call("_modify", vec![left, right]),
            BinaryOp::Assign if !self.own.plain(&left) => call("_assign", vec![right, left]),
            BinaryOp::UpdateMath(math) if !self.own.plain(&left) => {
                let change = operation(Term::Id, BinaryOp::Math(math), Term::Var(RIGHT));
                bound(right, RIGHT, call("_modify", vec![left, change]))
            }
            BinaryOp::UpdateAlt if !self.own.plain(&left) => {
                let change = operation(Term::Id, BinaryOp::Alt, Term::Var(RIGHT));
                bound(right, RIGHT, call("_modify", vec![left, change]))
            }
            operator => operation(left, operator, right),
        }
    }
}

/// An operator's precedence, and whether equals group from the right.
fn precedence(operator: &BinaryOp<&str>) -> (u8, bool) {
    match operator {
        BinaryOp::Alt => (1, true),
        BinaryOp::Assign | BinaryOp::Update | BinaryOp::UpdateMath(_) | BinaryOp::UpdateAlt => (2, true),
        BinaryOp::Or => (3, false),
        BinaryOp::And => (4, false),
        BinaryOp::Cmp(_) => (5, false),
        BinaryOp::Math(Math::Add | Math::Sub) => (6, false),
        BinaryOp::Math(Math::Mul | Math::Div | Math::Rem) => (7, false),
        BinaryOp::Pipe(_) | BinaryOp::Comma => (0, true),
    }
}

/// Operators and their operands in the order of the text.
#[derive(Default)]
struct Chain<'s> {
    operands: Vec<Tree<'s>>,
    operators: Vec<BinaryOp<&'s str>>,
}

impl<'s> Chain<'s> {
    fn flatten(&mut self, term: Tree<'s>) {
        match term {
            Term::BinOp(left, operator, right) if !matches!(operator, BinaryOp::Pipe(_) | BinaryOp::Comma) => {
                self.flatten(*left);
                self.operators.push(operator);
                self.flatten(*right);
            }
            other => self.operands.push(other),
        }
    }
}

/// `value as P ?// Q | body`: the first pattern under which neither it nor the body fails; the variables of the others are
/// null. The body is a function of all variables, so it stands once.
fn one_of<'s>(value: Tree<'s>, patterns: Vec<Pattern<&'s str>>, body: Tree<'s>) -> Tree<'s> {
    const BODY: &str = "?//";
    let mut all = BTreeSet::new();
    patterns.iter().for_each(|pattern| variables(pattern, &mut all));
    let attempt = |pattern: Pattern<&'s str>| {
        let mut mine = BTreeSet::new();
        variables(&pattern, &mut mine);
        let argument = |name: &&'s str| if mine.contains(name) { Term::Var(*name) } else { call("null", Vec::new()) };
        let body = call(BODY, all.iter().map(argument).collect());
        operation(Term::Var("$value"), BinaryOp::Pipe(Some(pattern)), body)
    };
    let attempts = patterns.into_iter().map(attempt).rev().reduce(|rest, attempt| {
        let rest = operation(Term::Var("$dot"), BinaryOp::Pipe(None), rest);
        Term::TryCatch(Box::new(attempt), Some(Box::new(rest)))
    });
    let definition = Def { name: BODY, args: all.iter().copied().collect(), body };
    let tries = Term::Def(vec![definition], Box::new(bound(Term::Id, "$dot", attempts.expect("there are patterns"))));
    bound(value, "$value", tries)
}

fn variables<'s>(pattern: &Pattern<&'s str>, into: &mut BTreeSet<&'s str>) {
    match pattern {
        Pattern::Var(name) => drop(into.insert(name)),
        Pattern::Arr(parts) => parts.iter().for_each(|part| variables(part, into)),
        Pattern::Obj(members) => members.iter().for_each(|(_, part)| variables(part, into)),
    }
}
