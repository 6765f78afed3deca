//! The compiled component on disk: compiling takes a second or two, loading it a few milliseconds.
//!
//! A compiled component is native code. It is loaded only from a folder and a file that this user owns and nobody else can
//! write to, and only when its checksum is right: what has been checked is what is loaded. Losing the cache is never an
//! error: the component is then compiled, and an event says so. A library that has its component in compiled form compiles
//! nothing, and keeps a copy here for the next process, which maps the file instead of copying the code.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::answer::Event;
use crate::engine;
use crate::folder::Folder;
use crate::options::OnCompile;

/// What the names of compiled components end with.
const CODE: &str = "cwasm";

/// What the names of files end with that are being written.
const PART: &str = "part";

/// A file that is being written is done after seconds. One that is older was left by a process that was killed.
const PART_AGE: Duration = Duration::from_secs(600);

/// A version that was compiled so long ago is probably not in use any more. One that is costs two seconds again.
const CODE_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Where the compiled component is kept between processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompiledCache {
    /// `$LRO_CACHE_DIR` (empty: nowhere), else the folder `lro` in the user's cache folder.
    #[default]
    User,
    /// This folder. It is created with mode 0700 when it is missing.
    Directory(PathBuf),
    /// Nowhere: every process compiles.
    Off,
}

/// A compiled component, and what is worth telling of the way it came.
pub(crate) struct Loaded {
    pub(crate) component: Component,
    pub(crate) events: Vec<Event>,
    /// It is mapped from its file. Otherwise wasmtime keeps images of its memory in files without a name.
    pub(crate) is_mapped: bool,
}

/// What is in a file of the cache.
enum Kept {
    /// Code that is whole, and the file that it is in.
    Code(Vec<u8>, File),
    /// Something else.
    Damaged,
    /// So many bytes, for which the system has no memory. Compiling needs more.
    TooLarge(u64),
    /// No file that may be used.
    Nothing,
}

impl CompiledCache {
    /// Returns the compiled form of `bytes`, whose hash is `hash`: from the folder if it is there and fits, else the one that
    /// was compiled ahead if it fits this machine, else compiled; and puts it there.
    pub(crate) fn load(
        &self,
        engine: &Engine,
        bytes: &[u8],
        hash: &str,
        ahead: Option<&[u8]>,
        on_compile: &OnCompile,
    ) -> wasmtime::Result<Loaded> {
        let (name, mut events) = (file_name(engine, hash), Vec::new());
        let folder = self.folder();
        if let Ok(Some(folder)) = &folder {
            match read(folder, &name) {
                Kept::Code(code, file) => match load(engine, &code, &file) {
                    Ok((component, is_mapped)) => return Ok(Loaded { component, events, is_mapped }),
                    Err(error) => events.push(replaced(folder, &name, &format!("{error:#}"))),
                },
                Kept::Damaged => events.push(replaced(folder, &name, "its checksum is wrong")),
                Kept::TooLarge(bytes) => {
                    let reason = format!("the system has too little memory for its compiled code of {bytes} bytes");
                    return Err(wasmtime::Error::msg(reason));
                }
                Kept::Nothing => {}
            }
        }
        if let Some((code, component)) = ahead.and_then(|code| Some((code, load_code(engine, code).ok()?))) {
            // Without the copy the next process takes a few milliseconds more, which nobody has to know.
            _ = folder.map(|folder| keep(folder.as_ref(), &name, code));
            return Ok(Loaded { component, events, is_mapped: false });
        }
        on_compile.tell();
        let code = engine::compile(engine, bytes)?;
        let kept = folder.and_then(|folder| keep(folder.as_ref(), &name, &code));
        events.extend(kept.err().map(|reason| not_kept(&reason)));
        Ok(Loaded { component: load_code(engine, &code)?, events, is_mapped: false })
    }

    /// The folder; `None` where none is wanted.
    ///
    /// # Errors
    /// Why there is none, in words.
    fn folder(&self) -> Result<Option<Folder>, String> {
        let path = match self {
            Self::User => match std::env::var_os("LRO_CACHE_DIR").map(PathBuf::from) {
                Some(folder) if folder == Path::new("") => return Ok(None),
                Some(folder) => folder,
                None => user_cache_folder().ok_or("the user has no cache folder, since HOME is not set")?.join("lro"),
            },
            Self::Directory(folder) => folder.clone(),
            Self::Off => return Ok(None),
        };
        let unusable = |error: io::Error| format!("cannot use the folder `{}`: {error}", path.display());
        Folder::private(&path).map(Some).map_err(unusable)
    }
}

