//! Standard output and standard error. A closed standard output ends the command quietly; a closed standard error is
//! ignored.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::failure::Failure;
use crate::patient::Patient;
use crate::{progress, remarks};

/// Writes all bytes and flushes them.
pub(super) fn write(bytes: &[u8]) -> Result<(), Failure> {
    progress::hide(true);
    let mut out = Patient::new(io::stdout().lock());
    out.write_all(bytes).and_then(|()| out.flush()).map_err(failure)
}

/// Writes a line.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    progress::hide(true);
    let mut out = Patient::new(io::stdout().lock());
    writeln!(out, "{text}").and_then(|()| out.flush()).map_err(failure)
}

/// Writes text with colours and weights, as far as standard output is a terminal that wants them.
pub(super) fn styled(text: &clap::builder::StyledStr) -> Result<(), Failure> {
    let mut out = anstream::AutoStream::auto(io::stdout().lock());
    write!(out, "{}", text.ansi()).and_then(|()| out.flush()).map_err(failure)
}

/// Writes a line on standard error, as ours. What it quotes cannot end the line or reach the terminal.
pub(super) fn remark(text: &str) {
    remarks::write(format!("lro: {}\n", printable(text)));
}

/// Says that a server of ours can no longer answer, unless its client has gone.
pub(super) fn cannot_write(error: &io::Error) {
    if error.kind() != io::ErrorKind::BrokenPipe {
        remark(&format!("cannot write to standard output: {error}"));
    }
}

/// Returns the text with control characters and invisible characters as `\u{…}`, because our lines contain names and
/// messages from elsewhere.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_hidden(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Control characters, and those that change how others are shown: direction marks, separators, tags. Joiners stay,
/// because scripts and emoji need them.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

fn failure(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::file("write to standard output", error),
    }
}

/// A number with its noun: `1 file`, `2 files`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn hidden_characters_are_shown() {
        let rows = [
            ("plain, é 😀 👨\u{200d}👩", "plain, é 😀 👨\u{200d}👩"),
            ("a\nlro: forged\r\t", r"a\u{a}lro: forged\u{d}\u{9}"),
            ("\u{1b}[2J\u{7f}\u{9b}", r"\u{1b}[2J\u{7f}\u{9b}"),
            ("\u{202e}x\u{2066}\u{2028}\u{feff}\u{e0041}", r"\u{202e}x\u{2066}\u{2028}\u{feff}\u{e0041}"),
        ];
        for (text, expected) in rows {
            assert_eq!(printable(text), expected);
        }
    }
}
