//! Where data comes from: a file, or standard input.

use std::io::{self, Read};
use std::path::Path;

use super::failure::Failure;

/// All bytes of FILE; of standard input for `-`.
pub(super) fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    if file != Path::new("-") {
        return std::fs::read(file).map_err(|error| Failure::file(format!("read `{}`", file.display()), error));
    }
    let mut bytes = Vec::new();
    match io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Failure::file("read standard input", error)),
    }
}

/// The text of FILE; of standard input for `-`.
pub(super) fn read_text(file: &Path) -> Result<String, Failure> {
    String::from_utf8(read(file)?).map_err(|error| {
        let error = io::Error::new(io::ErrorKind::InvalidData, error.utf8_error());
        Failure::file(format!("read `{}` as text", file.display()), error)
    })
}