/// Returns a short hash of a component's bytes. It tells components apart; it does not authenticate them.
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
    format!("{hash}-{:016x}.{CODE}", compatible.finish())
}

/// Reads the code from a file, which ends with its checksum.
fn read(folder: &Folder, name: &str) -> Kept {
    let Ok(mut file) = folder.open_own(name) else { return Kept::Nothing };
    let mut code = Vec::new();
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    if code.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).is_err() {
        return Kept::TooLarge(length);
    }
    if file.read_to_end(&mut code).is_err() {
        return Kept::Nothing;
    }
    match code.split_last_chunk() {
        Some((rest, checksum)) if *checksum == checksum_of(name, rest).to_le_bytes() => {
            let end = rest.len();
            code.truncate(end);
            Kept::Code(code, file)
        }
        _ => Kept::Damaged,
    }
}

/// Writes under a temporary name and renames, so that a reader never sees half a file.
fn write(folder: &Folder, name: &str, code: &[u8]) -> io::Result<()> {
    let part = format!("{name}.{:x}.{PART}", std::process::id());
    folder
        .write(&part, &[code, &checksum_of(name, code).to_le_bytes()])
        .and_then(|()| folder.rename(&part, name))
        .inspect_err(|_| {
            // What was not created cannot be removed either.
            _ = folder.remove(&part);
        })
}

/// Puts code into the folder, if there is one.
///
/// # Errors
/// Why it is not there, in words.
fn keep(folder: Option<&Folder>, name: &str, code: &[u8]) -> Result<(), String> {
    let Some(folder) = folder else { return Ok(()) };
    let unusable = |error| format!("cannot write to `{}`: {error}", folder.path().display());
    write(folder, name, code).map(|()| remove_old(folder, name)).map_err(unusable)
}

/// Removes what killed writers and old versions have left.
fn remove_old(folder: &Folder, name: &str) {
    for (other, age) in folder.ages() {
        let ends_with = |end: &str| Path::new(&other).extension() == Some(OsStr::new(end));
        let is_old = (ends_with(PART) && age > PART_AGE) || (ends_with(CODE) && age > CODE_AGE && other != name);
        if is_old {
            // Another process may have been faster.
            _ = folder.remove(&other);
        }
    }
}

/// Losing the cache is never an error, but it costs seconds at each start, which an operator can fix.
fn not_kept(reason: &str) -> Event {
    Event {
        name: "CompiledCacheNotKept".to_owned(),
        message: format!(
            "the compiled component is not kept, so each start compiles it again: {reason}; set LRO_CACHE_DIR to a folder \
             that you can write to"
        ),
        fields: json!({ "reason": reason }).to_string(),
    }
}

fn replaced(folder: &Folder, name: &str, reason: &str) -> Event {
    let file = folder.path().join(name).display().to_string();
    Event {
        name: "CompiledCacheReplaced".to_owned(),
        message: format!("the compiled component `{file}` is damaged and was replaced: {reason}"),
        fields: json!({ "file": file, "reason": reason }).to_string(),
    }
}

/// Returns a checksum of the code and the name that it belongs to, against damage by disks and memory, and against files
/// that were swapped: code of another component would be loaded, and answer as that one does. It does not protect against an attacker, who cannot
/// write here. Every single changed bit changes it. Of 10 MB it takes a millisecond, where SHA-256 takes 6 ms, or 40 ms on
/// a processor without instructions for it.
fn checksum_of(name: &str, code: &[u8]) -> u64 {
    /// An odd number with its bits spread, so that multiplying by it loses nothing.
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(SPREAD).rotate_left(29);
    // Four sums at a time keep the processor busy.
    let mut sums = [1, 2, 3, 4];
    let (blocks, rest) = code.as_chunks::<32>();
    for block in blocks {
        for (sum, word) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = mix(*sum, u64::from_le_bytes(*word));
        }
    }
    let ends = rest.iter().chain(name.as_bytes());
    let tail = ends.fold(code.len() as u64, |sum, byte| mix(sum, u64::from(*byte)));
    sums.into_iter().fold(tail, mix)
}

