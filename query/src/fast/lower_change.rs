//! Filters that change a value: assignments and `del`.

use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Opt, Part};

use super::expression::{Expression, Gone, PathPart};
use super::lower::{Lowering, Parsed, plain_key};

impl Lowering {
    /// `path |= f`, `path = f`, `path += f`, `path //= f`
    #[inline(never)]
    pub(super) fn change(
        &mut self,
        path: &Parsed<'_>,
        operator: &BinaryOp<&str>,
        f: &Parsed<'_>,
    ) -> Option<Expression> {
        let path = self.path_to_change(path)?;
        let f = self.boxed(f)?;
        // All but `|=` take their value from outside: it is bound first, to a variable without a name.
        let (old, new) = (|| Box::new(Expression::Id), || Box::new(Expression::Variable(0)));
        let made = match operator {
            BinaryOp::Update => return Some(Expression::Update(path, f)),
            BinaryOp::Assign => *new(),
            BinaryOp::UpdateMath(operator) => Expression::Arithmetic(old(), *operator, new()),
            BinaryOp::UpdateAlt => Expression::Alternative(old(), new()),
            _ => return None,
        };
        Some(Expression::Bind(f, Box::new(Expression::Update(path, Box::new(made)))))
    }

    /// `del(.a, .b.c)`
    #[inline(never)]
    pub(super) fn deletion(&mut self, paths: &Parsed<'_>) -> Option<Expression> {
        let mut gone = Vec::new();
        self.gather_gone(paths, &mut gone)?;
        Some(Expression::Delete(gone))
    }

    fn gather_gone(&self, paths: &Parsed<'_>, gone: &mut Vec<Gone>) -> Option<()> {
        if let Term::BinOp(a, BinaryOp::Comma, b) = paths {
            self.gather_gone(a, gone)?;
            return self.gather_gone(b, gone);
        }
        let mut keys = Vec::new();
        for part in self.path_to_change(paths)? {
            let PathPart::Key(key) = part else { return None };
            keys.push(key);
        }
        add(gone, &keys)
    }

    fn path_to_change(&self, term: &Parsed<'_>) -> Option<Vec<PathPart>> {
        let Term::Path(base, path) = term else { return None };
        let Term::Id = **base else { return None };
        let part = |(part, optional): &(Part<Parsed<'_>>, Opt)| match (part, optional) {
            (Part::Index(index), Opt::Essential) => plain_key(&self.text(index)?).map(PathPart::Key),
            (Part::Range(None, None), Opt::Essential) => Some(PathPart::Each),
            _ => None,
        };
        path.0.iter().map(part).collect()
    }
}

/// Adds a path; nothing where another one goes with it or it with another, in which case the order counts.
fn add(gone: &mut Vec<Gone>, keys: &[Vec<u8>]) -> Option<()> {
    let (key, rest) = keys.split_first()?;
    match (gone.iter().position(|known| known.key == *key), rest) {
        (None, []) => gone.push(Gone { key: key.clone(), inside: Vec::new() }),
        (None, _) => {
            let mut inside = Vec::new();
            add(&mut inside, rest)?;
            gone.push(Gone { key: key.clone(), inside });
        }
        (Some(place), [_, ..]) if !gone[place].inside.is_empty() => add(&mut gone[place].inside, rest)?,
        (Some(_), _) => return None,
    }
    Some(())
}
