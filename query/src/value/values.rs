//! The elements of an array, which are dropped without recursion however deep they are nested.

use std::cell::{Cell, RefCell};
use std::mem::take;
use std::ops::{Deref, DerefMut};

use super::Value;
use crate::budget;

/// Values within values are dropped by recursion up to this level; what is below waits in a list.
const MOST_LEVELS: u32 = 64;

/// So many elements that are copied count as one step.
const COPIES_A_STEP: usize = 4;

thread_local! {
    static LEVEL: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Vec<Value>>> = const { RefCell::new(Vec::new()) };
}

/// The elements of an array.
#[derive(Debug, Default)]
pub struct Values(Vec<Value>);

impl Values {
    /// The elements themselves.
    pub(crate) fn into_vec(mut self) -> Vec<Value> {
        take(&mut self.0)
    }
}

impl Clone for Values {
    fn clone(&self) -> Self {
        copied(self.0.len());
        Self(self.0.clone())
    }
}

/// Takes the steps of so many values that are copied.
pub(crate) fn copied(count: usize) {
    budget::steps((count / COPIES_A_STEP) as u64);
}

impl From<Vec<Value>> for Values {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}

impl Deref for Values {
    type Target = Vec<Value>;

    fn deref(&self) -> &Vec<Value> {
        &self.0
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut Vec<Value> {
        &mut self.0
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        if self.0.iter().any(has_parts) {
            drop_level(&mut self.0, take);
        }
    }
}

/// True for a value that has values in it.
pub(super) fn has_parts(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

/// Drops what is in a value: at once, or later where that is too deep. `values` gives what is to wait.
pub(super) fn drop_level<T>(parts: &mut Vec<T>, values: impl FnOnce(&mut Vec<T>) -> Vec<Value>) {
    let level = LEVEL.get();
    if level >= MOST_LEVELS {
        let values = values(parts);
        // Without the list, when the thread ends, they are dropped by recursion.
        _ = WAITING.try_with(|waiting| waiting.borrow_mut().push(values));
        return;
    }
    LEVEL.set(level + 1);
    parts.clear();
    if level == 0 {
        while let Ok(Some(values)) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
            drop(values);
        }
    }
    LEVEL.set(level);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_million_levels_are_dropped() {
        let array = (0..1_000_000).fold(Value::Null, |value, _| Value::array(vec![value, Value::Null]));
        drop(array);
        let object = (0..1_000_000).fold(Value::Null, |value, _| Value::from(Some(value)..None));
        drop(object);
        assert_eq!((LEVEL.get(), WAITING.with_borrow(Vec::len)), (0, 0));
    }
}
