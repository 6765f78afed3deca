//! Cuts the vocabularies out of the guest's module, for the component of those who do not count with them.
//!
//! They are one static of the crate `lro-tokens`, between two marks. What is cut out is the text of a data segment: the
//! memory there is zero then, which the guest notices. Nothing else changes, so the guest is compiled only once.

/// The marks, as `tokens/build.rs` writes them.
const BEGIN: &[u8] = b"<lro-tokens: the vocabularies>\r\n";
const END: &[u8] = b"</lro-tokens: the vocabularies>\n";

/// Numbers of sections.
const DATA: u8 = 11;
const DATA_COUNT: u8 = 12;

/// Why nothing could be cut out.
pub(crate) type Reason = &'static str;

/// The module without the vocabularies.
pub(crate) fn without_vocabularies(module: &[u8]) -> Result<Vec<u8>, Reason> {
    let (header, mut rest) = module.split_at_checked(8).ok_or("it is not a module")?;
    let (mut cut, mut is_found) = (header.to_vec(), false);
    while let Some((id, after)) = rest.split_first() {
        rest = after;
        let length = unsigned(&mut rest)?;
        let section = take(&mut rest, length)?;
        let section = match *id {
            DATA => {
                is_found = true;
                split_data(section)?
            }
            // The segment becomes two.
            DATA_COUNT => leb(unsigned(&mut { section })? as u64 + 1),
            _ => section.to_vec(),
        };
        cut.push(*id);
        cut.extend(leb(section.len() as u64));
        cut.extend(section);
    }
    if is_found { Ok(cut) } else { Err("it has no data") }
}

/// The section of data with the segment split that has the vocabularies.
fn split_data(mut section: &[u8]) -> Result<Vec<u8>, Reason> {
    let count = unsigned(&mut section)?;
    let (mut segments, mut splits) = (Vec::new(), 0);
    for _ in 0..count {
        // What a segment of the one memory begins with: its kind, and `i32.const` with its address.
        let [0, 0x41, ..] = section else { return Err("a segment of its data has no constant address") };
        section = &section[2..];
        let address = signed(&mut section)?;
        let Some((0x0B, after)) = section.split_first() else { return Err("an address is not a constant") };
        section = after;
        let length = unsigned(&mut section)?;
        let text = take(&mut section, length)?;
        match (place(text, BEGIN), place(text, END)) {
            (Some(begin), Some(end)) if begin < end => {
                let end = end + END.len();
                segment(&mut segments, address, &text[..begin]);
                segment(&mut segments, address + end as i64, &text[end..]);
                splits += 1;
            }
            _ => segment(&mut segments, address, text),
        }
    }
    if splits == 1 {
        Ok([leb(count as u64 + 1), segments].concat())
    } else {
        Err("the vocabularies are not in it once")
    }
}

fn segment(segments: &mut Vec<u8>, address: i64, text: &[u8]) {
    segments.extend([0, 0x41]);
    segments.extend(signed_leb(address));
    segments.push(0x0B);
    segments.extend(leb(text.len() as u64));
    segments.extend(text);
}

fn place(text: &[u8], mark: &[u8]) -> Option<usize> {
    text.windows(mark.len()).position(|window| window == mark)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Result<&'a [u8], Reason> {
    let (taken, after) = rest.split_at_checked(length).ok_or("it ends too early")?;
    *rest = after;
    Ok(taken)
}

/// Reads a LEB128 number without a sign.
fn unsigned(rest: &mut &[u8]) -> Result<usize, Reason> {
    let (value, _) = bits(rest)?;
    usize::try_from(value).map_err(|_| "a number is too large")
}

/// Reads a LEB128 number of 32 bits with a sign.
fn signed(rest: &mut &[u8]) -> Result<i64, Reason> {
    let (value, width) = bits(rest)?;
    let is_negative = value >> (width - 1) & 1 == 1;
    Ok(if is_negative { value as i64 - (1 << width) } else { value as i64 })
}

/// The bits of a LEB128 number, and how many they are.
fn bits(rest: &mut &[u8]) -> Result<(u64, u32), Reason> {
    let (mut value, mut width) = (0, 0);
    loop {
        let byte = take(rest, 1)?[0];
        value |= u64::from(byte & 0x7F) << width;
        width += 7;
        match byte {
            0x80.. if width > 35 => return Err("a number is too long"),
            0x80.. => {}
            _ => return Ok((value, width)),
        }
    }
}

fn leb(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn signed_leb(mut value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while !(-0x40..0x40).contains(&value) {
        bytes.push(value as u8 & 0x7F | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8 & 0x7F);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with a count of segments and two of them, of which the second has these bytes at 100.
    fn module(text: &[u8]) -> Vec<u8> {
        let mut data = leb(2);
        segment(&mut data, 7, b"before");
        segment(&mut data, 100, text);
        let sections = [(DATA_COUNT, leb(2)), (DATA, data)];
        let written = sections.iter().flat_map(|(id, section)| [vec![*id], leb(section.len() as u64), section.clone()]);
        [b"\0asm\x01\0\0\0".to_vec(), written.flatten().collect()].concat()
    }

    #[test]
    fn what_is_between_the_marks_is_cut_out() {
        let cut = without_vocabularies(&module(&[b"left", BEGIN, b"words", END, b"right"].concat())).unwrap();
        let mut data = leb(3);
        segment(&mut data, 7, b"before");
        segment(&mut data, 100, b"left");
        segment(&mut data, 100 + 4 + 32 + 5 + 32, b"right");
        assert!(cut.ends_with(&data));
        assert_eq!(cut[8..11], [DATA_COUNT, 1, 3]);
    }

    #[test]
    fn a_module_without_vocabularies_is_told() {
        assert_eq!(without_vocabularies(&module(b"none")), Err("the vocabularies are not in it once"));
        assert_eq!(without_vocabularies(b"\0asm\x01\0\0\0"), Err("it has no data"));
        assert_eq!(without_vocabularies(b"\0asm"), Err("it is not a module"));
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for value in [0, 1, 63, 64, 127, 128, 8191, 8192, 1 << 20, i64::from(i32::MAX)] {
            assert_eq!(unsigned(&mut leb(value as u64).as_slice()), Ok(value as usize));
            for value in [value, -value] {
                assert_eq!(signed(&mut signed_leb(value).as_slice()), Ok(value));
            }
        }
    }
}
