//! Characters that cannot be seen.

use std::fmt::Write;

/// JSON text in which every character that cannot be seen is escaped. The values stay equal.
pub fn escape_hidden(json: String) -> String {
    // Most text is nothing but these.
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte);
    let is_hidden = |c: char| !u8::try_from(c).is_ok_and(is_plain) && (c.is_control() || is_invisible(c));
    let Some(odd) = json.bytes().position(|byte| !is_plain(byte)) else { return json };
    let Some(first) = json[odd..].find(is_hidden).map(|at| odd + at) else { return json };
    let mut text = String::with_capacity(json.len() + json.len() / 2);
    text.push_str(&json[..first]);
    for character in json[first..].chars() {
        match character {
            // Strings have these escaped already: here they are space between tokens.
            '\t' | '\n' | '\r' => text.push(' '),
            hidden if is_hidden(hidden) => {
                for unit in hidden.encode_utf16(&mut [0; 2]) {
                    write!(text, "\\u{unit:04x}").expect("a string takes any text");
                }
            }
            visible => text.push(visible),
        }
    }
    text
}

/// Characters that leave no mark, or move others: those that format (Unicode's category Cf), those that may be ignored
/// (Default_Ignorable_Code_Point), and the two separators of lines and paragraphs.
fn is_invisible(character: char) -> bool {
    matches!(
        u32::from(character),
        0xAD | 0x34F
            | 0x600..=0x605
            | 0x61C
            | 0x6DD
            | 0x70F
            | 0x890..=0x891
            | 0x8E2
            | 0x115F..=0x1160
            | 0x17B4..=0x17B5
            | 0x180B..=0x180F
            | 0x200B..=0x200F
            | 0x2028..=0x202E
            | 0x2060..=0x206F
            | 0x3164
            | 0xFE00..=0xFE0F
            | 0xFEFF
            | 0xFFA0
            | 0xFFF0..=0xFFFB
            | 0x110BD
            | 0x110CD
            | 0x13430..=0x1343F
            | 0x1BCA0..=0x1BCA3
            | 0x1D173..=0x1D17A
            | 0xE0000..=0xE0FFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_stays_equal() {
        let text = "a\u{7f}\u{85}\u{ad}\u{200d}\u{202e}\u{2066}\u{feff}\u{e0049}\u{e0100}é😀日";
        let json = format!("{{\"a\":\t{}}}", serde_json::Value::from(text));
        let shown = escape_hidden(json.clone());
        assert_eq!(shown, r#"{"a": "a\u007f\u0085\u00ad\u200d\u202e\u2066\ufeff\udb40\udc49\udb40\udd00é😀日"}"#);
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&shown), read(&json));
    }
}
