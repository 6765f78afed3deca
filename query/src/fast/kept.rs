//! Texts that are kept for later, in blocks: a list that grows by moving would need twice the memory while it moves.

/// The bytes of a block. A text that is longer has a block of its own.
const BLOCK_BITS: u32 = 20;
const BLOCK_BYTES: usize = 1 << BLOCK_BITS;

/// Texts by their places.
#[derive(Debug, Default)]
pub(super) struct Kept {
    blocks: Vec<Vec<u8>>,
}

impl Kept {
    /// Keeps a text. Returns its place; `None` where there are no more places.
    pub(super) fn keep(&mut self, text: &[u8]) -> Option<u32> {
        if text.is_empty() {
            return Some(0);
        }
        let has_room = |block: &Vec<u8>| block.len() + text.len() <= BLOCK_BYTES;
        if !self.blocks.last().is_some_and(has_room) {
            self.blocks.push(Vec::with_capacity(text.len().max(BLOCK_BYTES)));
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let place = number << BLOCK_BITS | block.len();
        block.extend_from_slice(text);
        u32::try_from(place).ok()
    }

    /// The text at a place that has so many bytes.
    pub(super) fn text(&self, place: u32, bytes: usize) -> &[u8] {
        if bytes == 0 {
            return &[];
        }
        let start = place as usize % BLOCK_BYTES;
        &self.blocks[(place >> BLOCK_BITS) as usize][start..start + bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_all_lengths_are_found_again() {
        let lengths = [0, 1, 100, BLOCK_BYTES - 101, 1, BLOCK_BYTES, 0, BLOCK_BYTES + 1, 3 * BLOCK_BYTES, 7];
        let mut kept = Kept::default();
        let texts: Vec<Vec<u8>> = (b'a'..).zip(lengths).map(|(letter, length)| vec![letter; length]).collect();
        let places: Vec<u32> = texts.iter().map(|text| kept.keep(text).unwrap()).collect();
        for (text, place) in texts.iter().zip(places) {
            assert!(kept.text(place, text.len()) == text, "{} bytes", text.len());
        }
        assert!(kept.blocks.iter().all(|block| block.capacity() < 4 * BLOCK_BYTES));
    }
}
