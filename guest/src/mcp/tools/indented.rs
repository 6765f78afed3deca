//! JSON as jq prints it without `-c`.

/// Writes a JSON text on several lines, two blanks a level. Numbers and strings keep their text.
pub(super) fn indented(json: &str) -> String {
    let (mut out, mut level) = (String::with_capacity(json.len() * 2), 0);
    let (mut is_string, mut is_escaped) = (false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if is_string {
            out.push(character);
            is_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' => {
                out.push(character);
                while characters.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                if let Some(end) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    level += 1;
                    new_line(&mut out, level);
                }
            }
            '}' | ']' => {
                level -= 1;
                new_line(&mut out, level);
                out.push(character);
            }
            ',' => {
                out.push(',');
                new_line(&mut out, level);
            }
            ':' => out.push_str(": "),
            _ if character.is_ascii_whitespace() => {}
            _ => {
                is_string = character == '"';
                out.push(character);
            }
        }
    }
    out
}

fn new_line(out: &mut String, level: usize) {
    out.push('\n');
    (0..level).for_each(|_| out.push_str("  "));
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn json_is_written_as_jq_writes_it() {
        let rows = [
            (
                r#"{"a":[1,{}],"b":"x: \"{,\\","c":[ ]}"#,
                "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x: \\\"{,\\\\\",\n  \"c\": []\n}",
            ),
            ("[1.0,2]", "[\n  1.0,\n  2\n]"),
            ("\"a\"", "\"a\""),
            ("null", "null"),
        ];
        for (json, expected) in rows {
            assert_eq!(indented(json), expected);
        }
    }
}
