//! `lro component`: the embedded component as a file, for other hosts.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::output;

/// Write the embedded WebAssembly component
#[derive(Args)]
#[command(after_help = "Example:\n  lro component -o lro.wasm")]
pub(super) struct Component {
    /// Write to this file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Component {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.output {
            Some(file) => std::fs::write(&file, lro::COMPONENT)
                .map_err(|error| Failure::file(format!("write `{}`", file.display()), error)),
            None if io::stdout().is_terminal() => Err(Failure::Usage(
                "a component is not for a terminal; name a file: lro component -o lro.wasm".to_owned(),
            )),
            None => output::write(lro::COMPONENT),
        }
    }
}
