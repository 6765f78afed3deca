//! Requests of the client whose answers are pending and may have to be changed.

use std::collections::{HashMap, VecDeque};

/// What the answer to a request will be.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expected {
    /// A page of the list of tools, for a request with this `_meta`.
    Tools(String),
    /// The result of a tool.
    ToolResult(ToolCall),
    /// What the server says of itself, to a client that shows the table.
    Welcome,
}

impl Expected {
    /// The same without long arguments.
    fn in_few_bytes(self) -> Self {
        match self {
            Self::Tools(meta) => Self::Tools(unless_long(meta)),
            Self::ToolResult(call) => Self::ToolResult(call.in_few_bytes()),
            Self::Welcome => Self::Welcome,
        }
    }

    /// How many bytes of arguments it holds.
    fn argument_bytes(&self) -> usize {
        match self {
            Self::Welcome => 0,
            Self::Tools(meta) => meta.len(),
            Self::ToolResult(call) => call.arguments.len() + call.meta.len(),
        }
    }
}

/// A call of a tool of the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolCall {
    pub(super) tool: String,
    /// The text of its arguments.
    pub(super) arguments: String,
    /// The text of `_meta` in its parameters.
    pub(super) meta: String,
}

impl ToolCall {
    /// The same without long arguments.
    fn in_few_bytes(self) -> Self {
        Self { arguments: unless_long(self.arguments), meta: unless_long(self.meta), ..self }
    }
}

/// The answer to a request with a longer id is passed on unseen. Ids in use are numbers and UUIDs.
pub(super) const MOST_ID_BYTES: usize = 1024;

/// Arguments are kept for the header of a file, which says what was asked. Longer ones are not needed for that.
const MOST_ARGUMENT_BYTES: usize = 16 * 1024;

/// Clients say who they are in `_meta`, and which task or trace a call belongs to. A longer one is not read.
const MOST_META_BYTES: usize = 4 * 1024;

/// All arguments together. Without them results are still offloaded, so this bound costs a line in a header.
const ALL_ARGUMENT_BYTES: usize = 8 << 20;

/// Tasks and answered calls are not forgotten when they are done, so less is kept of each.
const MOST_DONE_ARGUMENT_BYTES: usize = 512;

/// A server that answers twice does so at once.
const MOST_ANSWERED: usize = 1024;

/// The names of tools have 128 characters at most, says the protocol.
const MOST_NAME_BYTES: usize = 1024;

/// Requests in flight, by their ids, and tasks by theirs. What they hold is bounded in number and in bytes.
#[derive(Debug)]
pub(super) struct Pending {
    requests: Memory<Expected>,
    /// Calls that became tasks (LRO-23).
    tasks: Memory<ToolCall>,
    /// Requests that have been answered: a server may answer once more.
    answered: Memory<Expected>,
    argument_bytes: usize,
}

impl Pending {
    pub(super) fn of(most: usize) -> Self {
        Self {
            requests: Memory::of(most),
            tasks: Memory::of(most),
            answered: Memory::of(MOST_ANSWERED),
            argument_bytes: 0,
        }
    }

    /// Remembers a call.
    pub(super) fn expect_result(&mut self, id: String, mut tool: String, arguments: &str, meta: &str) {
        let room = ALL_ARGUMENT_BYTES.saturating_sub(self.argument_bytes + meta.len().min(MOST_META_BYTES));
        let kept = |text: &str, most: usize| if text.len() <= most { text.to_owned() } else { String::new() };
        let (arguments, meta) = (kept(arguments, MOST_ARGUMENT_BYTES.min(room)), kept(meta, MOST_META_BYTES.min(room)));
        tool.truncate(tool.floor_char_boundary(MOST_NAME_BYTES));
        self.expect(id, Expected::ToolResult(ToolCall { tool, arguments, meta }));
    }

    /// Remembers a request for a list of tools.
    pub(super) fn expect_tools(&mut self, id: String, meta: &str) {
        let fits = meta.len() <= MOST_META_BYTES && self.argument_bytes + meta.len() <= ALL_ARGUMENT_BYTES;
        self.expect(id, Expected::Tools(if fits { meta.to_owned() } else { String::new() }));
    }

    /// Remembers a request.
    pub(super) fn expect(&mut self, id: String, expected: Expected) {
        self.argument_bytes += expected.argument_bytes();
        let forgotten = self.requests.insert(id, expected);
        self.argument_bytes -= forgotten.iter().map(Expected::argument_bytes).sum::<usize>();
    }

    /// Takes out what was expected.
    pub(super) fn take(&mut self, id: &str) -> Option<Expected> {
        let expected = self.requests.take(id)?;
        self.argument_bytes -= expected.argument_bytes();
        Some(expected)
    }

    /// What is expected of an answer with this id, which is the same if it comes twice. Clients take a number that comes back
    /// as a text for the number.
    pub(super) fn answer(&mut self, id: &str) -> Option<Expected> {
        let asked = self.asked(id)?;
        let Some(expected) = self.take(asked) else { return self.answered.get(asked).cloned() };
        self.answered.insert(asked.to_owned(), expected.clone().in_few_bytes());
        Some(expected)
    }

