//! The results of a set that are still to come, by where they stand in the file: the second page of a large sort does not
//! look for their order again.

use crate::Limits;
use crate::Program;
use crate::Value;
use crate::error::Error;
use crate::fast::{Found, Place};
use crate::run::input::Input;
use crate::run::page::{PageLimits, Scope};
use crate::run::piece::Piece;
use crate::run::{General, Outcome, Run};

/// Lines of the file, in the order of the results. A `next` can carry them, behind its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation(Vec<(u64, u32)>);

impl Continuation {
    /// These results, if all of them are lines of the file.
    pub(crate) fn of(places: &[Place]) -> Option<Self> {
        let line = |place: &Place| match *place {
            Place::File { offset, bytes } => Some((offset, bytes)),
            Place::Kept { .. } => None,
        };
        places.iter().map(line).collect::<Option<_>>().map(Self)
    }

    /// The results as a plan would have found them.
    pub(crate) fn found(&self) -> Found {
        let places = self.0.iter().map(|&(offset, bytes)| Place::File { offset, bytes }).collect();
        Found { places, kept: Vec::new(), is_array: true }
    }

    /// Adds them to a token: `.`, then offset and length of each.
    pub fn add_to(&self, token: &mut String) {
        token.push('.');
        for (offset, bytes) in &self.0 {
            token.extend([&offset.to_string(), "+", &bytes.to_string(), "-"]);
        }
    }

    /// Parts a token into the position and what is added to it.
    pub fn part(token: &str) -> Result<(&str, Option<Self>), Error> {
        let Some((dot, _)) = token.match_indices('.').nth(3) else { return Ok((token, None)) };
        let line = |text: &str| {
            let (offset, bytes) = text.split_once('+')?;
            Some((offset.parse().ok()?, bytes.parse().ok()?))
        };
        let lines: Option<Vec<_>> = token[dot + 1..].split_terminator('-').map(line).collect();
        match lines {
            Some(lines) => Ok((&token[..dot], Some(Self(lines)))),
            None => Err(Error::Token(token.to_owned())),
        }
    }
}

impl Outcome {
    /// The opaque token that leads to the next page.
    pub fn token(&self) -> Option<String> {
        let next = self.next?;
        if let Some((result, Some(from))) = self.page.piece {
            return Some(Piece { result, from }.to_token());
        }
        let mut token = next.to_token();
        if let Some(continuation) = &self.continuation {
            continuation.add_to(&mut token);
        }
        Some(token)
    }
}

/// Goes on with the rest of a set that an earlier page has put in order.
///
/// Errors: [`Error::Changed`] when a line of the rest is none of the file.
pub fn go_on(
    continuation: &Continuation,
    program: Program<'_>,
    variables: &[(String, Value)],
    input: &dyn Input,
    scope: Scope,
    limits: PageLimits,
    bounds: &Limits,
) -> Result<Outcome, Error> {
    let general = General::new(program, variables, bounds, input.form());
    Run::new(&general, input, false, Scope::all(scope.start), limits).continued(continuation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::program;
    use crate::{Position, Shape, run};

    #[test]
    fn a_token_carries_lines() {
        let places = [Place::File { offset: 1 << 40, bytes: 7 }, Place::File { offset: 12, bytes: 0 }];
        let rest = Continuation::of(&places).unwrap();
        let mut token = "1.2.3.4".to_owned();
        rest.add_to(&mut token);
        assert_eq!(token, "1.2.3.4.1099511627776+7-12+0-");
        assert_eq!(Continuation::part(&token).unwrap(), ("1.2.3.4", Some(rest)));
        assert_eq!(Continuation::part("1.2.3.4").unwrap(), ("1.2.3.4", None));
        for token in ["1.2.3.4.5", "1.2.3.4.5+", "1.2.3.4.5+6-7", "1.2.3.4.-1+2-", "1.2.3.4.5+6-.5+6-"] {
            assert!(Continuation::part(token).is_err(), "{token}");
        }
        assert_eq!(Continuation::of(&[Place::Kept { start: 0, bytes: 1 }]), None);
    }

    #[test]
    fn a_page_says_where_the_next_one_is() {
        const FILE: &[u8] = b"{\"a\":2,\"b\": 1.0}\n{\"a\":1,\"b\":\"x\"}\n\nnot json\n{\"a\":2}\n";
        let program = program(".a", Shape::Sort { descending: false });
        let (bounds, start) = (Limits::default(), Position { offset: 0, line: 2, skip: 0, before: 0 });
        let limits = PageLimits { chunk_bytes: Some(1), ..PageLimits::default() };
        let first = run(program, &[], &FILE, Scope::all(start), limits, false, &bounds).unwrap();
        let again = run(program, &[], &FILE, Scope::all(first.next.unwrap()), limits, false, &bounds).unwrap();
        let whole = run(program, &[], &FILE, Scope::all(start), PageLimits::default(), false, &bounds).unwrap();
        assert_eq!((first.page.count, again.page.count, again.next), (2, 1, None));
        assert_eq!([first.page.text.clone(), again.page.text.clone()].concat(), whole.page.text);

        let token = first.token().unwrap();
        let (position, rest) = Continuation::part(&token).unwrap();
        let scope = Scope::all(Position::from_token(position).unwrap());
        let go_on = |rest: &Continuation| go_on(rest, program, &[], &FILE, scope, limits, &bounds);
        let second = go_on(&rest.unwrap()).unwrap();
        assert_eq!((&second.page.text, second.total, second.next), (&again.page.text, again.total, None));
        assert_eq!((first.failed, second.failed), (1, 0));
        // Who makes up lines gets none.
        for lines in ["0+3-", "1+16-", "0+17-", "99+1-", "17+18-0+400-"] {
            let token = format!("0.2.2.2.{lines}");
            let (_, rest) = Continuation::part(&token).unwrap();
            assert!(matches!(go_on(&rest.unwrap()), Err(Error::Changed)), "{lines}");
        }
    }

    #[test]
    fn a_limit_has_a_short_token() {
        let file = (0..9).map(|n| format!("{{\"a\":{n}}}\n")).collect::<String>();
        let program = program(".a", Shape::Sort { descending: true });
        let (bounds, start) = (Limits::default(), Position { offset: 0, line: 2, skip: 0, before: 0 });
        for (results, carries) in [(None, true), (Some(7), true), (Some(5), false), (Some(2), false)] {
            let limits = PageLimits { chunk_bytes: Some(1), results, ..PageLimits::default() };
            let page = run(program, &[], &file.as_bytes(), Scope::all(start), limits, false, &bounds).unwrap();
            assert_eq!(page.continuation.is_some(), carries, "{results:?}");
            assert!(page.next.is_some());
        }
    }
}
