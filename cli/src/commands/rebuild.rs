//! `lro rebuild`: prints the document that an offloaded file came from.

use clap::Args;

use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output;
use crate::progress::Progress;
use crate::source::SourceFlags;

const EXAMPLE: &str = "\
Example:
  lro rebuild FILE > result.json

Any file of a document with several lists will do; the others are looked for beside it.
The response says whether the document comes back byte for byte or as equal JSON.";

/// Print the document that an offloaded file came from, with all its lists and the text around them
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Rebuild {
    #[command(flatten)]
    source: SourceFlags,
}

impl Rebuild {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let lro = open(self.source.options(global)?)?;
        let parts = lro.rebuild_parts(&self.source.source()?);
        let _progress = Progress::through_bytes("rebuilding", parts.progress());
        for part in parts {
            output::write(part.map_err(|error| self.source.told(error))?.as_bytes())?;
        }
        Ok(())
    }
}
