//! Where data comes from: a file, or standard input.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::patient::Patient;

/// Data that can be read, and has not been yet.
pub(super) enum Input {
    File(PathBuf, File),
    Standard,
}

impl Input {
    /// Opens FILE; `-` is standard input.
    pub(super) fn open(file: &Path) -> Result<Self, Failure> {
        if file == Path::new("-") {
            return Ok(Self::Standard);
        }
        let opened = File::open(file).map_err(|error| unreadable(file, error))?;
        Ok(Self::File(file.to_owned(), opened))
    }

    /// The file, if it is a regular one that is better not held as a whole.
    pub(super) fn large_file(&self) -> Result<Option<&File>, Failure> {
        let Self::File(path, file) = self else { return Ok(None) };
        let metadata = file.metadata().map_err(|error| unreadable(path, error))?;
        Ok((metadata.is_file() && metadata.len() >= LARGE_BYTES).then_some(file))
    }

    /// Returns all bytes.
    pub(super) fn read(self) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        match self {
            // It may have been looked at.
            Self::File(path, mut file) => {
                rewound(&mut file).and_then(|()| file.read_to_end(&mut bytes)).map_err(|error| unreadable(&path, error))
            }
            Self::Standard => Patient::new(io::stdin().lock())
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::file("read standard input", error)),
        }?;
        Ok(bytes)
    }
}

/// Below this, a second look at a file costs more than a second copy of it.
const LARGE_BYTES: u64 = 1 << 20;

/// Goes back to the front of a file; a pipe stays where it is.
fn rewound(file: &mut File) -> io::Result<()> {
    match file.metadata()?.is_file() {
        true => file.rewind(),
        false => Ok(()),
    }
}

pub(super) fn unreadable(file: &Path, error: io::Error) -> Failure {
    Failure::file(format!("read `{}`", file.display()), error)
}

/// All bytes of FILE; of standard input for `-`.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    Input::open(file)?.read()
}

/// The text of FILE; of standard input for `-`.
pub(super) fn read_text(file: &Path) -> Result<String, Failure> {
    String::from_utf8(read(file)?).map_err(|error| {
        let error = io::Error::new(io::ErrorKind::InvalidData, error.utf8_error());
        Failure::file(format!("read `{}` as text", file.display()), error)
    })
}
