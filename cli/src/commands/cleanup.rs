//! `lro cleanup`: deletes expired offloaded files, once or every hour.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use lro::{CleanupRequest, Lro};

use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output::{self, counted};

/// The specification's interval (LRO-34).
const INTERVAL: Duration = Duration::from_secs(3600);

/// Delete expired files, and nothing else
#[derive(Args)]
#[command(after_help = "Example:\n  lro cleanup --output-dir ./results --max-files 100 --dry-run")]
pub(super) struct Cleanup {
    /// The directory with the files [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Seconds after which a file without a TTL of its own expires [default: 3600]
    #[arg(long, value_name = "N", alias = "ttl")]
    ttl_seconds: Option<u32>,
    /// Keep at most this many files; the oldest are deleted first
    #[arg(long, value_name = "N")]
    max_files: Option<u32>,
    /// Keep at most this many bytes; the oldest files are deleted first
    #[arg(long, value_name = "N")]
    max_bytes: Option<u64>,
    /// Clean up only this folder of the output directory
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Keep running and clean up once an hour
    #[arg(long)]
    watch: bool,
    /// Print what would be deleted, and delete nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    events: EventsFlag,
}

impl Cleanup {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let output_dir = self.output_dir.clone();
        let lro = open(global.options()?.output_dir(output_dir).prepare_output_dir(false))?;
        loop {
            match self.once(lro) {
                // A watcher outlives what may pass, such as a directory that is not there yet.
                Err(failure @ Failure::Lro(_)) if self.watch => _ = failure.report(global.json_errors),
                result => result?,
            }
            if !self.watch {
                return Ok(());
            }
            thread::sleep(INTERVAL);
        }
    }

    fn once(&self, lro: &Lro) -> Result<(), Failure> {
        let request = CleanupRequest::default()
            .session(self.session.clone())
            .ttl_seconds(self.ttl_seconds)
            .max_files(self.max_files)
            .max_bytes(self.max_bytes)
            .dry_run(self.dry_run);
        let cleaning = lro.cleanup_observed(&request, |events| match self.dry_run {
            true => self.events.report_dry_run(&events),
            false => self.events.report(&events),
        })?;
        let deleted = if self.dry_run { "would delete" } else { "deleted" };
        let files = counted(cleaning.deleted.into(), "file");
        output::line(&format!("{deleted} {files} ({} bytes), kept {}", cleaning.freed_bytes, cleaning.kept))
    }
}
