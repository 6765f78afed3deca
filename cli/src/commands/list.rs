//! `lro list`: prints which offloaded files there are.

use std::path::PathBuf;

use clap::Args;
use lro::{ListRequest, Lro};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::global::{Global, open};
use crate::output::{self, counted, printable};

const EXAMPLE: &str = "\
Examples:
  lro list --output-dir ./results
  lro list --json | jq -r 'select(.expired) | .file_path'

The newest files come first. The checksum of the table is the beginning of what sha256sum prints; --json has all
of it, and file_path, which lro extract takes.";

/// A directory is looked through once for each page.
const PAGE_FILES: u32 = 50_000;

/// So much of a checksum tells files apart.
const SHA256_CHARACTERS: usize = 12;

/// List the offloaded files: operation, count, bytes, tokens, when they expire, checksum
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct List {
    /// The directory with the files [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// List only this folder of the output directory
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Print at most this many files, the newest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Leave out the checksums, for which all files have to be read
    #[arg(long)]
    no_sha256: bool,
    /// Print one JSON object for each file
    #[arg(long)]
    json: bool,
}

/// A page of the listing.
#[derive(Deserialize)]
struct Page {
    files: Vec<Box<RawValue>>,
    next: Option<String>,
    foreign: u64,
    unfinished: u64,
    remarks: Vec<String>,
}

/// What a line of the table shows of a file.
#[derive(Deserialize)]
struct File {
    file_name: String,
    operation: String,
    count: u64,
    bytes: u64,
    estimated_tokens: u64,
    created_at: String,
    expires_at: Option<String>,
    expired: bool,
    sha256: Option<String>,
}

/// What the whole listing comes to.
#[derive(Default)]
struct Sum {
    files: u64,
    bytes: u64,
    expired: u64,
    foreign: u64,
    unfinished: u64,
}

impl List {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let output_dir = self.output_dir.clone();
        let lro = open(global.options()?.output_dir(output_dir).prepare_output_dir(false).read_only(true))?;
        let (mut sum, mut next) = (Sum::default(), None);
        let mut left = self.limit;
        loop {
            let page = self.page(lro, next, left.unwrap_or(PAGE_FILES).min(PAGE_FILES))?;
            for remark in &page.remarks {
                output::remark(remark);
            }
            self.print(&page, &mut sum)?;
            left = left.map(|left| left - u32::try_from(page.files.len()).unwrap_or(left).min(left));
            match page.next {
                Some(token) if left != Some(0) => next = Some(token),
                more => return self.end(lro, &sum, more.is_some()),
            }
        }
    }

    fn page(&self, lro: &Lro, next: Option<String>, limit: u32) -> Result<Page, Failure> {
        let request = ListRequest::default()
            .session(self.session.clone())
            .limit(limit)
            .next(next)
            .sha256(self.no_sha256.then_some(false));
        let text = lro.list_files(&request)?;
        serde_json::from_str(&text).map_err(|error| Failure::file("read the listing", error.into()))
    }

    fn print(&self, page: &Page, sum: &mut Sum) -> Result<(), Failure> {
        sum.foreign += page.foreign;
        sum.unfinished = page.unfinished;
        let mut files = Vec::new();
        for text in &page.files {
            let file: File =
                serde_json::from_str(text.get()).map_err(|error| Failure::file("read the listing", error.into()))?;
            sum.files += 1;
            sum.bytes += file.bytes;
            sum.expired += u64::from(file.expired);
            files.push(file);
        }
        if self.json {
            let lines: String = page.files.iter().map(|file| format!("{}\n", file.get())).collect();
            return output::write(lines.as_bytes());
        }
        if files.is_empty() {
            return Ok(());
        }
        output::write(table(&files, sum.files == files.len() as u64).as_bytes())
    }

    /// The last line of the table; JSON Lines have none.
    fn end(&self, lro: &Lro, sum: &Sum, has_more: bool) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let expired = if sum.expired > 0 { format!(", {} expired,", sum.expired) } else { String::new() };
        let more = if has_more { "; there are more (--limit)" } else { "" };
        let others = [(sum.unfinished, "unfinished"), (sum.foreign, "with such a name but other content")];
        let others: Vec<String> =
            others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let others = if others.is_empty() { String::new() } else { format!("; not listed: {}", others.join(", ")) };
        let directory = lro.output_dir().display().to_string();
        let files = counted(sum.files, "file");
        output::line(&format!("{files}, {} bytes{expired} in {}{more}{others}", sum.bytes, printable(&directory)))
    }
}

/// Columns, the numbers right-aligned.
fn table(files: &[File], has_header: bool) -> String {
    const HEADER: [&str; 8] = ["FILE", "OPERATION", "COUNT", "BYTES", "TOKENS", "CREATED", "EXPIRES", "SHA256"];
    let mut rows: Vec<[String; 8]> = Vec::new();
    if has_header {
        rows.push(HEADER.map(str::to_owned));
    }
    rows.extend(files.iter().map(File::cells));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
            2..=4 => format!("{cell:>width$}"),
            _ => format!("{cell:<width$}"),
        });
        let line: Vec<String> = cells.collect();
        format!("{}\n", line.join("  ").trim_end())
    };
    rows.iter().map(line).collect()
}

impl File {
    fn cells(&self) -> [String; 8] {
        let expires = match (&self.expires_at, self.expired) {
            (None, _) => "never".to_owned(),
            (Some(at), false) => at.clone(),
            (Some(_), true) => "expired".to_owned(),
        };
        // To the second, like the other time.
        let created =
            self.created_at.split_once('.').map_or(self.created_at.clone(), |(second, _)| format!("{second}Z"));
        let sha256 = self.sha256.as_deref().unwrap_or("-");
        [
            printable(&self.file_name).into_owned(),
            printable(&self.operation).into_owned(),
            self.count.to_string(),
            self.bytes.to_string(),
            self.estimated_tokens.to_string(),
            created,
            expires,
            sha256.chars().take(SHA256_CHARACTERS).collect(),
        ]
    }
}