/// Loads code from its file, which has been checked, or from its copy where a file cannot be opened by its descriptor. True
/// when it is mapped from the file, which costs less time and memory.
fn load(engine: &Engine, code: &[u8], file: &File) -> wasmtime::Result<(Component, bool)> {
    match mapped(engine, file) {
        Some(component) => Ok((component, true)),
        None => load_code(engine, code).map(|component| (component, false)),
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "loading compiled code is unsafe by nature")]
fn mapped(engine: &Engine, file: &File) -> Option<Component> {
    // It is the file that is open, whatever has its name by now.
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
    // SAFETY: as below; only this user can change the file in place, and `write` never does.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}

#[cfg(not(target_os = "linux"))]
fn mapped(_: &Engine, _: &File) -> Option<Component> {
    None
}

#[allow(unsafe_code, reason = "loading compiled code is unsafe by nature")]
fn load_code(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code was compiled by this process, or is a part of this program, or was read from a file that this user owns
    // and nobody else can write to, and whose checksum is right, so that `write` above has written it; wasmtime checks version,
    // configuration and processor itself.
    unsafe { Component::deserialize(engine, code) }
}

/// The user's cache folder.
fn user_cache_folder() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return folder("LOCALAPPDATA");
    }
    folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use wasmtime::Engine;

    use super::{CompiledCache, checksum_of};
    use crate::engine;
    use crate::options::OnCompile;

    const NAME: &str = "0123-4567.cwasm";

    /// A component with nothing in it.
    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn compiled_ahead() -> Vec<u8> {
        let config = engine::portable_config(env!("LRO_TARGET")).unwrap();
        Engine::new(&config).unwrap().precompile_component(EMPTY).unwrap()
    }

    /// How often the component was compiled when it was loaded, and the names of the events.
    fn loaded(folder: &Path, ahead: Option<&[u8]>) -> (usize, Vec<String>) {
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let on_compile = OnCompile::call(move || _ = counted.fetch_add(1, Ordering::Relaxed));
        let engine = engine::start().unwrap();
        let cache = CompiledCache::Directory(folder.to_owned());
        let loaded = cache.load(&engine, EMPTY, "0123", ahead, &on_compile).unwrap();
        (count.load(Ordering::Relaxed), loaded.events.into_iter().map(|event| event.name).collect())
    }

    #[test]
    fn what_was_compiled_ahead_is_not_compiled_and_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        assert_eq!(loaded(&cache, Some(&compiled_ahead())), (0, vec![]), "the first call");
        assert_eq!(loaded(&cache, None), (0, vec![]), "from the folder");
    }

    #[test]
    fn what_was_compiled_ahead_needs_no_folder() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(loaded(file.path(), Some(&compiled_ahead())), (0, vec![]));
        assert_eq!(loaded(file.path(), None), (1, vec!["CompiledCacheNotKept".to_owned()]));
    }

    #[test]
    fn what_does_not_fit_this_library_is_compiled() {
        let folder = tempfile::tempdir().unwrap();
        let without_time_limits = Engine::default().precompile_component(EMPTY).unwrap();
        for (name, ahead) in [("nonsense", b"nonsense".to_vec()), ("configuration", without_time_limits)] {
            assert_eq!(loaded(&folder.path().join(name), Some(&ahead)), (1, vec![]), "{name}");
        }
    }

    #[test]
    fn every_changed_bit_and_every_lost_byte_changes_the_checksum() {
        let code: Vec<u8> = (0..200_u8).map(|byte| byte.wrapping_mul(37)).collect();
        let right = checksum_of(NAME, &code);
        for bit in 0..code.len() * 8 {
            let mut damaged = code.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert_ne!(checksum_of(NAME, &damaged), right, "bit {bit}");
        }
        for length in 0..code.len() {
            assert_ne!(checksum_of(NAME, &code[..length]), right, "{length} bytes");
        }
        assert_ne!(checksum_of(NAME, &[0; 64]), checksum_of(NAME, &[0; 32]));
        assert_ne!(checksum_of("other.cwasm", &code), right, "another file");
    }
}
