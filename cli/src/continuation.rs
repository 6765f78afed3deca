//! The command that continues where a cut page ended: the command that was typed, with the continuation.

/// The command line of this process, for a shell, with `--next TOKEN` in place of an earlier one.
pub(super) fn command(token: &str) -> String {
    let typed: Vec<String> = std::env::args().skip(1).collect();
    continued(&typed, token)
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
