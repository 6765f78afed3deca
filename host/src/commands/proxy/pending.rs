//! Requests of the client that have no answer yet, as far as the answer may have to be changed.

use std::collections::{HashMap, VecDeque};

/// What the answer to a request will be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// A page of the list of tools.
    Tools,
    /// The result of a tool.
    ToolResult(ToolCall),
}

/// A call of a tool of the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    /// The text of its arguments.
    pub(super) arguments: String,
}

/// A map that forgets its oldest entries when it is full. A client may cancel requests, and then there is never an
/// answer; what is forgotten is passed on as it is.
#[derive(Debug)]
pub(super) struct Memory<T> {
    entries: HashMap<String, T>,
    order: VecDeque<String>,
    most: usize,
}

impl<T> Memory<T> {
    pub(super) fn of(most: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), most }
    }

    pub(super) fn insert(&mut self, key: String, value: T) {
        if self.entries.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
        }
        // Keys that were taken out are still in the order; it is as long as twice the map at most.
        while self.entries.len() > self.most || self.order.len() > 2 * self.most {
            match self.order.pop_front() {
                Some(oldest) => _ = self.entries.remove(&oldest),
                None => return,
            }
        }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<T> {
        let value = self.entries.remove(key);
        // A quiet conversation has one request at a time: then the order is as empty as the map.
        if self.entries.is_empty() {
            self.order.clear();
        }
        value
    }

    pub(super) fn get(&self, key: &str) -> Option<&T> {
        self.entries.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Memory;

    #[test]
    fn the_oldest_are_forgotten() {
        let mut memory = Memory::of(2);
        for (key, value) in [("a", 1), ("b", 2), ("c", 3)] {
            memory.insert(key.to_owned(), value);
        }
        assert_eq!((memory.take("a"), memory.take("b"), memory.get("c")), (None, Some(2), Some(&3)));
        for turn in 0..1000 {
            memory.insert(turn.to_string(), turn);
            assert_eq!(memory.take(&turn.to_string()), Some(turn));
        }
        assert!(memory.order.len() <= 4);
    }
}
