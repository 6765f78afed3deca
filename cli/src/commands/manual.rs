//! `lro man`: the manual pages of the command, for packages and for people who like them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;

use super::{command_line, help};
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  lro man | man -l -
  lro man --output-dir ~/.local/share/man/man1";

/// Write the manual pages: that of lro itself, or all of them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Manual {
    /// Write all pages to this directory, created if missing [default: lro.1 on standard output]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

impl Manual {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut command = command_line().after_help(help::EXIT_CODES);
        command.build();
        match self.output_dir {
            None => output::write(&page(command)?),
            Some(folder) => {
                let failed = |path: &Path, error| Failure::file(format!("write `{}`", path.display()), error);
                fs::create_dir_all(&folder).map_err(|error| failed(&folder, error))?;
                for (name, page) in pages(command)? {
                    let path = folder.join(name);
                    fs::write(&path, page).map_err(|error| failed(&path, error))?;
                }
                Ok(())
            }
        }
    }
}

/// All pages, with the names of their files.
fn pages(command: Command) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let subcommands: Vec<Command> = command.get_subcommands().cloned().collect();
    let mut pages = vec![("lro.1".to_owned(), page(command)?)];
    for subcommand in subcommands {
        let name = format!("lro-{}", subcommand.get_name());
        // The name of a page is one word; how the command is called stands in its synopsis.
        pages.push((format!("{name}.1"), page(subcommand.display_name(name))?));
    }
    Ok(pages)
}

/// The page of a command, in the language of `man`.
fn page(command: Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    // Without a date: the same command has the same pages.
    let version = concat!("lro ", env!("CARGO_PKG_VERSION"));
    let rendered = Man::new(command).manual("Large Result Offloading").source(version).render(&mut page);
    rendered.map_err(|error| Failure::file("render a manual page", error))?;
    Ok(plain(&String::from_utf8_lossy(&page)).into_bytes())
}

/// The page as every troff reads it, with lines that end anywhere: flags are not hyphenated, and alternatives need not fit
/// into one line.
fn plain(page: &str) -> String {
    let mut is_synopsis = false;
    let mut lines = String::with_capacity(page.len());
    for line in page.lines() {
        for character in line.chars() {
            match character {
                '|' if is_synopsis => lines.push_str(r"|\:"),
                character if character.is_ascii() => lines.push(character),
                // Writing to a text does not fail.
                character => _ = write!(lines, r"\[u{:04X}]", u32::from(character)),
            }
        }
        lines.push('\n');
        if line.starts_with(".TH ") {
            lines.push_str(".ad l\n.nh\n");
        }
        is_synopsis = line == ".SH SYNOPSIS";
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_page_is_read_by_every_troff() {
        let page = ".TH lro 1\n.SH SYNOPSIS\nlro [\\-a|\\-b]\n.SH NAME\nlro \\- a|b, … 😀\n";
        let expected =
            ".TH lro 1\n.ad l\n.nh\n.SH SYNOPSIS\nlro [\\-a|\\:\\-b]\n.SH NAME\nlro \\- a|b, \\[u2026] \\[u1F600]\n";
        assert_eq!(plain(page), expected);
    }
}
