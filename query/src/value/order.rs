//! The order of values: null, false, true, numbers, strings, arrays, objects.

use std::cell::Cell;
use std::cmp::Ordering;

use super::{Map, Value};
use crate::budget;

impl Value {
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(false) => 1,
            Self::Bool(true) => 2,
            Self::Number(_) => 3,
            Self::Text(_) => 4,
            Self::Array(_) => 5,
            Self::Object(_) => 6,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.equals(b),
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => {
                a.len() == b.len() && within(false, || a.iter().zip(b.iter()).all(|(a, b)| budget::steps(1) && a == b))
            }
            (Self::Object(a), Self::Object(b)) => {
                a.len() == b.len()
                    && within(false, || {
                        a.iter().all(|(key, value)| budget::steps(1) && b.get(key).is_some_and(|other| value == other))
                    })
            }
            (a, b) => a.rank() == b.rank(),
        }
    }
}

#[expect(clippy::non_canonical_partial_ord_impl, reason = "filters compare NaN in another way than sorting does")]
impl PartialOrd for Value {
    /// As filters compare: NaN is less than every number, itself included.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Number(a), Self::Number(_)) if a.value().is_nan() => Some(Ordering::Less),
            _ => Some(self.cmp(other)),
        }
    }
}

// NaN is not equal to itself, as in jq; nothing here relies on it being so.
impl Eq for Value {}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.compare(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Array(a), Self::Array(b)) => {
                within(Ordering::Equal, || a.iter().cmp(b.iter().inspect(|_| _ = budget::steps(1))))
            }
            (Self::Object(a), Self::Object(b)) => within(Ordering::Equal, || objects(a, b)),
            (a, b) => a.rank().cmp(&b.rank()),
        }
    }
}

thread_local! {
    /// How deep the values are nested that are being compared.
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

/// Compares what is in two values; `otherwise` is said of those that nobody compares any more.
fn within<T>(otherwise: T, compare: impl FnOnce() -> T) -> T {
    let level = LEVEL.get() + 1;
    if !budget::level(level) || !budget::steps(1) {
        return otherwise;
    }
    LEVEL.set(level);
    let order = compare();
    LEVEL.set(level - 1);
    order
}

/// Objects by their sorted keys, then by the values of these.
fn objects(a: &Map, b: &Map) -> Ordering {
    let (a, b) = (a.sorted(), b.sorted());
    let keys = a.iter().map(|(key, _)| key).cmp(b.iter().map(|(key, _)| key));
    keys.then_with(|| {
        a.iter().map(|(_, value)| value).cmp(b.iter().map(|(_, value)| value).inspect(|_| _ = budget::steps(1)))
    })
}

#[cfg(test)]
mod tests {
    use super::super::Value;

    #[test]
    fn values_of_all_types_have_one_order() {
        let ascending = [
            "null",
            "false",
            "true",
            "-1",
            "2.5",
            "10",
            r#""""#,
            r#""a""#,
            r#""ab""#,
            "[]",
            "[1]",
            "[1,2]",
            "[2]",
            "{}",
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"b":0,"a":1}"#,
            r#"{"b":0}"#,
        ];
        let values: Vec<Value> = ascending.iter().map(|text| Value::parse(text, 8).unwrap()).collect();
        for (i, a) in values.iter().enumerate() {
            for (j, b) in values.iter().enumerate() {
                assert_eq!((a.cmp(b), a == b), (i.cmp(&j), i == j), "{a} {b}");
            }
        }
        let (a, b) = (Value::parse(r#"{"a":1,"b":1.0}"#, 8).unwrap(), Value::parse(r#"{"b":1,"a":1}"#, 8).unwrap());
        assert_eq!(a, b);
    }
}
