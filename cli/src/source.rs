//! The argument FILE of most subcommands: an offloaded file, and the folder that may be used.

use std::path::{Path, PathBuf};

use clap::Args;
use lro::{Case, Error, Options, Problem, Source};

use crate::failure::Failure;
use crate::global::Global;
use crate::input;

/// An offloaded file.
#[derive(Args)]
pub(super) struct SourceFlags {
    /// The offloaded file; - reads its text from standard input
    file: String,
    /// Use only files in this directory
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
}

impl SourceFlags {
    pub(super) fn source(&self) -> Result<Source, Failure> {
        match self.file.as_str() {
            "-" => input::read_text(Path::new("-")).map(Source::Content),
            file => Ok(Source::File(file.to_owned())),
        }
    }

    /// Returns options with the directory that may be used: without the flag, the folder of FILE. Reading creates none.
    pub(super) fn options(&self, global: &Global) -> Result<Options, Failure> {
        let of_file = || self.folder_of_file().filter(|_| !global.has_store());
        let output_dir = self.output_dir.clone().or_else(of_file);
        Ok(global.options()?.output_dir(output_dir).prepare_output_dir(false))
    }

    /// Says what went wrong in words of the command: the component knows neither standard input nor flags.
    pub(super) fn told(&self, mut error: Error) -> Failure {
        if let Error::Case(case) = &mut error {
            match case {
                Case::NotAnOffload(problem) if self.is_standard_input() => {
                    name_standard_input(problem);
                    problem.hint =
                        "standard input is the whole text of an offloaded file, with its header; other data \
                                    is offloaded first: lro offload - --operation NAME"
                            .to_owned();
                }
                Case::InvalidArgument(problem) | Case::NotFound(problem) | Case::Io(problem)
                    if self.is_standard_input() =>
                {
                    name_standard_input(problem);
                }
                Case::NotFound(problem) if self.output_dir.is_none() && self.folder_of_file().is_none() => {
                    let hint = std::mem::take(&mut problem.hint);
                    problem.hint = format!("name the directory that it is in: --output-dir DIR; or {hint}");
                }
                _ => {}
            }
        }
        error.into()
    }

    /// The file by its path or name; `None` where the text itself is given.
    pub(super) fn file(&self) -> Option<&str> {
        Some(self.file.as_str()).filter(|file| *file != "-")
    }

    /// True if the text itself is given, so that no directory has to exist yet.
    pub(super) fn is_standard_input(&self) -> bool {
        self.file == "-"
    }

    /// Returns the folder of FILE. A bare name that is not in the current folder is searched for where the settings say.
    fn folder_of_file(&self) -> Option<PathBuf> {
        let path = Path::new(&self.file);
        let folder = path.parent()?;
        if folder != Path::new("") {
            return Some(folder.to_owned());
        }
        path.symlink_metadata().is_ok().then(|| PathBuf::from("."))
    }
}

/// The component calls a text that it is given `content`.
fn name_standard_input(problem: &mut Problem) {
    for verb in ["open", "read", "rebuild"] {
        if let Some(rest) = problem.message.strip_prefix(&format!("cannot {verb} `content`")) {
            problem.message = format!("cannot {verb} standard input{rest}");
            return;
        }
    }
}
