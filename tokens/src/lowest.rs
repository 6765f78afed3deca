//! The lowest of many numbers, of which a few change at a time.

/// So many numbers have their lowest kept one level above; a processor compares four of them at a time.
const FAN: usize = 16;

/// So many are compared at the top: a few need no tree.
const TOP: usize = 64;

/// What is larger than all numbers.
pub(crate) const NONE: i32 = i32::MAX;

/// A tree of the lowest of each sixteen.
#[derive(Default)]
pub(crate) struct Lowest {
    /// The numbers, then the lowest of each sixteen, and so on up to one block.
    levels: Vec<Vec<i32>>,
    /// How many of the levels are used.
    height: usize,
}

impl Lowest {
    /// Starts with these numbers.
    pub(crate) fn start(&mut self, numbers: impl Iterator<Item = i32>) {
        self.height = 0;
        let leaves = self.level(0);
        leaves.extend(numbers);
        while self.levels[self.height - 1].len() > TOP {
            let height = self.height;
            self.level(height);
            let (below, above) = self.levels.split_at_mut(height);
            above[0].extend(below[height - 1].chunks(FAN).map(lowest_of));
            let padded = above[0].len().next_multiple_of(FAN);
            above[0].resize(padded, NONE);
        }
    }

    /// An empty level of this height, with the memory that it had.
    fn level(&mut self, height: usize) -> &mut Vec<i32> {
        if self.levels.len() == height {
            self.levels.push(Vec::new());
        }
        self.height = height + 1;
        self.levels[height].clear();
        &mut self.levels[height]
    }

    /// The lowest number.
    pub(crate) fn get(&self) -> i32 {
        lowest_of(&self.levels[self.height - 1])
    }

    /// Replaces a number.
    pub(crate) fn set(&mut self, at: usize, number: i32) {
        let (mut at, mut number) = (at, number);
        let (top, lower) = self.levels[..self.height].split_last_mut().expect("a tree has a level");
        for level in lower {
            if std::mem::replace(&mut level[at], number) == number {
                return;
            }
            at /= FAN;
            let end = level.len().min((at + 1) * FAN);
            number = lowest_of(&level[at * FAN..end]);
        }
        top[at] = number;
    }
}

fn lowest_of(numbers: &[i32]) -> i32 {
    match numbers.first_chunk::<FAN>() {
        Some(block) if numbers.len() == FAN => block.iter().copied().fold(NONE, i32::min),
        _ => numbers.iter().copied().fold(NONE, i32::min),
    }
}