    /// A request with this id is under way, perhaps another one than before.
    pub(super) fn asks(&mut self, id: &str) {
        self.answered.take(id);
    }

    /// True for the id of an answer that is expected, for the first time or once more.
    pub(super) fn expects(&self, id: &str) -> bool {
        self.asked(id).is_some()
    }

    /// The id as the client wrote it.
    fn asked<'i>(&self, id: &'i str) -> Option<&'i str> {
        let is_known = |id: &&str| self.requests.get(id).is_some() || self.answered.get(id).is_some();
        [Some(id), number_in(id)].into_iter().flatten().find(is_known)
    }

    /// Remembers the task that a call became.
    pub(super) fn began(&mut self, task: String, call: ToolCall) {
        self.tasks.insert(task, call.in_few_bytes());
    }

    /// The call that became this task.
    pub(super) fn task(&self, task: &str) -> Option<&ToolCall> {
        self.tasks.get(task)
    }
}

/// A text, or none where it is long.
fn unless_long(text: String) -> String {
    if text.len() > MOST_DONE_ARGUMENT_BYTES { String::new() } else { text }
}

/// The number in an id that is a text.
fn number_in(id: &str) -> Option<&str> {
    id.strip_prefix('"')?.strip_suffix('"').filter(|id| id.parse::<i64>().is_ok())
}

/// A map that forgets its oldest entries when it is full, because a request that the client cancels never gets an answer.
/// Answers to forgotten requests are passed on unchanged.
#[derive(Debug)]
struct Memory<T> {
    entries: HashMap<String, T>,
    order: VecDeque<String>,
    most: usize,
}

impl<T> Memory<T> {
    fn of(most: usize) -> Self {
        Self { entries: HashMap::new(), order: VecDeque::new(), most }
    }

    /// Adds an entry and returns the one that is forgotten for it.
    fn insert(&mut self, key: String, value: T) -> Vec<T> {
        let mut forgotten = Vec::new();
        match self.entries.insert(key.clone(), value) {
            Some(earlier) => forgotten.push(earlier),
            None => self.order.push_back(key),
        }
        // Keys that were taken out are still in the order; it is as long as twice the map at most.
        while self.entries.len() > self.most || self.order.len() > 2 * self.most {
            let Some(oldest) = self.order.pop_front() else { break };
            forgotten.extend(self.entries.remove(&oldest));
        }
        forgotten
    }

    fn take(&mut self, key: &str) -> Option<T> {
        let value = self.entries.remove(key);
        // A quiet conversation has one request at a time: then the order is as empty as the map.
        if self.entries.is_empty() {
            self.order.clear();
        }
        value
    }

    fn get(&self, key: &str) -> Option<&T> {
        self.entries.get(key)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL_ARGUMENT_BYTES, Expected, Memory, Pending};

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

    #[test]
    fn an_answer_that_comes_twice_is_expected_twice() {
        let mut pending = Pending::of(9);
        let tools = || Expected::Tools("m".repeat(1000));
        pending.expect("1".to_owned(), tools());
        assert_eq!(pending.answer("1"), Some(tools()));
        let again = Some(Expected::Tools(String::new()));
        assert_eq!((pending.answer("1"), pending.answer("\"1\"")), (again.clone(), again));
        assert!(pending.expects("1") && pending.expects("\"1\"") && !pending.expects("2"));
        assert_eq!(pending.argument_bytes, 0);
        // The client asks something else with it, which is not looked at.
        pending.asks("1");
        assert_eq!(pending.answer("1"), None);
    }

    #[test]
    fn a_number_may_come_back_as_a_text() {
        let mut pending = Pending::of(9);
        pending.expect("1".to_owned(), Expected::Welcome);
        pending.expect("\"2\"".to_owned(), Expected::Welcome);
        assert_eq!((pending.answer("\"1\""), pending.answer("3")), (Some(Expected::Welcome), None));
        assert_eq!((pending.answer("2"), pending.answer("\"2\"")), (None, Some(Expected::Welcome)));
    }

    #[test]
    fn arguments_are_bounded_in_bytes_and_calls_are_not_forgotten_for_them() {
        let mut pending = Pending::of(10_000);
        let arguments = "x".repeat(10_000);
        for id in 0..9000 {
            pending.expect_result(id.to_string(), "t".repeat(3000), &arguments, "");
            assert!(pending.argument_bytes <= ALL_ARGUMENT_BYTES);
        }
        for id in 0..9000 {
            let Some(Expected::ToolResult(call)) = pending.take(&id.to_string()) else { panic!("call {id}") };
            assert_eq!((call.tool.len(), call.arguments.is_empty()), (1024, id >= 838), "{id}");
        }
        assert_eq!(pending.argument_bytes, 0);
    }
}
