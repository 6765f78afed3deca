//! The file of `--settings-file`, looked at before the component reads it: the component gets its text only, so it can name
//! neither the file nor a line.

use std::fs;
use std::path::Path;

use lro::{Case, Error, Problem};
use lro_clients::setup::document::{Document, Format, Invalid};

/// The longest part of a line that a message quotes.
const MOST_QUOTED: usize = 60;

/// Checks that a file is TOML with a table for us. One that cannot be read is left to who reads it.
///
/// # Errors
/// `invalid-argument`, with the file, the line and the reason.
pub(crate) fn check(file: &Path) -> Result<(), Error> {
    let Ok(text) = fs::read_to_string(file) else { return Ok(()) };
    let settings = Document::parse(&text, Format::Toml).and_then(|document| document.value());
    let problem = match settings {
        Ok(settings) if settings.pointer("/prompt/offload").is_some() => return Ok(()),
        Ok(_) => Problem {
            message: format!("cannot read settings from `{}`: it has no table `[prompt.offload]`", file.display()),
            hint: "write the keys below a line `[prompt.offload]`".to_owned(),
        },
        Err(invalid) => Problem {
            message: format!("cannot read settings from `{}`: {}", file.display(), reason(&invalid, &text)),
            hint: "write it as TOML with a table `[prompt.offload]`".to_owned(),
        },
    };
    Err(Case::InvalidArgument(problem).into())
}

fn reason(invalid: &Invalid, text: &str) -> String {
    let quoted = invalid.line.and_then(|line| Some((line, text.lines().nth(line.checked_sub(1)?)?.trim())));
    match quoted {
        Some((line, quoted)) => {
            let quoted: String = quoted.chars().take(MOST_QUOTED).collect();
            format!("line {line}, `{quoted}`: {}", invalid.reason)
        }
        None => invalid.reason.clone(),
    }
}
