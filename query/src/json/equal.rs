//! JSON texts that say the same.

/// True for two JSON texts of the same tokens, however they are spaced and escaped.
pub fn is_same(a: &str, b: &str) -> bool {
    essence(a).eq(essence(b))
}

/// Marks a unit that was written with a backslash, and so does not end a string.
const ESCAPED: u32 = 1 << 16;

/// What a JSON text says, in UTF-16 units: without space between its tokens, and escapes as what they stand for.
fn essence(text: &str) -> impl Iterator<Item = u32> {
    let mut units = text.encode_utf16().map(u32::from);
    let mut in_string = false;
    std::iter::from_fn(move || {
        loop {
            let unit = units.next()?;
            match u8::try_from(unit) {
                Ok(b'"') => in_string = !in_string,
                Ok(b'\\') if in_string => return Some(escaped(&mut units)),
                Ok(b' ' | b'\t' | b'\n' | b'\r') if !in_string => continue,
                _ => {}
            }
            return Some(unit);
        }
    })
}

/// The unit that an escape stands for. Only what could end a string or an escape needs its mark.
fn escaped(units: &mut impl Iterator<Item = u32>) -> u32 {
    let unit = units.next().unwrap_or_default();
    match u8::try_from(unit) {
        Ok(b'b') => 8,
        Ok(b't') => 9,
        Ok(b'n') => 10,
        Ok(b'f') => 12,
        Ok(b'r') => 13,
        Ok(b'u') => {
            let digit = |unit| char::from_u32(unit).and_then(|digit| digit.to_digit(16)).unwrap_or_default();
            let unit = units.take(4).fold(0, |unit, next| unit * 16 + digit(next));
            if unit == u32::from(b'"') || unit == u32::from(b'\\') { unit | ESCAPED } else { unit }
        }
        Ok(b'/') => unit,
        _ => unit | ESCAPED,
    }
}
