//! Reads and writes configurations: a file is replaced as a whole, and several files all or none.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use lro_clients::setup::{Prepared, Problem, Seen, Step};
use tempfile::Builder;

use crate::failure::Failure;

/// Returns the text of a file, or nothing if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Failure> {
    let failed = |error| Failure::file(format!("read `{}`", path.display()), error);
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        // A pipe would never end.
        Ok(metadata) if !metadata.is_file() => return Err(failed(io::Error::other("it is not a file"))),
        Ok(_) => {}
    }
    let bytes = fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Failure::Configuration {
            message: format!("cannot read `{}`: line {line} is not UTF-8", path.display()),
            hint: "convert the file to UTF-8; nothing was changed".to_owned(),
        }
    })
}

/// Looks at the place of a configuration.
pub(super) fn look(path: &Path) -> Result<Seen, Problem> {
    let text = read(path).map_err(problem)?;
    Ok(Seen {
        exists: path.exists(),
        canonical: path.canonicalize().ok(),
        text,
        beside: beside(path).map_err(problem)?,
        missing_folders: missing_folders(path),
    })
}

/// The files beside a file whose names begin with its name. Their texts are read where they are ours.
fn beside(path: &Path) -> Result<BTreeMap<String, Option<String>>, Failure> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Ok(BTreeMap::new());
    };
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    // A folder that is not there has none.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let ours =
        names.filter(|other| other.strip_prefix(name).is_some_and(|end| OURS.iter().any(|our| end.starts_with(our))));
    ours.map(|other| read(&path.with_file_name(&other)).map(|text| (other, text))).collect()
}

/// What the names of our files beside a configuration begin with after its own.
const OURS: [&str; 2] = [".lro-", ".before-lro-"];

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && folder.symlink_metadata().is_err();
    let mut missing: Vec<PathBuf> = folder.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn problem(failure: Failure) -> Problem {
    match failure {
        Failure::Configuration { message, hint } => Problem::Configuration { message, hint },
        other => Problem::Io { message: other.to_text() },
    }
}

/// Carries out all that is prepared, or nothing of it.
pub(super) fn carry_out(prepared: &Prepared) -> Result<(), Failure> {
    create_folders(&prepared.folders)?;
    if let Err(failure) = take(&prepared.steps) {
        remove_folders(&prepared.folders);
        return Err(failure);
    }
    remove_folders(&prepared.gone);
    Ok(())
}

/// Takes all steps, or none: what was done before one fails is taken back.
fn take(steps: &[Step]) -> Result<(), Failure> {
    let mut done: Vec<&Step> = Vec::new();
    for step in steps {
        if let Err(error) = check(step).and_then(|()| carry_out_step(step)) {
            let verb = if step.text.is_some() { "write" } else { "delete" };
            return Err(Failure::Configuration {
                message: format!("cannot {verb} `{}`: {error}", step.path.display()),
                hint: taken_back(&done),
            });
        }
        done.push(step);
    }
    Ok(())
}

fn check(step: &Step) -> io::Result<()> {
    match read(&step.path) {
        Ok(text) if text == step.before => Ok(()),
        Ok(_) => Err(io::Error::other("another program has changed it meanwhile; try again")),
        Err(failure) => Err(io::Error::other(failure.to_text())),
    }
}

fn taken_back(done: &[&Step]) -> String {
    let failed: Vec<String> = done
        .iter()
        .rev()
        .filter(|step| take_back(step).is_err())
        .map(|step| format!("`{}`", step.path.display()))
        .collect();
    match failed.is_empty() {
        true => "nothing was changed".to_owned(),
        false => format!("these could not be restored, their copies are beside them: {}", failed.join(", ")),
    }
}

fn carry_out_step(step: &Step) -> io::Result<()> {
    match &step.text {
        Some(text) => write(&step.path, text, step.like.as_deref()),
        None if step.follows => delete(&target(&step.path)?),
        None => delete(&step.path),
    }
}

/// Takes a step back. A file that it has created is at the end of its links.
fn take_back(step: &Step) -> io::Result<()> {
    match &step.before {
        Some(text) => write(&step.path, text, step.like.as_deref()),
        None => delete(&target(&step.path)?),
    }
}

fn delete(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

/// Writes a file as a whole: to a new file, which then takes its place, with its mode and owner. A link is followed.
fn write(path: &Path, text: &str, like: Option<&Path>) -> io::Result<()> {
    let target = target(path)?;
    let folder = target.parent().unwrap_or(Path::new("."));
    let existing = fs::metadata(&target).ok();
    if existing.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
        return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let mut file = Builder::new().prefix(".lro-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if let Some(metadata) = existing.or_else(|| like.and_then(|like| fs::metadata(like).ok())) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, chown};
            // Only an administrator can give a file away; others own it already.
            let _ = chown(file.path(), Some(metadata.uid()), Some(metadata.gid()));
        }
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(&target).map(drop).map_err(|error| error.error)
}

/// The file that a path means, through links, also if it is not there yet.
fn target(path: &Path) -> io::Result<PathBuf> {
    // As many as the system follows.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(link) => target = target.parent().unwrap_or(Path::new(".")).join(link),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::other("too many links"))
}

/// Creates folders, the outermost first.
fn create_folders(folders: &[PathBuf]) -> Result<(), Failure> {
    for (number, new) in folders.iter().enumerate() {
        if let Err(error) = fs::create_dir(new) {
            remove_folders(&folders[..number]);
            return Err(Failure::file(format!("create `{}`", new.display()), error));
        }
    }
    Ok(())
}

/// Removes folders that are empty now, the innermost first.
fn remove_folders(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        // One that has something in it stays.
        let _ = fs::remove_dir(folder);
    }
}
