//! `..`: a value and all that is in it.

use jaq_core::{Cv, Native as Function, ValX};

use super::{Data, Fast, Row};
use crate::budget;
use crate::value::Value;

pub(super) fn rows() -> Vec<Row> {
    let recurse = Function::new(|cv: Cv<'_, Data>| {
        Box::new(Descent::new(cv.1, (), |(), _: &dyn Fn() -> Value| ()).map(|(value, ())| stepped(value)))
    });
    let recurse = recurse.with_paths(|cv| {
        let (value, path) = cv.1;
        Box::new(Descent::new(value, path, |path, part: &dyn Fn() -> Value| path.clone().cons(part())).map(stepped))
    });
    vec![Row::native(("recurse", super::v(0), recurse)).fast(Fast::Recurse)]
}

/// What is handed out while the budget lasts.
fn stepped<'a, T>(part: T) -> ValX<'a, T, Value> {
    if budget::steps(1) { Ok(part) } else { Err(budget::exit()) }
}

/// A value and all that is in it, each before what is in it, with its path. Whatever is handed out has cost one step,
/// however deep it is.
struct Descent<P, F> {
    first: Option<(Value, P)>,
    /// Arrays and objects, their paths, and how much of them has been handed out.
    open: Vec<(Value, P, usize)>,
    then: F,
}

impl<P: Clone, F: Fn(&P, &dyn Fn() -> Value) -> P> Descent<P, F> {
    /// Begins at a value; `then` gives the path of a part from that of the whole.
    fn new(value: Value, path: P, then: F) -> Self {
        Self { first: Some((value, path)), open: Vec::new(), then }
    }

    /// The next part of the innermost array or object.
    fn part(&mut self) -> Option<Option<(Value, P)>> {
        let (whole, path, at) = self.open.last_mut()?;
        let place = *at;
        *at += 1;
        Some(match whole {
            Value::Array(values) => {
                values.get(place).map(|value| (value.clone(), (self.then)(path, &|| Value::from(place))))
            }
            Value::Object(members) => {
                members.at(place).map(|(key, value)| (value.clone(), (self.then)(path, &|| Value::Text(key.clone()))))
            }
            _ => None,
        })
    }
}

impl<P: Clone, F: Fn(&P, &dyn Fn() -> Value) -> P> Iterator for Descent<P, F> {
    type Item = (Value, P);

    fn next(&mut self) -> Option<Self::Item> {
        let next = match self.first.take() {
            Some(first) => first,
            None => loop {
                match self.part()? {
                    Some(part) => break part,
                    None => _ = self.open.pop(),
                }
            },
        };
        let goes_on = || budget::level(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        if matches!(next.0, Value::Array(_) | Value::Object(_)) && goes_on() {
            self.open.push((next.0.clone(), next.1.clone(), 0));
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_comes_before_what_is_in_it() {
        let value = Value::parse(r#"{"a":[1,{"b":[]}],"c":{}}"#, 8).unwrap();
        let path = |path: &String, part: &dyn Fn() -> Value| format!("{path}/{}", &*part().to_text());
        let seen: Vec<String> =
            Descent::new(value, String::new(), path).map(|(value, path)| format!("{path}={value}")).collect();
        let expected =
            [r#"={"a":[1,{"b":[]}],"c":{}}"#, r#"/a=[1,{"b":[]}]"#, "/a/0=1", r#"/a/1={"b":[]}"#, "/a/1/b=[]", "/c={}"];
        assert_eq!(seen, expected);
    }
}
