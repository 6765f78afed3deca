//! `lro keep`: puts a file aside, so that it outlives its session.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output;
use crate::source::SourceFlags;

const EXAMPLE: &str = "\
Example:
  lro keep FILE --to ../kept

The copy has the name of FILE and does not expire; the other files of its document, which lro rebuild needs, are
copied with it. It is read like any other file: lro extract ../kept/NAME --query .id";

/// Copy an offloaded file to a folder where it does not expire
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Keep {
    #[command(flatten)]
    source: SourceFlags,
    /// The folder for the copy, outside the output directory; it is created if missing
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// Overwrite a copy that is there already
    #[arg(long)]
    force: bool,
}

impl Keep {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let Some(file) = self.source.file() else {
            return Err(Failure::Usage("cannot keep the text of standard input: name the file".to_owned()));
        };
        let kept = open(self.source.options(global)?)?
            .keep(file, &self.to, self.force)
            .map_err(|error| self.source.told(error))?;
        for name in &kept.missing {
            output::remark(&format!("`{name}` is gone: the document cannot be rebuilt from the copy"));
        }
        kept.files.iter().try_for_each(|file| output::line(&output::printable(&file.display().to_string())))
    }
}
