//! The compiled component on disk: compiling takes a second or two, loading it less than a millisecond.
//!
//! A compiled component is native code, so only a folder that nobody else can write to is trusted. Losing the cache is
//! never an error: the component is then compiled.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use wasmtime::Engine;
use wasmtime::component::Component;

/// Where the compiled component is kept between processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CompiledCache {
    /// `$LRO_CACHE_DIR` (empty: nowhere), else the folder `lro` in the user's cache folder.
    #[default]
    User,
    /// This folder. It is created with mode 0700 when it is missing.
    Directory(PathBuf),
    /// Nowhere: every process compiles.
    Off,
}

impl CompiledCache {
    /// The compiled form of `bytes`, whose hash is `hash`: from the folder if it is there and fits, else compiled and
    /// put there.
    pub(crate) fn load(&self, engine: &Engine, bytes: &[u8], hash: &str) -> wasmtime::Result<Component> {
        let Some(folder) = self.folder().filter(|folder| private_folder(folder).is_ok()) else {
            return Component::from_binary(engine, bytes);
        };
        let file = folder.join(file_name(engine, hash));
        if let Some(component) = read(engine, &file) {
            return Ok(component);
        }
        let component = Component::from_binary(engine, bytes)?;
        if let Ok(code) = component.serialize() {
            // A cache that cannot be written costs the next process two seconds and nothing else.
            let _ = write(&folder, &file, &code);
        }
        Ok(component)
    }

    fn folder(&self) -> Option<PathBuf> {
        match self {
            Self::User => match std::env::var_os("LRO_CACHE_DIR") {
                Some(folder) => Some(PathBuf::from(folder)).filter(|folder| folder != Path::new("")),
                None => Some(user_cache_folder()?.join("lro")),
            },
            Self::Directory(folder) => Some(folder.clone()),
            Self::Off => None,
        }
    }
}

/// A short hash of a component's bytes. It tells components apart; it does not authenticate them.
pub(crate) fn hash_of(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    format!("{:016x}", hasher.finish())
}

/// The file's name says all that must be equal for the code to fit: component, wasmtime, configuration and processor.
fn file_name(engine: &Engine, hash: &str) -> String {
    let mut compatible = DefaultHasher::new();
    engine.precompile_compatibility_hash().hash(&mut compatible);
    std::env::consts::ARCH.hash(&mut compatible);
    format!("{hash}-{:016x}.cwasm", compatible.finish())
}

/// The compiled component in `file`, if it is ours and fits this engine.
fn read(engine: &Engine, file: &Path) -> Option<Component> {
    let metadata = std::fs::symlink_metadata(file).ok()?;
    if !metadata.is_file() || !belongs_to_us(&metadata) {
        return None;
    }
    load_code(engine, file).ok()
}

#[allow(unsafe_code, reason = "loading compiled code is unsafe by nature")]
fn load_code(engine: &Engine, file: &Path) -> wasmtime::Result<Component> {
    // SAFETY: file and folder belong to this user and nobody else can write to them, so what is there was written by
    // `write` below, whole; wasmtime checks version and configuration itself.
    unsafe { Component::deserialize_file(engine, file) }
}

/// Writes under a temporary name and renames, so that a reader never sees half a file.
fn write(folder: &Path, file: &Path, code: &[u8]) -> io::Result<()> {
    let mut part = tempfile::NamedTempFile::new_in(folder)?;
    part.write_all(code)?;
    part.persist(file)?;
    Ok(())
}

/// Creates the folder when it is missing and makes sure that only this user can write to it.
fn private_folder(folder: &Path) -> io::Result<()> {
    if !folder.is_dir() {
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder)?;
    }
    let metadata = std::fs::metadata(folder)?;
    if belongs_to_us(&metadata) { Ok(()) } else { Err(io::ErrorKind::PermissionDenied.into()) }
}

/// True when this user owns the file or folder and nobody else can write to it.
#[cfg(unix)]
#[allow(unsafe_code, reason = "the standard library has no geteuid")]
fn belongs_to_us(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: geteuid has no preconditions and cannot fail.
    let user = unsafe { libc::geteuid() };
    metadata.uid() == user && metadata.mode() & 0o022 == 0
}

/// Elsewhere the user's profile folder is private by its access list.
#[cfg(not(unix))]
fn belongs_to_us(_: &std::fs::Metadata) -> bool {
    true
}

/// The user's cache folder.
fn user_cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))
}
