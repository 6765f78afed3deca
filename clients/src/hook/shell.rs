//! The commands in a line of a shell, as far as they are told apart without running it.

use std::iter::Peekable;
use std::str::Chars;

/// One command of a line.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Command {
    /// Its program and arguments without quotes, and without redirections.
    pub(super) words: Vec<String>,
    /// Its output goes to a file.
    pub(super) is_redirected: bool,
    /// It reads what the command before it prints.
    pub(super) is_piped: bool,
}

/// The commands of a line. `None` for groups, and for quotes and substitutions that are not understood.
pub(super) fn commands(line: &str) -> Option<Vec<Command>> {
    let mut reader =
        Reader { rest: line.chars().peekable(), documents: Vec::new(), commands: vec![Command::default()] };
    reader.read()?;
    reader.commands.retain(|command| !command.words.is_empty() || command.is_redirected);
    Some(reader.commands)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    /// The ends of the here-documents that begin after this line, with whether tabs may stand before them.
    documents: Vec<(String, bool)>,
    commands: Vec<Command>,
}

impl Reader<'_> {
    fn read(&mut self) -> Option<()> {
        while let Some(&next) = self.rest.peek() {
            match next {
                ' ' | '\t' | '\r' => _ = self.rest.next(),
                '#' => while self.rest.next_if(|next| *next != '\n').is_some() {},
                '\n' => {
                    self.rest.next();
                    self.skip_documents();
                    self.begin(false);
                }
                ';' => {
                    self.rest.next();
                    self.begin(false);
                }
                '|' => {
                    self.rest.next();
                    let is_or = self.rest.next_if_eq(&'|').is_some();
                    self.rest.next_if_eq(&'&');
                    self.begin(!is_or);
                }
                '&' => {
                    self.rest.next();
                    if self.rest.peek() == Some(&'>') {
                        self.redirection("")?;
                    } else {
                        self.rest.next_if_eq(&'&');
                        self.begin(false);
                    }
                }
                '<' | '>' => self.redirection("")?,
                _ => {
                    let (word, is_quoted) = self.word()?;
                    if word.is_empty() && !is_quoted {
                        // A line that goes on.
                        continue;
                    }
                    let is_descriptor = !is_quoted && word.chars().all(|character| character.is_ascii_digit());
                    match self.rest.peek() {
                        Some('<' | '>') if is_descriptor => self.redirection(&word)?,
                        _ => self.command().words.push(word),
                    }
                }
            }
        }
        Some(())
    }

    fn begin(&mut self, is_piped: bool) {
        self.commands.push(Command { is_piped, ..Command::default() });
    }

    fn command(&mut self) -> &mut Command {
        self.commands.last_mut().expect("there is one from the beginning on")
    }

    /// Reads a redirection of this descriptor, with its target.
    fn redirection(&mut self, descriptor: &str) -> Option<()> {
        let mut operator = String::new();
        while let Some(next) = self.rest.next_if(|next| matches!(next, '<' | '>' | '&' | '|')) {
            operator.push(next);
        }
        let may_be_indented = operator == "<<" && self.rest.next_if_eq(&'-').is_some();
        while self.rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        let (target, _) = self.word()?;
        match operator.as_str() {
            "<<" => self.documents.push((target, may_be_indented)),
            // Of the two outputs, errors are not what is read.
            ">" | ">>" | ">|" if !matches!(descriptor, "" | "1") => {}
            ">" | ">>" | ">|" => self.command().is_redirected = true,
            _ => {}
        }
        Some(())
    }

    /// Reads a word, and says whether a part of it is in quotes.
    fn word(&mut self) -> Option<(String, bool)> {
        let (mut word, mut is_quoted) = (String::new(), false);
        while let Some(next) =
            self.rest.next_if(|next| !matches!(next, ' ' | '\t' | '\r' | '\n' | ';' | '|' | '&' | '<' | '>'))
        {
            match next {
                '\'' => {
                    is_quoted = true;
                    word.extend(self.rest.by_ref().take_while(|next| *next != '\''));
                }
                '"' => {
                    is_quoted = true;
                    self.in_double_quotes(&mut word)?;
                }
                '\\' => word.extend(self.rest.next().filter(|next| *next != '\n')),
                '$' if self.rest.next_if_eq(&'(').is_some() => self.substitution(&mut word)?,
                '(' | ')' | '`' => return None,
                _ => word.push(next),
            }
        }
        Some((word, is_quoted))
    }

    fn in_double_quotes(&mut self, word: &mut String) -> Option<()> {
        loop {
            match self.rest.next() {
                Some('"') | None => return Some(()),
                Some('\\') => word.extend(self.rest.next()),
                Some('`') => return None,
                Some('$') if self.rest.next_if_eq(&'(').is_some() => self.substitution(word)?,
                Some(next) => word.push(next),
            }
        }
    }

    /// Reads what another command prints as `$()`: what that is nobody knows.
    fn substitution(&mut self, word: &mut String) -> Option<()> {
        let mut depth = 1_u32;
        while depth > 0 {
            match self.rest.next()? {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
        }
        word.push_str("$()");
        Some(())
    }

    /// Skips the here-documents that begin on this line.
    fn skip_documents(&mut self) {
        for (end, may_be_indented) in std::mem::take(&mut self.documents) {
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|next| *next != '\n').collect();
                let line = if may_be_indented { line.trim_start_matches('\t') } else { &line };
                if line == end {
                    break;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands as `words`, with `| ` before what is piped and ` >` after what is redirected.
    fn shown(line: &str) -> Option<Vec<String>> {
        let shown = |command: &Command| {
            let (before, after) =
                (if command.is_piped { "| " } else { "" }, if command.is_redirected { " >" } else { "" });
            format!("{before}{}{after}", command.words.join(" "))
        };
        commands(line).map(|commands| commands.iter().map(shown).collect())
    }

    #[test]
    fn commands_are_told_apart() {
        let rows: [(&str, Option<&[&str]>); 17] = [
            ("a; b && c || d & e\nf", Some(&["a", "b", "c", "d", "e", "f"])),
            ("a 'b; c' \"d | e\" f\\;g", Some(&["a b; c d | e f;g"])),
            ("a | b |& c", Some(&["a", "| b", "| c"])),
            ("a x 2>/dev/null 2>&1 < y", Some(&["a x"])),
            ("a > x; b >> x; c &> x; d 1>x; e >| x", Some(&["a >", "b >", "c >", "d >", "e >"])),
            ("a 3 > x", Some(&["a 3 >"])),
            ("cat > x <<'EOF'\nb; c\nEOF\nd", Some(&["cat >", "d"])),
            ("cat <<-E >x && d\n\tb\n\tE\ne", Some(&["cat >", "d", "e"])),
            ("cat <<< 'a b'; c", Some(&["cat", "c"])),
            ("a \\\n b # c; d\ne", Some(&["a b", "e"])),
            ("a \"b", Some(&["a b"])),
            ("a $(b $(c); d)/e \"$(f)\"", Some(&["a $()/e $()"])),
            ("a $(b", None),
            ("a \"`b`\"", None),
            ("(a; b)", None),
            ("a <(b)", None),
            ("", Some(&[])),
        ];
        for (line, expected) in rows {
            let expected = expected.map(|words| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
            assert_eq!(shown(line), expected, "{line}");
        }
    }
}
