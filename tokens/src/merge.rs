//! Byte-pair encoding of one piece: of two neighbours, those that make the token of the lowest rank become one, the
//! leftmost first, until no two make a token.

use crate::lowest::{Lowest, NONE};
use crate::tables::{Merged, Tables};
use crate::whole;

/// Longer pieces are encoded by windows of this many bytes, so that memory stays small and near.
const WINDOW: usize = 1 << PLACE_BITS;

/// A rank and a place are one number: the lowest of them is the lowest rank, and its leftmost place.
const PLACE_BITS: u32 = 12;

/// Encodes pieces, one after the other, and keeps its memory between them.
#[derive(Default)]
pub(crate) struct Merger {
    /// Where parts begin, and where the last one ends: first those that merging starts with, in the end tokens.
    starts: Vec<u16>,
    /// The rank of each part with the next one.
    ranks: Lowest,
    /// The part before each part and after it.
    links: Vec<(u16, u16)>,
    /// Merges, for tests of how work grows. Each looks at a bounded number of numbers.
    pub(crate) steps: u64,
}

impl Merger {
    /// Encodes a piece and passes on the ends of its tokens. Returns how many there are.
    pub(crate) fn encode(&mut self, tables: &Tables, piece: &[u8], mut token_ends: impl FnMut(usize)) -> usize {
        if piece.len() <= WINDOW {
            self.merge(tables, piece);
            self.starts[1..].iter().for_each(|end| token_ends(usize::from(*end)));
            return self.starts.len() - 1;
        }
        let ends = self.encode_windows(tables, piece).unwrap_or_else(|| whole::merge(tables, piece));
        ends.iter().for_each(|end| token_ends(*end));
        ends.len()
    }

    /// Returns the ends of the tokens of a long piece, from windows that begin where a token of the one before ends. Returns
    /// nothing if they do not meet.
    ///
    /// Tokens are the encoding of their bytes if each two neighbours are: a merge across the border of two would happen in
    /// the two alone as well. So it is enough to look at the two tokens where windows meet.
    fn encode_windows(&mut self, tables: &Tables, piece: &[u8]) -> Option<Vec<usize>> {
        let (mut start, mut ends) = (0, Vec::new());
        loop {
            let window = &piece[start..piece.len().min(start + WINDOW)];
            self.merge(tables, window);
            let is_last = start + window.len() == piece.len();
            // What follows a window may change its last tokens.
            let stable = if is_last { window.len() } else { window.len() - 2 * tables.longest() };
            let first = start + usize::from(self.starts[1]);
            let before = ends.len();
            let stable = self.starts[1..].iter().map(|end| usize::from(*end)).take_while(|end| *end <= stable);
            ends.extend(stable.map(|end| start + end));
            if before > 0 {
                let left = if before > 1 { ends[before - 2] } else { 0 };
                self.merge(tables, &piece[left..first]);
                if self.starts != [0, (start - left) as u16, (first - left) as u16] {
                    return None;
                }
            }
            if is_last {
                return Some(ends);
            }
            start = *ends.last()?;
        }
    }

    /// Leaves the starts of tokens in `starts`.
    fn merge(&mut self, tables: &Tables, piece: &[u8]) {
        self.begin(tables, piece);
        let last = self.starts.len() - 1;
        loop {
            let lowest = self.ranks.get();
            if lowest == NONE {
                break;
            }
            self.steps += 1;
            let at = lowest as usize & (WINDOW - 1);
            let (before, next) = self.links[at];
            let after = self.links[usize::from(next)].1;
            self.links[at].1 = after;
            let mut rank = NONE;
            if usize::from(after) < last {
                self.links[usize::from(after)].0 = at as u16;
                rank = self.rank(tables, piece, at, after, self.links[usize::from(after)].1);
            }
            self.ranks.set(at, rank);
            self.ranks.set(usize::from(next), NONE);
            if at > 0 {
                let rank = self.rank(tables, piece, usize::from(before), at as u16, after);
                self.ranks.set(usize::from(before), rank);
            }
        }
        let (mut kept, mut at) = (0, 0);
        while at < last {
            self.starts[kept] = self.starts[at];
            kept += 1;
            at = usize::from(self.links[at].1);
        }
        self.starts[kept] = piece.len() as u16;
        self.starts.truncate(kept + 1);
    }

