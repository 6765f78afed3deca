//! `lro purge`: deletes all offloaded files, whatever their age.

use std::path::PathBuf;

use clap::Args;
use lro::CleanupRequest;

use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output::{self, counted};

const EXAMPLE: &str = "\
Example:
  lro purge --output-dir ./results --dry-run

Only regular files whose name and first line are those of an offloaded file are deleted, unfinished ones too;
the folder of a session goes with its last file. To keep one: lro keep FILE --to FOLDER";

/// Delete all offloaded files, whatever their age, and nothing else
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Purge {
    /// The directory with the files [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Purge only this folder of the output directory
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Print what would be deleted, and delete nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    events: EventsFlag,
}

impl Purge {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let lro = open(global.options()?.output_dir(self.output_dir).prepare_output_dir(false))?;
        let request = CleanupRequest::default().session(self.session).all(true).dry_run(self.dry_run);
        let cleaning = lro.cleanup_observed(&request, |events| match self.dry_run {
            true => self.events.report_dry_run(&events),
            false => self.events.report_quietly(&events),
        })?;
        let deleted = if self.dry_run { "would delete" } else { "deleted" };
        let files = counted(cleaning.deleted.into(), "file");
        let kept = match cleaning.kept {
            0 => String::new(),
            kept => format!(", could not delete {kept}"),
        };
        output::line(&format!("{deleted} {files} ({} bytes){kept}", cleaning.freed_bytes))
    }
}
