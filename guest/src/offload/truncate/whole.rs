//! Whole records from both ends of a list.

use super::ends::share_of_head;
use crate::offload::budget::{Budget, Meter};

/// How many records are kept of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kept {
    /// From its front.
    pub(super) head: usize,
    /// From its end.
    pub(super) tail: usize,
}

impl Kept {
    /// As many records as fit a budget: three quarters are for the head, and what one end leaves is for the other. A
    /// record that does not fit ends its end, though a later one would fit. `cost` adds a record to a meter.
    pub(super) fn of<T>(records: &[T], budget: Budget, cost: impl Fn(&mut Meter, &T)) -> Self {
        let mut head = End::new(budget);
        head.take(records.iter(), share_of_head(budget.most), &cost);
        if head.count == 0 {
            head.take(records.iter().take(1), budget.most, &cost);
        }
        let mut tail = End::new(budget);
        tail.take(records[head.count..].iter().rev(), budget.most - head.used, &cost);
        head.take(records[head.count..records.len() - tail.count].iter(), budget.most - tail.used, &cost);
        Self { head: head.count, tail: tail.count }
    }

    /// How many there are in all.
    pub(super) fn count(self) -> usize {
        self.head + self.tail
    }
}

/// One end of a list.
struct End {
    meter: Meter,
    count: usize,
    used: u32,
}

impl End {
    fn new(budget: Budget) -> Self {
        Self { meter: budget.meter(), count: 0, used: 0 }
    }

    /// Takes records as long as all of them fit.
    fn take<'r, T: 'r>(&mut self, records: impl Iterator<Item = &'r T>, most: u32, cost: impl Fn(&mut Meter, &T)) {
        for record in records {
            let mut meter = self.meter;
            cost(&mut meter, record);
            if meter.used() > most {
                return;
            }
            self.used = meter.used();
            (self.meter, self.count) = (meter, self.count + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tokens::Tokenizer;

    fn kept(records: &[&str], most: u32) -> (usize, usize) {
        let budget = Budget::tokens(Tokenizer::Chars, most);
        let Kept { head, tail } = Kept::of(records, budget, |meter, record| meter.add(record));
        (head, tail)
    }

    #[test]
    fn whole_records_are_kept_from_both_ends() {
        let four = ["aaaa", "bbbb", "cccc", "dddd"];
        let rows = [(0, (0, 0)), (1, (1, 0)), (2, (1, 1)), (3, (2, 1)), (4, (3, 1)), (9, (4, 0))];
        for (most, expected) in rows {
            assert_eq!(kept(&four, most), expected, "{most}");
        }
    }

    #[test]
    fn what_one_end_leaves_is_for_the_other() {
        assert_eq!(kept(&["xxxxxxxxxxxx", "a", "b", "c"], 2), (0, 3));
        assert_eq!(kept(&["a", "b", "c", "xxxxxxxxxxxx"], 2), (3, 0));
        assert_eq!(kept(&["aaaa", "xxxxxxxxxxxx", "b", "xxxxxxxxxxxx"], 3), (1, 0));
    }
}
