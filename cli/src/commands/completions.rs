//! `lro completions SHELL`: what a shell needs to complete our command line.

use clap::Args;
use clap_complete::Shell;

use super::command_line;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  lro completions bash > ~/.local/share/bash-completion/completions/lro
  lro completions zsh > \"${fpath[1]}/_lro\"
  lro completions fish > ~/.config/fish/completions/lro.fish
  lro completions powershell >> $PROFILE";

/// Print a script that completes commands and flags in a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command_line(), "lro", &mut script);
        output::write(&script)
    }
}