    /// The rank of the parts from `at` to `next` and from there to `end`, with the place.
    #[inline]
    fn rank(&self, tables: &Tables, piece: &[u8], at: usize, next: u16, end: u16) -> i32 {
        let start = |part: u16| usize::from(self.starts[usize::from(part)]);
        let (first, next, end) = (start(at as u16), start(next), start(end));
        let rank = tables.rank_of_halves(&piece[first..end], next - first);
        rank.map_or(NONE, |rank| (rank << PLACE_BITS) as i32 | at as i32)
    }

    /// Starts with bytes, and with what bytes of a character are merged to before anything else.
    fn begin(&mut self, tables: &Tables, piece: &[u8]) {
        self.starts.clear();
        let mut at = 0;
        while at < piece.len() {
            self.starts.push(at as u16);
            let (merged, length) = first_merges(tables, piece, at);
            match merged {
                Merged::Nothing => self.starts.extend((1..length).map(|byte| (at + byte) as u16)),
                Merged::Head => self.starts.push((at + 2) as u16),
                Merged::Tail => self.starts.push((at + 1) as u16),
                Merged::All => (),
            }
            at += length;
        }
        self.starts.push(piece.len() as u16);
        let last = self.starts.len() - 1;
        self.links.clear();
        self.links.extend((0..last as u16).map(|part| (part.wrapping_sub(1), part + 1)));
        let mut ranks = std::mem::take(&mut self.ranks);
        let pairs = (0..last - 1).map(|part| self.rank(tables, piece, part, part as u16 + 1, part as u16 + 2));
        ranks.start(pairs.chain([NONE]));
        self.ranks = ranks;
    }
}

/// In a part of a text: how far the bytes at a place are merged before anything else, and how many they are.
fn first_merges(tables: &Tables, piece: &[u8], at: usize) -> (Merged, usize) {
    let length = match piece[at] {
        0xC2..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => return (Merged::Nothing, 1),
    };
    let Some(bytes) = piece.get(at..at + length) else { return (Merged::Nothing, 1) };
    let is_between = (at == 0 || piece[at - 1] >= 0x80) && piece.get(at + length).is_none_or(|byte| *byte >= 0x80);
    if !is_between {
        return (Merged::Nothing, length);
    }
    let low = |byte: u8| usize::from(byte & 0x3F);
    let code = match bytes {
        [first, second] => usize::from(first & 0x1F) << 6 | low(*second),
        _ => usize::from(bytes[0] & 0x0F) << 12 | low(bytes[1]) << 6 | low(bytes[2]),
    };
    (tables.merged(code), length)
}

#[cfg(test)]
mod tests {
    use super::{Merger, WINDOW};
    use crate::tables::Tables;
    use crate::whole;

    /// Pieces that are hard in one way or another, of about this many bytes.
    fn hostile(bytes: usize) -> Vec<Vec<u8>> {
        let mut number = 1u32;
        let mut byte = |most: u32| {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((number >> 8) % most) as u8
        };
        vec![
            b"a".repeat(bytes),
            b" ".repeat(bytes),
            b"ab".repeat(bytes / 2),
            "漢字".as_bytes().repeat(bytes / 6),
            "ा".as_bytes().repeat(bytes / 3),
            "\u{fffd}".as_bytes().repeat(bytes / 3),
            (0..bytes).map(|_| b'a' + byte(26)).collect(),
            (0..bytes).map(|_| b'a' + byte(2)).collect(),
            String::from_utf8_lossy(&(0..bytes / 2).map(|_| byte(255)).collect::<Vec<u8>>()).into_owned().into_bytes(),
        ]
    }

    #[test]
    fn windows_meet_and_say_what_the_whole_says() {
        for piece in hostile(5 * WINDOW + 7) {
            for tables in [&Tables::o200k_base(), &Tables::cl100k_base()] {
                let found = Merger::default().encode_windows(tables, &piece);
                assert!(found.is_some_and(|ends| ends == whole::merge(tables, &piece)), "{:?}", &piece[..20]);
            }
        }
    }

    #[test]
    fn work_grows_as_the_piece_does() {
        let steps = |piece: &[u8]| {
            let mut merger = Merger::default();
            merger.encode(&Tables::o200k_base(), piece, |_| ());
            merger.steps
        };
        for piece in hostile(1 << 20) {
            // A window begins at most two long tokens before the end of the last one, and each merge removes a part.
            let most = piece.len() as u64 * 9 / 8 + 256;
            assert!(steps(&piece) <= most, "{} steps: {:?}", steps(&piece), &piece[..20]);
        }
    }
}
