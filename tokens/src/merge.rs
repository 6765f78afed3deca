//! Byte-pair encoding of one piece: of two neighbours, those that make the token of the lowest rank become one, the
//! leftmost first, until no two make a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::tables::Tables;

/// Up to this many bytes, looking at all pairs for the lowest rank is cheaper than keeping a heap of them.
const SHORT: usize = 128;

/// Longer pieces are encoded by windows of this many bytes, so that memory stays small and near.
const WINDOW: usize = 4096;

/// No token has this rank.
const NONE: u32 = u32::MAX;

/// Encodes pieces, one after the other, and keeps its memory between them.
#[derive(Default)]
pub(crate) struct Merger {
    /// Where parts begin, and where the last one ends.
    starts: Vec<u32>,
    /// The rank of each part with the next one.
    ranks: Vec<u32>,
    /// The part before each part and after it, by where they begin.
    links: Vec<(u32, u32)>,
    heap: BinaryHeap<Reverse<(u32, u32)>>,
    /// Ranks that were looked up or compared, for tests of how work grows.
    pub(crate) steps: u64,
}

impl Merger {
    /// Encodes a piece and passes on the ends of its tokens. Returns how many there are.
    pub(crate) fn encode(&mut self, tables: &Tables, piece: &[u8], mut token_ends: impl FnMut(usize)) -> usize {
        if piece.len() <= SHORT {
            self.merge_short(tables, piece);
        } else if let Some(count) = self.encode_windows(tables, piece, &mut token_ends) {
            return count;
        } else {
            self.merge_long(tables, piece);
        }
        self.starts[1..].iter().for_each(|end| token_ends(*end as usize));
        self.starts.len() - 1
    }

    /// Encodes a long piece by windows that begin at ends of tokens. Returns nothing if that is not how the whole is
    /// encoded.
    ///
    /// Tokens are the encoding of their bytes if each two neighbours are: a merge across the border of two would happen in
    /// the two alone as well. So it is enough to look at the two tokens where windows meet.
    fn encode_windows(&mut self, tables: &Tables, piece: &[u8], token_ends: &mut impl FnMut(usize)) -> Option<usize> {
        let (mut start, mut before, mut ends) = (0, 0, Vec::new());
        loop {
            let window = &piece[start..piece.len().min(start + WINDOW)];
            self.merge_long(tables, window);
            let first = self.starts[1] as usize;
            let is_last = start + window.len() == piece.len();
            // What follows a window may change its last tokens.
            let stable = if is_last { window.len() } else { window.len() - 2 * tables.longest() };
            let kept = self.starts.partition_point(|at| *at as usize <= stable);
            ends.extend(self.starts[1..kept].iter().map(|end| start + *end as usize));
            if start > 0 && !self.stay_apart(tables, &piece[before..start + first], start - before) {
                return None;
            }
            if is_last {
                ends.iter().for_each(|end| token_ends(*end));
                return Some(ends.len());
            }
            let count = ends.len();
            before = if count > 1 { ends[count - 2] } else { 0 };
            start = ends[count - 1];
        }
    }

    /// True if the encoding of two tokens is these two tokens.
    fn stay_apart(&mut self, tables: &Tables, two: &[u8], border: usize) -> bool {
        self.merge_short(tables, two);
        self.starts == [0, border as u32, two.len() as u32]
    }

    /// Leaves the starts of tokens in `starts`, looking at all pairs for each merge.
    fn merge_short(&mut self, tables: &Tables, piece: &[u8]) {
        self.starts.clear();
        self.starts.extend(0..=piece.len() as u32);
        self.ranks.clear();
        self.ranks.extend(piece.windows(2).map(|pair| tables.rank(pair).unwrap_or(NONE)));
        self.steps += piece.len() as u64;
        while let Some(lowest) = self.ranks.iter().copied().min().filter(|rank| *rank != NONE) {
            self.steps += self.ranks.len() as u64;
            let at = self.ranks.iter().position(|rank| *rank == lowest).expect("the lowest is one of them");
            self.starts.remove(at + 1);
            self.ranks.remove(at);
            self.rank_again(tables, piece, at);
            if at > 0 {
                self.rank_again(tables, piece, at - 1);
            }
        }
    }

    /// Looks up the rank of a part with the next one, if there is one.
    fn rank_again(&mut self, tables: &Tables, piece: &[u8], at: usize) {
        if let Some(rank) = self.ranks.get_mut(at) {
            let pair = self.starts[at] as usize..self.starts[at + 2] as usize;
            *rank = tables.rank(&piece[pair]).unwrap_or(NONE);
        }
    }

    /// Does the same as `merge_short` with a heap of pairs, so that work grows a little faster than the piece.
    fn merge_long(&mut self, tables: &Tables, piece: &[u8]) {
        let end = piece.len() as u32;
        self.ranks.clear();
        self.ranks.resize(piece.len(), NONE);
        self.links.clear();
        self.links.extend((0..end).map(|at| (at.wrapping_sub(1), at + 1)));
        self.heap.clear();
        for at in 0..end {
            self.rank_pair(tables, piece, at);
        }
        while let Some(Reverse((rank, at))) = self.heap.pop() {
            self.steps += 1;
            let (before, next) = self.links[at as usize];
            if self.ranks[at as usize] != rank {
                // The pair is another one by now.
                continue;
            }
            let (_, after) = self.links[next as usize];
            self.ranks[next as usize] = NONE;
            self.links[at as usize].1 = after;
            if after < end {
                self.links[after as usize].0 = at;
            }
            self.rank_pair(tables, piece, at);
            if at > 0 {
                self.rank_pair(tables, piece, before);
            }
        }
        self.starts.clear();
        let mut at = 0;
        while at < end {
            self.starts.push(at);
            at = self.links[at as usize].1;
        }
        self.starts.push(end);
    }

    /// Looks up the rank of the part at `at` with the next one, and keeps it in the heap.
    fn rank_pair(&mut self, tables: &Tables, piece: &[u8], at: u32) {
        self.steps += 1;
        let (_, next) = self.links[at as usize];
        let rank = match self.links.get(next as usize) {
            Some((_, after)) => tables.rank(&piece[at as usize..*after as usize]).unwrap_or(NONE),
            None => NONE,
        };
        self.ranks[at as usize] = rank;
        if rank != NONE {
            self.heap.push(Reverse((rank, at)));
        }
    }
}
