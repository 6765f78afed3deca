//! `lro read`: prints a range of lines or characters of an offloaded file.

use clap::Args;
use lro::{Encoding, ReadRequest};

use crate::failure::Failure;
use crate::flags::with_flags;
use crate::global::{Global, open};
use crate::output;
use crate::source::SourceFlags;

const EXAMPLES: &str = "\
Examples:
  lro read FILE --lines 120-180
  lro read FILE --lines 120-
  lro read FILE --lines -50
  lro read FILE --chars 1-5000
  lro read FILE --base64 | base64 -d

Without a range, everything is printed. Lines and characters are counted from 1, both ends are included, and
line 1 is the first record, or the first line of a text. With --header the header is line 1, as in an editor
and for lro extract --line. --base64 prints one line for each page of 256 KiB at most.";

/// Print a range of lines or characters of an offloaded file
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Read {
    #[command(flatten)]
    source: SourceFlags,
    /// Print these lines: A-B, A- (to the end), -N (the last N) or A
    #[arg(long, value_name = "A-B", conflicts_with = "characters", allow_hyphen_values = true)]
    lines: Option<String>,
    /// Print these characters
    #[arg(long = "chars", visible_alias = "characters", value_name = "A-B", allow_hyphen_values = true)]
    characters: Option<String>,
    /// Count the header as line 1, and print it too
    #[arg(long)]
    header: bool,
    /// Print the base64 of the bytes
    #[arg(long)]
    base64: bool,
}

impl Read {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let source = self.source.source()?;
        let lro = open(self.source.options(global)?)?;
        let mut request = ReadRequest::default()
            .lines(self.lines.clone())
            .characters(self.characters.clone())
            .header(self.header)
            .encoding(self.base64.then_some(Encoding::Base64));
        loop {
            let page = lro.read(&source, &request).map_err(|error| self.source.told(error))?;
            if self.base64 && !page.text.is_empty() {
                output::line(&page.text)?;
            } else {
                output::write(page.text.as_bytes())?;
            }
            for remark in &page.remarks {
                output::remark(&with_flags(remark));
            }
            match page.next {
                Some(next) => request = request.next(next),
                None => return Ok(()),
            }
        }
    }
}
