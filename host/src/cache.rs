//! The compiled component on disk: compiling takes a second or two, loading it a few milliseconds.
//!
//! A compiled component is native code. It is loaded only from a folder and a file that this user owns and nobody else can
//! write to, and only when its checksum is right: what has been checked is what is loaded. The checksum is taken again when
//! the file was changed, or the system started anew. Losing the cache is never an error: the component is then compiled, and
//! an event says so. A library that has its component in compiled form compiles nothing, and keeps a copy here for the next
//! process, which maps the file instead of copying the code.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use wasmtime::Engine;
use wasmtime::component::Component;

use crate::answer::Event;
use crate::checked::{MARK, Stamp};
use crate::checksum::checksum_of;
use crate::engine;
use crate::folder::{Folder, PART};
use crate::options::OnCompile;

/// What the names of compiled components end with.
const CODE: &str = "cwasm";

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

/// The checksum is what a file ends with.
const CHECKSUM_BYTES: u64 = size_of::<u64>() as u64;

/// What is in a file of the cache.
enum Kept {
    /// The file has code, and all of it.
    Code(File),
    /// Something else.
    Damaged,
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
            match look(folder, &name) {
                Kept::Code(file) => match load(engine, file) {
                    Ok((component, is_mapped)) => return Ok(Loaded { component, events, is_mapped }),
                    Err(Unloadable::TooLarge(bytes)) => {
                        let reason = format!("the system has too little memory for its compiled code of {bytes} bytes");
                        // Compiling needs more.
                        return Err(wasmtime::Error::msg(reason));
                    }
                    Err(Unloadable::Unfit(error)) => events.push(replaced(folder, &name, &format!("{error:#}"))),
                },
                Kept::Damaged => events.push(replaced(folder, &name, "its checksum is wrong")),
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

/// Looks whether a file has what it had when it was written: code, and its checksum.
fn look(folder: &Folder, name: &str) -> Kept {
    let Ok(file) = folder.open_own(name) else { return Kept::Nothing };
    let stamp = Stamp::of(&file);
    if stamp.as_ref().is_some_and(|stamp| stamp.is_marked(folder, name)) {
        return Kept::Code(file);
    }
    match is_whole(&file, name) {
        Ok(true) => {
            if let Some(stamp) = stamp {
                stamp.mark(folder, name);
            }
            Kept::Code(file)
        }
        Ok(false) => Kept::Damaged,
        Err(_) => Kept::Nothing,
    }
}

fn is_whole(file: &File, name: &str) -> io::Result<bool> {
    let Some(length) = file.metadata()?.len().checked_sub(CHECKSUM_BYTES) else { return Ok(false) };
    let sum = checksum_of(name, file.take(length))?;
    let mut kept = Vec::new();
    file.take(CHECKSUM_BYTES + 1).read_to_end(&mut kept)?;
    Ok(kept == sum.to_le_bytes())
}

/// Puts code into the folder, if there is one.
///
/// # Errors
/// Why it is not there, in words.
fn keep(folder: Option<&Folder>, name: &str, code: &[u8]) -> Result<(), String> {
    let Some(folder) = folder else { return Ok(()) };
    let unusable = |error| format!("cannot write to `{}`: {error}", folder.path().display());
    let written = checksum_of(name, code).and_then(|sum| folder.replace(name, &[code, &sum.to_le_bytes()]));
    written.map(|()| remove_old(folder, name)).map_err(unusable)
}

/// Removes what killed writers and old versions have left.
fn remove_old(folder: &Folder, name: &str) {
    for (other, age) in folder.ages() {
        let ends_with = |end: &str| Path::new(&other).extension() == Some(OsStr::new(end));
        let is_of_another = Path::new(&other).file_stem() != Path::new(name).file_stem();
        let is_old = (ends_with(PART) && age > PART_AGE)
            || ((ends_with(CODE) || ends_with(MARK)) && age > CODE_AGE && is_of_another);
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

/// Why whole code cannot be loaded.
enum Unloadable {
    /// The system has no memory for so many bytes.
    TooLarge(u64),
    /// It is not for this version, configuration or processor, or cannot be read any more.
    Unfit(wasmtime::Error),
}

/// Loads code from its file, which has been checked, or a copy of it where a file cannot be opened by its descriptor. True
/// when it is mapped from the file, which costs less time and memory.
fn load(engine: &Engine, mut file: File) -> Result<(Component, bool), Unloadable> {
    if let Some(component) = mapped(engine, &file) {
        return Ok((component, true));
    }
    let unreadable = |error: io::Error| Unloadable::Unfit(error.into());
    let length = file.metadata().map_err(unreadable)?.len().saturating_sub(CHECKSUM_BYTES);
    let mut code = Vec::new();
    let room = usize::try_from(length).ok().and_then(|length| code.try_reserve_exact(length).ok());
    room.ok_or(Unloadable::TooLarge(length))?;
    file.rewind().and_then(|()| file.take(length).read_to_end(&mut code)).map_err(unreadable)?;
    load_code(engine, &code).map(|component| (component, false)).map_err(Unloadable::Unfit)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "loading compiled code is unsafe by nature")]
fn mapped(engine: &Engine, file: &File) -> Option<Component> {
    // It is the file that is open, whatever has its name by now.
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file));
    // SAFETY: as below; only this user can change the file in place, and `keep` never does.
    unsafe { Component::deserialize_file(engine, path) }.ok()
}

#[cfg(not(target_os = "linux"))]
fn mapped(_: &Engine, _: &File) -> Option<Component> {
    None
}

#[allow(unsafe_code, reason = "loading compiled code is unsafe by nature")]
fn load_code(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: the code was compiled by this process, or is a part of this program, or was read from a file that this user owns
    // and nobody else can write to, and whose checksum was right after its last change, so that `keep` above has written it;
    // wasmtime checks version, configuration and processor itself.
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

    #[cfg(target_os = "linux")]
    use {super::Stamp, crate::folder::Folder, std::fs::File};

    use super::CompiledCache;
    use crate::engine;
    use crate::options::OnCompile;

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

    #[cfg(target_os = "linux")]
    #[test]
    fn what_was_found_whole_is_not_looked_at_again_until_it_is_changed() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(loaded(folder.path(), None), (1, vec![]));
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let whole = std::fs::read(&file).unwrap();
        // The checksum alone is wrong, so that who does not look can load the code.
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() ^= 1;
        std::fs::write(&file, &damaged).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        Stamp::of_old(&File::open(&file).unwrap()).mark(&Folder::private(folder.path()).unwrap(), name);
        assert_eq!(loaded(folder.path(), None), (0, vec![]));
        assert_eq!(std::fs::read(&file).unwrap(), damaged);

        // The clock of a file system ticks every few milliseconds.
        std::thread::sleep(std::time::Duration::from_millis(50));
        std::fs::write(&file, &damaged).unwrap();
        assert_eq!(loaded(folder.path(), None), (1, vec!["CompiledCacheReplaced".to_owned()]));
        assert_eq!(std::fs::read(&file).unwrap(), whole);
    }

    #[test]
    fn what_does_not_fit_this_library_is_compiled() {
        let folder = tempfile::tempdir().unwrap();
        let without_time_limits = Engine::default().precompile_component(EMPTY).unwrap();
        for (name, ahead) in [("nonsense", b"nonsense".to_vec()), ("configuration", without_time_limits)] {
            assert_eq!(loaded(&folder.path().join(name), Some(&ahead)), (1, vec![]), "{name}");
        }
    }
}
