//! A walk through a tree.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Pattern, Term};
use jaq_core::path::{Part, Path};

use super::Tree;

/// Visits a tree and all that is in it.
pub fn each_part<'s>(term: &Tree<'s>, visit: &mut impl FnMut(&Tree<'s>)) {
    visit(term);
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) | Term::Arr(None) => {}
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(term) = part {
                    each_part(term, visit);
                }
            }
        }
        Term::Arr(Some(inner)) | Term::Neg(inner) | Term::Label(_, inner) => each_part(inner, visit),
        Term::Obj(members) => {
            for (key, value) in members {
                each_part(key, visit);
                value.iter().for_each(|value| each_part(value, visit));
            }
        }
        Term::BinOp(left, operator, right) => {
            each_part(left, visit);
            if let BinaryOp::Pipe(Some(pattern)) = operator {
                each_key(pattern, visit);
            }
            each_part(right, visit);
        }
        Term::Fold(_, values, pattern, arguments) => {
            each_part(values, visit);
            each_key(pattern, visit);
            arguments.iter().for_each(|argument| each_part(argument, visit));
        }
        Term::TryCatch(inner, catch) => {
            each_part(inner, visit);
            catch.iter().for_each(|catch| each_part(catch, visit));
        }
        Term::IfThenElse(cases, otherwise) => {
            for (condition, then) in cases {
                each_part(condition, visit);
                each_part(then, visit);
            }
            otherwise.iter().for_each(|otherwise| each_part(otherwise, visit));
        }
        Term::Def(definitions, body) => {
            definitions.iter().for_each(|definition| each_part(&definition.body, visit));
            each_part(body, visit);
        }
        Term::Call(_, arguments) => arguments.iter().for_each(|argument| each_part(argument, visit)),
        Term::Path(inner, Path(parts)) => {
            each_part(inner, visit);
            for (part, _) in parts {
                match part {
                    Part::Index(index) => each_part(index, visit),
                    Part::Range(from, upto) => from.iter().chain(upto).for_each(|bound| each_part(bound, visit)),
                }
            }
        }
    }
}

fn each_key<'s>(pattern: &Pattern<&'s str>, visit: &mut impl FnMut(&Tree<'s>)) {
    match pattern {
        Pattern::Var(_) => {}
        Pattern::Arr(parts) => parts.iter().for_each(|part| each_key(part, visit)),
        Pattern::Obj(members) => {
            for (key, part) in members {
                each_part(key, visit);
                each_key(part, visit);
            }
        }
    }
}

/// Visits what a tree is made of, to change it: the terms right below it, keys of patterns left out.
pub(super) fn each_child<'s>(term: &mut Tree<'s>, visit: &mut impl FnMut(&mut Tree<'s>)) {
    match term {
        Term::Id | Term::Recurse | Term::Num(_) | Term::Var(_) | Term::Break(_) | Term::Arr(None) => {}
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(term) = part {
                    visit(term);
                }
            }
        }
        Term::Arr(Some(inner)) | Term::Neg(inner) | Term::Label(_, inner) => visit(inner),
        Term::Obj(members) => {
            for (key, value) in members {
                visit(key);
                value.iter_mut().for_each(&mut *visit);
            }
        }
        Term::BinOp(left, _, right) => {
            visit(left);
            visit(right);
        }
        Term::Fold(_, values, _, arguments) => {
            visit(values);
            arguments.iter_mut().for_each(visit);
        }
        Term::TryCatch(inner, catch) => {
            visit(inner);
            catch.iter_mut().for_each(|catch| visit(catch));
        }
        Term::IfThenElse(cases, otherwise) => {
            for (condition, then) in cases {
                visit(condition);
                visit(then);
            }
            otherwise.iter_mut().for_each(|otherwise| visit(otherwise));
        }
        Term::Def(definitions, body) => {
            definitions.iter_mut().for_each(|definition| visit(&mut definition.body));
            visit(body);
        }
        Term::Call(_, arguments) => arguments.iter_mut().for_each(visit),
        Term::Path(inner, Path(parts)) => {
            visit(inner);
            for (part, _) in parts {
                match part {
                    Part::Index(index) => visit(index),
                    Part::Range(from, upto) => from.iter_mut().chain(upto).for_each(&mut *visit),
                }
            }
        }
    }
}
