//! `lro help`: the overview, the help of a subcommand, and topics that belong to all of them.

mod settings;
mod topics;

use clap::Args;

use super::command_line;
use crate::failure::Failure;
use crate::output;

pub(super) use topics::grouped;

/// What an exit status means.
pub(super) const EXIT_CODES: &str = include_str!("exit-codes.txt");

const RECIPES: &str = include_str!("recipes.txt");

/// Print this overview, the help of a command, or a topic: exit-codes, recipes, settings
#[derive(Args)]
pub(super) struct Help {
    /// What to explain
    #[arg(value_name = "COMMAND|exit-codes|recipes|settings")]
    about: Option<String>,
}

impl Help {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut command = command_line();
        // Only then a subcommand knows how it is called.
        command.build();
        let styled = match self.about.as_deref() {
            None => command.render_help(),
            Some("exit-codes") => return output::write(EXIT_CODES.as_bytes()),
            Some("recipes") => return output::write(RECIPES.as_bytes()),
            Some("settings") => return output::write(settings::text().as_bytes()),
            Some(name) => match command.find_subcommand_mut(name) {
                Some(subcommand) => subcommand.render_help(),
                None => return Err(unknown(name)),
            },
        };
        output::styled(&styled)
    }
}

fn unknown(name: &str) -> Failure {
    Failure::Usage(format!(
        "there is neither a command nor a topic `{name}`: `lro help` lists the commands, and the topics are exit-codes, recipes \
         and settings"
    ))
}
