//! `lro component`: the embedded component as a file, for other hosts.

use std::borrow::Cow;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::output;

/// Write the embedded WebAssembly component
#[derive(Args)]
#[command(after_help = "Examples:
  lro component -o lro.wasm
  lro component --exact-tokens -o lro-exact.wasm
  lro component --compiled -o lro.cwasm         # for LRO_COMPILED=lro.cwasm cargo build --release")]
pub(super) struct Component {
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the component that also has the tokenizers o200k_base and cl100k_base, which is twice as large
    #[arg(long)]
    exact_tokens: bool,
    /// Write its code for processors like this one, which a build with LRO_COMPILED=FILE embeds: its first call then compiles
    /// nothing
    #[arg(long, conflicts_with = "exact_tokens")]
    compiled: bool,
}

impl Component {
    pub(super) fn run(self) -> Result<(), Failure> {
        let component = self.component()?;
        match self.output {
            Some(file) => std::fs::write(&file, &component)
                .map_err(|error| Failure::file(format!("write `{}`", file.display()), error)),
            None if io::stdout().is_terminal() => Err(Failure::Usage(
                "a component is not for a terminal; name a file: lro component -o lro.wasm".to_owned(),
            )),
            None => output::write(&component),
        }
    }

    fn component(&self) -> Result<Cow<'static, [u8]>, Failure> {
        match (self.compiled, self.exact_tokens) {
            (true, _) => Ok(lro::compile_ahead()?.into()),
            (false, true) => Ok(exact_component()?.into()),
            (false, false) => Ok(lro::COMPONENT.into()),
        }
    }
}

#[cfg(feature = "exact-tokens")]
fn exact_component() -> Result<&'static [u8], Failure> {
    Ok(lro::EXACT_COMPONENT)
}

#[cfg(not(feature = "exact-tokens"))]
fn exact_component() -> Result<&'static [u8], Failure> {
    Err(Failure::Usage("this lro was built without the feature exact-tokens".to_owned()))
}
