//! Results of tools whose answers are known.

use std::fmt::Write as _;

use crate::faults::random::Random;

/// A document with one or several lists of records.
#[derive(Debug, Clone)]
pub(super) struct Payload {
    pub(super) text: String,
    /// How many records the first list has, which is the longest.
    pub(super) count: usize,
    /// The sum of their ids.
    pub(super) sum: usize,
}

impl Payload {
    /// One list of so many records.
    pub(super) fn list(count: usize) -> Self {
        Self::new(&[count], 0)
    }

    /// Lists of these lengths, with ids from `first` on.
    pub(super) fn new(counts: &[usize], first: usize) -> Self {
        let lists: Vec<String> = counts.iter().map(|count| records(first, *count)).collect();
        let text = match &lists[..] {
            [list] => list.clone(),
            lists => {
                let mut text = String::from("{");
                for (place, list) in lists.iter().enumerate() {
                    let _ = write!(text, "\"list_{place}\":{list},");
                }
                text + "\"total\":1}"
            }
        };
        Self { text, count: counts[0], sum: (first..first + counts[0]).sum() }
    }

    /// One to `most` lists, each large enough to be offloaded.
    pub(super) fn any(random: &mut Random, most: usize) -> Self {
        let first = random.below(100_000);
        let longest = 150 + random.below(400);
        let counts: Vec<usize> = (0..=random.below(most)).map(|place| longest - 10 * place).collect();
        Self::new(&counts, first)
    }
}

fn records(first: usize, count: usize) -> String {
    let mut text = String::from("[");
    for id in first..first + count {
        let comma = if id == first { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"id":{id},"title":"Züge, Nr. {id}","state":"{}","size":{}.50}}"#,
            STATES[id % 3],
            id
        );
    }
    text + "]"
}

const STATES: [&str; 3] = ["open", "closed", "in \\\"review\\\" 😀"];

#[cfg(test)]
mod tests {
    use super::Payload;

    #[test]
    fn payloads_are_json_with_what_they_say() {
        let list: serde_json::Value = serde_json::from_str(&Payload::list(10).text).unwrap();
        assert_eq!(list.as_array().unwrap().len(), 10);
        let document = Payload::new(&[4, 2], 7);
        let value: serde_json::Value = serde_json::from_str(&document.text).unwrap();
        assert_eq!(value["list_1"].as_array().unwrap().len(), 2);
        assert_eq!((document.count, document.sum), (4, 7 + 8 + 9 + 10));
    }
}
