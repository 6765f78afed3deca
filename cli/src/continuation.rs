//! The command that was typed, as a hint repeats it: with a continuation, or with standard input for its file.

/// The command line of this process, for a shell, with `--next TOKEN` in place of an earlier one.
pub(super) fn command(token: &str) -> String {
    continued(&typed(), token)
}

fn continued(typed: &[String], token: &str) -> String {
    let mut words = vec!["lro".to_owned()];
    let mut typed = typed.iter();
    while let Some(word) = typed.next() {
        if word == "--next" {
            typed.next();
        } else if !word.starts_with("--next=") {
            words.push(quoted(word));
        }
    }
    words.push(format!("--next {}", quoted(token)));
    words.join(" ")
}

/// The words that were typed after the program.
pub(super) fn typed() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The command line of these words, for a shell, with standard input in place of the file.
pub(super) fn piped(typed: &[String], file: Option<&str>) -> String {
    let place = typed.iter().rposition(|word| Some(word.as_str()) == file);
    let word = |(number, word)| if Some(number) == place { "-".to_owned() } else { quoted(word) };
    let words = typed.iter().map(String::as_str).enumerate().map(word);
    [String::from("lro")].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// A word as a POSIX shell reads it: bare where that is safe.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_./:@%+=,-".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::continued;

    #[test]
    fn the_typed_command_goes_on() {
        let cases: [(&[&str], &str); 4] = [
            (&["extract", "a.jsonl", "--recipe", "6"], "lro extract a.jsonl --recipe 6 --next t"),
            (&["extract", "a b", "--query", ".x | 'y'"], r"lro extract 'a b' --query '.x | '\''y'\''' --next t"),
            (&["extract", "a", "--next", "s", "--limit", "1"], "lro extract a --limit 1 --next t"),
            (&["extract", "a", "--next=s", "--raw"], "lro extract a --raw --next t"),
        ];
        for (typed, expected) in cases {
            let typed: Vec<String> = typed.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(continued(&typed, "t"), expected);
        }
    }
}
