//! Prints the WIT package in a folder as JSON, resolved and with its documentation: `contract wit`.
//!
//! The reference of the documentation is made of it (`docs/site`).

use std::error::Error;
use std::path::PathBuf;

use wit_parser::Resolve;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: contract FOLDER")?;
    let mut resolve = Resolve::new();
    resolve.push_dir(&folder)?;
    println!("{}", serde_json::to_string(&resolve)?);
    Ok(())
}
