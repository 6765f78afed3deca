//! Splits a command as a shell does, without anything that a shell would expand.

/// The words of a command. Quotes and backslashes are those of `sh`.
pub(super) fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = command.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => {
                let quoted = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        Some('\'') => break,
                        Some(character) => quoted.push(character),
                        None => return Err("a quote ' has no end".to_owned()),
                    }
                }
            }
            '"' => double(&mut characters, word.get_or_insert_default())?,
            '\\' => match characters.next() {
                Some(character) => word.get_or_insert_default().push(character),
                None => return Err("a backslash stands at the end".to_owned()),
            },
            space if space.is_whitespace() => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    if words.is_empty() { Err("it is empty".to_owned()) } else { Ok(words) }
}

/// Within double quotes a backslash escapes few characters.
fn double(characters: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    loop {
        match characters.next() {
            Some('"') => return Ok(()),
            Some('\\') => match characters.next() {
                Some(escaped @ ('"' | '\\' | '$' | '`')) => word.push(escaped),
                Some(other) => word.extend(['\\', other]),
                None => return Err("a backslash stands at the end".to_owned()),
            },
            Some(character) => word.push(character),
            None => return Err("a quote \" has no end".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn commands_are_split_like_a_shell_does() {
        let rows: [(&str, &[&str]); 6] = [
            ("npx -y  server\t~/x", &["npx", "-y", "server", "~/x"]),
            (r#"'a b' "c \"d\" \n" e\ f"#, &["a b", r#"c "d" \n"#, "e f"]),
            (r#"a'b'"c"d '' "" "#, &["abcd", "", ""]),
            (r"C:\\bin\\x.exe", &[r"C:\bin\x.exe"]),
            ("$HOME `x` a;b|c", &["$HOME", "`x`", "a;b|c"]),
            ("é ü", &["é", "ü"]),
        ];
        for (command, words) in rows {
            assert_eq!(split(command).unwrap(), words, "{command}");
        }
        for bad in ["", "  ", "a 'b", "a \"b", "a\\", "\"a\\"] {
            assert!(split(bad).is_err(), "{bad}");
        }
    }
}
