//! What results cost with and without offloading, by client and tool. A difference has a sign: what is saved is negative.

use std::collections::BTreeMap;

use serde::Serialize;

/// Sums of one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Sums {
    /// Results that the model saw, without extractions and reads of saved files.
    pub(super) results: u64,
    /// Results that would be offloaded now, by a replay.
    pub(super) replayed: u64,
    /// Results that were offloaded when the transcript was recorded.
    pub(super) recorded: u64,
    /// Replayed results of which the client has saved the whole in a file.
    pub(super) from_saved_file: u64,
    /// Replayed results of which the transcript holds a part.
    pub(super) from_part: u64,
    /// Results that were offloaded when recorded, and whose file is gone: they count on neither side.
    pub(super) not_counted: u64,
    pub(super) without: Without,
    pub(super) with: With,
}

/// Tokens without offloading.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Without {
    /// What the client shows.
    pub(super) shown: u64,
    /// Calls that read a file in which the client had saved a result, with their arguments and answers.
    pub(super) reads: u64,
    pub(super) reads_tokens: u64,
}

/// Tokens with offloading.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct With {
    /// Responses, and the results that stay as they are.
    pub(super) shown: u64,
    /// Extractions in the transcript, with their arguments and answers.
    pub(super) extractions: u64,
    pub(super) extractions_tokens: u64,
    /// Extractions that were assumed.
    pub(super) assumed_tokens: u64,
}

impl Sums {
    pub(super) fn offloaded(&self) -> u64 {
        self.replayed + self.recorded
    }

    pub(super) fn without(&self) -> u64 {
        self.without.shown + self.without.reads_tokens
    }

    pub(super) fn with(&self) -> u64 {
        self.with.shown + self.with.extractions_tokens + self.with.assumed_tokens
    }

    /// With offloading, minus without.
    pub(super) fn difference(&self) -> i64 {
        self.with().cast_signed() - self.without().cast_signed()
    }

    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.results, other.results),
            (&mut self.replayed, other.replayed),
            (&mut self.recorded, other.recorded),
            (&mut self.from_saved_file, other.from_saved_file),
            (&mut self.from_part, other.from_part),
            (&mut self.not_counted, other.not_counted),
            (&mut self.without.shown, other.without.shown),
            (&mut self.without.reads, other.without.reads),
            (&mut self.without.reads_tokens, other.without.reads_tokens),
            (&mut self.with.shown, other.with.shown),
            (&mut self.with.extractions, other.with.extractions),
            (&mut self.with.extractions_tokens, other.with.extractions_tokens),
            (&mut self.with.assumed_tokens, other.with.assumed_tokens),
        ];
        for (sum, more) in pairs {
            *sum += more;
        }
    }
}

/// The sums of all tools of a client.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) transcripts: u64,
    pub(super) tools: BTreeMap<String, Sums>,
}

/// Names of tools come from transcripts: further ones are added up under one name.
const MOST_TOOLS: usize = 2000;
const OTHERS: &str = "(others)";

impl Account {
    pub(super) fn tool(&mut self, name: &str) -> &mut Sums {
        let is_known = self.tools.contains_key(name) || self.tools.len() < MOST_TOOLS;
        self.tools.entry(if is_known { name } else { OTHERS }.to_owned()).or_default()
    }

    pub(super) fn total(&self) -> Sums {
        let mut total = Sums::default();
        self.tools.values().for_each(|sums| total.add(sums));
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_positive_and_a_saving_negative() {
        let mut account = Account::default();
        let with = With { shown: 280, extractions: 2, extractions_tokens: 110, assumed_tokens: 20 };
        let without = Without { shown: 300, reads: 1, reads_tokens: 50 };
        *account.tool("a") = Sums { with: with.clone(), without, ..Sums::default() };
        account.tool("b").without.shown = 1000;
        assert_eq!(account.tools["a"].difference(), 60);
        assert_eq!(account.total().difference(), -940);
        assert_eq!(account.total().with, with);
    }
}
