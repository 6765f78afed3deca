//! The keys of its input that a filter reads: those of `{next, n: (.items | length)}` are `next` and `items`.

use jaq_core::load::lex::StrPart;
use jaq_core::load::parse::{BinaryOp, Term};
use jaq_core::path::{Part, Path};

use crate::Query;

impl Query<'_> {
    /// The first keys of all that the filter reads of its input; none where it may read more.
    pub fn first_keys(&self) -> Vec<String> {
        let mut keys = Vec::new();
        if read(self.tree(), &mut keys).is_none() {
            keys.clear();
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// Notes the keys that a term reads of its input; `None` if it may read all of it.
fn read(term: &Term<&str>, keys: &mut Vec<String>) -> Option<()> {
    match term {
        Term::Num(_) | Term::Var(_) | Term::Arr(None) => {}
        Term::Str(_, parts) => {
            for part in parts {
                if let StrPart::Term(inner) = part {
                    read(inner, keys)?;
                }
            }
        }
        Term::Path(base, Path(parts)) if matches!(**base, Term::Id) => match parts.first() {
            Some((Part::Index(Term::Str(None, name)), _)) => match &name[..] {
                [StrPart::Str(name)] => keys.push((*name).to_owned()),
                _ => return None,
            },
            _ => return None,
        },
        Term::Path(inner, _) | Term::Neg(inner) | Term::Arr(Some(inner)) => read(inner, keys)?,
        Term::TryCatch(inner, _) => read(inner, keys)?,
        Term::BinOp(left, BinaryOp::Pipe(None), _) => read(left, keys)?,
        // What a variable has of the input is read by name where it is used.
        Term::BinOp(left, BinaryOp::Pipe(Some(_)), right) if matches!(**left, Term::Id) => read(right, keys)?,
        Term::BinOp(left, _, right) => {
            read(left, keys)?;
            read(right, keys)?;
        }
        Term::Obj(members) => {
            for (key, value) in members {
                match (key, value) {
                    (_, Some(value)) => read(value, keys)?,
                    (Term::Str(None, name), None) => match &name[..] {
                        [StrPart::Str(name)] => keys.push((*name).to_owned()),
                        _ => return None,
                    },
                    (Term::Var(_), None) => {}
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Limits, Query};

    #[test]
    fn keys_of_the_input_are_those_that_are_read_first() {
        for (filter, expected) in [
            ("{next, status}", "next status"),
            ("{t: .data.page.total, n: (.data.items | map(.id) | length)}", "data"),
            ("[.status, .next]", "next status"),
            ("\"\\(.status) of \\(.next)\"", "next status"),
            (". as $d | .data.items[] | [$d.next, .id]", "data"),
            ("(.total // 0) + .more", "more total"),
            ("{a: 1, b: \"x\"}", ""),
            (".", ""),
            ("{n: length, next}", ""),
            ("select(.a)", ""),
            ("[.[] | .a]", ""),
            ("{(.a): .b, c: .[0]}", ""),
        ] {
            let arena = Arena::default();
            let query =
                Query::parse(filter, &arena, &Limits::default()).unwrap_or_else(|error| panic!("{filter}: {error}"));
            assert_eq!(query.first_keys().join(" "), expected, "{filter}");
        }
    }
}
