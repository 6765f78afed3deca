//! `lro describe`: prints what an offloaded file contains.

use clap::Args;

use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output;
use crate::source::SourceFlags;

const EXAMPLE: &str = "\
Example:
  lro describe FILE | jq '.fields[] | .path'";

/// Describe an offloaded file: header, size, lines, shape, fields with types and examples
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Describe {
    #[command(flatten)]
    source: SourceFlags,
}

impl Describe {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let described = open(self.source.options(global)?)?.describe(&self.source.source()?);
        output::line(&described.map_err(|error| self.source.told(error))?)
    }
}
