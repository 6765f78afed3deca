//! Byte-pair encoding of a piece as a whole, however long it is.
//!
//! It is used if windows of a long piece do not meet. No piece is known where they do not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::tables::Tables;

/// No token has this rank.
const NONE: u32 = u32::MAX;

struct Whole<'a> {
    tables: &'a Tables,
    piece: &'a [u8],
    /// By where a part begins: its rank with the next one.
    ranks: Vec<u32>,
    /// The same: where the part before it begins, and the one after it.
    links: Vec<(usize, usize)>,
    /// The lowest rank first, the leftmost of its places first. Some are out of date.
    heap: BinaryHeap<Reverse<(u32, usize)>>,
}

/// Returns the ends of the tokens.
pub(crate) fn merge(tables: &Tables, piece: &[u8]) -> Vec<usize> {
    let links = (0..piece.len()).map(|at| (at.wrapping_sub(1), at + 1)).collect();
    let ranks = vec![NONE; piece.len()];
    let mut whole = Whole { tables, piece, ranks, links, heap: BinaryHeap::new() };
    (0..piece.len()).for_each(|at| whole.look_up(at));
    while let Some(Reverse((rank, at))) = whole.heap.pop() {
        if whole.ranks[at] == rank {
            whole.merge_at(at);
        }
    }
    let ends = std::iter::successors(Some(0), |at| whole.links.get(*at).map(|(_, after)| *after));
    ends.skip(1).collect()
}

impl Whole<'_> {
    /// Merges a part with the next one.
    fn merge_at(&mut self, at: usize) {
        let (before, next) = self.links[at];
        let (_, after) = self.links[next];
        self.ranks[next] = NONE;
        self.links[at].1 = after;
        if let Some(link) = self.links.get_mut(after) {
            link.0 = at;
        }
        self.look_up(at);
        if at > 0 {
            self.look_up(before);
        }
    }

    /// Looks up the rank of a part with the next one.
    fn look_up(&mut self, at: usize) {
        let (_, next) = self.links[at];
        let pair = self.links.get(next).map(|(_, after)| &self.piece[at..*after]);
        let rank = pair.and_then(|pair| self.tables.rank(pair));
        self.ranks[at] = rank.unwrap_or(NONE);
        self.heap.extend(rank.map(|rank| Reverse((rank, at))));
    }
}
