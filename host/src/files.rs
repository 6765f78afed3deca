//! How a call opens and creates files, where that differs from wasmtime's own way.
//!
//! - What a call creates is private from its first byte on: files have mode 0600, folders 0700 (USER-08).
//! - Opening never waits: a pipe that takes the place of a file is an error, not a hang.
//! - A payload that is in a file is opened by a name in the output directory, wherever it is.
//! - What a call has created is remembered, so that nothing of a call that is stopped stays behind (LRO-42).

use wasmtime::component::{Linker, Resource};
use wasmtime_wasi::filesystem::{Descriptor, Dir, File, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::filesystem::types as wasi;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorFlags, ErrorCode, Host, HostDescriptor, OpenFlags, PathFlags,
};
use wasmtime_wasi::p2::{FsError, FsResult};
use wasmtime_wasi::{FsPerms, OpenMode};

use crate::created::Created;
use crate::sandbox::{PAYLOAD, State};

/// The interface as wasmtime-wasi defines it; components of other 0.2 versions find it too.
pub(crate) const INTERFACE: &str = "wasi:filesystem/types@0.2.12";

/// The arguments of `open-at`.
type Open = (Resource<Descriptor>, PathFlags, String, OpenFlags, DescriptorFlags);

/// The arguments of `rename-at`.
type Rename = (Resource<Descriptor>, String, Resource<Descriptor>, String);

/// Puts these ways of opening and creating in the place of wasmtime's.
pub(crate) fn replace(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut interface = linker.instance(INTERFACE)?;
    interface.func_wrap("[method]descriptor.open-at", |mut store, open: Open| {
        let state: &mut State = store.data_mut();
        let opened = state.open(open);
        Ok((state.told(opened)?,))
    })?;
    interface.func_wrap("[method]descriptor.rename-at", |mut store, rename: Rename| {
        let state: &mut State = store.data_mut();
        let renamed = state.rename(rename);
        Ok((state.told(renamed)?,))
    })?;
    interface.func_wrap(
        "[method]descriptor.create-directory-at",
        |mut store, (directory, name): (Resource<Descriptor>, String)| {
            let state: &mut State = store.data_mut();
            let made = state.make_folder(directory, name);
            Ok((state.told(made)?,))
        },
    )
}

impl State {
    /// Deletes what this call has created, because it was stopped and nobody will know its files.
    pub(crate) fn remove_created(&mut self) {
        if let (_, Some(objects)) = self.objects() {
            objects.remove_stored();
        }
        for Created { directory, name } in self.created.take() {
            let mut view = self.filesystem();
            let Ok(directory) = view.table.push(Descriptor::Dir(directory)) else { continue };
            // What the component has deleted itself cannot be deleted again.
            _ = HostDescriptor::unlink_file_at(&mut view, directory, name);
        }
    }

    fn open(&mut self, open: Open) -> FsResult<Resource<Descriptor>> {
        let directory = self.directory(&open.0)?;
        let (name, open_flags) = (open.2.clone(), open.3);
        if let Some(payload) = self.payload.take_if(|_| name == PAYLOAD && open_flags == OpenFlags::empty()) {
            let payload = File::new(payload, FsPerms::ReadOnly, OpenMode::READ, true);
            return Ok(self.filesystem().table.push(Descriptor::File(payload))?);
        }
        let created = self.created.clone();
        let mut noting = created.noting();
        let opened = match own::open(&directory, &open, self.own_files_only) {
            Some(opened) => self.filesystem().table.push(opened?)?,
            None => {
                let (fd, path_flags, path, open_flags, flags) = open;
                HostDescriptor::open_at(&mut self.filesystem(), fd, path_flags, path, open_flags, flags)?
            }
        };
        if open_flags.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) {
            noting.add(directory, name);
        }
        Ok(opened)
    }

    fn rename(&mut self, (fd, from, new_fd, to): Rename) -> FsResult<()> {
        let (old, new) = (self.directory(&fd)?, self.directory(&new_fd)?);
        let created = self.created.clone();
        let mut noting = created.noting();
        HostDescriptor::rename_at(&mut self.filesystem(), fd, from.clone(), new_fd, to.clone())?;
        noting.rename((&old, &from), Created { directory: new, name: to });
        Ok(())
    }

    fn make_folder(&mut self, fd: Resource<Descriptor>, name: String) -> FsResult<()> {
        let directory = self.directory(&fd)?;
        match own::make_folder(&directory, &name) {
            Some(made) => made,
            None => HostDescriptor::create_directory_at(&mut self.filesystem(), fd, name),
        }
    }

    fn directory(&mut self, fd: &Resource<Descriptor>) -> FsResult<Dir> {
        match self.filesystem().table.get(fd)? {
            Descriptor::Dir(directory) => Ok(directory.clone()),
            Descriptor::File(_) => Err(error(ErrorCode::NotDirectory)),
        }
    }

    /// An answer as the component gets it.
    fn told<T>(&mut self, answer: FsResult<T>) -> wasmtime::Result<Result<T, ErrorCode>> {
        match answer {
            Ok(answer) => Ok(Ok(answer)),
            Err(error) => Host::convert_error_code(&mut self.filesystem(), error).map(Err),
        }
    }
}

/// An error as wasmtime's own functions return it; the two bindings of one interface have a type of their own each.
fn error(code: ErrorCode) -> FsError {
    let code = match code {
        ErrorCode::Access => wasi::ErrorCode::Access,
        ErrorCode::NotPermitted => wasi::ErrorCode::NotPermitted,
        ErrorCode::NotDirectory => wasi::ErrorCode::NotDirectory,
        ErrorCode::ReadOnly => wasi::ErrorCode::ReadOnly,
        ErrorCode::Quota => wasi::ErrorCode::Quota,
        ErrorCode::NoSuchDevice => wasi::ErrorCode::NoSuchDevice,
        ErrorCode::InsufficientMemory => wasi::ErrorCode::InsufficientMemory,
        _ => wasi::ErrorCode::Io,
    };
    code.into()
}

/// Opening and creating a single name in a directory, without following a link. Anything else is left to wasmtime, which
/// confines a path of several names.
#[cfg(unix)]
mod own {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Component, Path};

    use rustix::fs::{FileType, Mode, OFlags, fstat, mkdirat, openat};
    use rustix::io::Errno;
    use wasmtime_wasi::OpenMode;
    use wasmtime_wasi::filesystem::{self, Descriptor, Dir};
    use wasmtime_wasi::p2::bindings::sync::filesystem::types::{DescriptorFlags, ErrorCode, OpenFlags, PathFlags};
    use wasmtime_wasi::p2::{FsError, FsResult};

    use super::{Open, error};
    use crate::owner::is_ours;

    /// Flags that wasmtime refuses, and says why.
    const SYNCHRONISED: [DescriptorFlags; 3] = [
        DescriptorFlags::FILE_INTEGRITY_SYNC,
        DescriptorFlags::DATA_INTEGRITY_SYNC,
        DescriptorFlags::REQUESTED_WRITE_SYNC,
    ];

    pub(super) fn open(directory: &Dir, open: &Open, own_files_only: bool) -> Option<FsResult<Descriptor>> {
        let (_, path_flags, name, open_flags, flags) = open;
        let follows = path_flags.contains(PathFlags::SYMLINK_FOLLOW);
        let is_plain = is_single(name) && !follows && !SYNCHRONISED.iter().any(|flag| flags.contains(*flag));
        is_plain.then(|| {
            let opened = opened(directory, name, *open_flags, *flags)?;
            match &opened {
                Descriptor::File(file) if own_files_only && !is_own(&file.file, &directory.dir)? => {
                    Err(error(ErrorCode::Access))
                }
                _ => Ok(opened),
            }
        })
    }

    /// True for a file of this user, or of the directory's owner, for whom an administrator may act.
    fn is_own(file: &File, directory: &File) -> FsResult<bool> {
        let file = file.metadata()?;
        Ok(is_ours(&file) || file.uid() == directory.metadata()?.uid())
    }

    fn opened(directory: &Dir, name: &str, open_flags: OpenFlags, flags: DescriptorFlags) -> FsResult<Descriptor> {
        let changes = open_flags.contains(OpenFlags::CREATE) || open_flags.contains(OpenFlags::TRUNCATE);
        let writes = changes || flags.contains(DescriptorFlags::WRITE);
        let reads = !writes || flags.contains(DescriptorFlags::READ);
        let mutates = flags.contains(DescriptorFlags::MUTATE_DIRECTORY);
        if directory.perms.write_not_permitted() && (writes || mutates) {
            return Err(error(ErrorCode::NotPermitted));
        }
        // A pipe without another end would make this wait for one.
        let mut how = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
        how |= match (reads, writes) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            _ => OFlags::RDONLY,
        };
        for (flag, meaning) in [
            (OpenFlags::CREATE, OFlags::CREATE),
            (OpenFlags::EXCLUSIVE, OFlags::EXCL),
            (OpenFlags::TRUNCATE, OFlags::TRUNC),
            (OpenFlags::DIRECTORY, OFlags::DIRECTORY),
        ] {
            how.set(meaning, open_flags.contains(flag));
        }
        let private = Mode::RUSR | Mode::WUSR;
        let file = File::from(repeated(|| openat(&*directory.dir, name, how, private))?);
        let mut mode = OpenMode::empty();
        mode.set(OpenMode::READ, reads);
        mode.set(OpenMode::WRITE, writes || mutates);
        let perms = directory.perms;
        match FileType::from_raw_mode(fstat(&file).map_err(told)?.st_mode) {
            FileType::Directory => Ok(Descriptor::Dir(Dir::new(file, perms, mode, true))),
            FileType::RegularFile => Ok(Descriptor::File(filesystem::File::new(file, perms, mode, true))),
            _ => Err(error(ErrorCode::NoSuchDevice)),
        }
    }

    pub(super) fn make_folder(directory: &Dir, name: &str) -> Option<FsResult<()>> {
        if !is_single(name) {
            return None;
        }
        if directory.perms.write_not_permitted() {
            return Some(Err(error(ErrorCode::NotPermitted)));
        }
        Some(repeated(|| mkdirat(&*directory.dir, name, Mode::RWXU)))
    }

    /// True for a name that can only mean an entry of the directory itself.
    fn is_single(name: &str) -> bool {
        let mut components = Path::new(name).components();
        matches!((components.next(), components.next()), (Some(Component::Normal(part)), None) if part == name)
    }

    /// Tries again when a signal came between.
    fn repeated<T>(mut call: impl FnMut() -> Result<T, Errno>) -> FsResult<T> {
        loop {
            match call() {
                Err(Errno::INTR) => {}
                result => return result.map_err(told),
            }
        }
    }

    fn told(errno: Errno) -> FsError {
        match errno {
            Errno::ROFS => error(ErrorCode::ReadOnly),
            Errno::DQUOT => error(ErrorCode::Quota),
            Errno::NXIO => error(ErrorCode::NoSuchDevice),
            // WASI has no code for descriptors; by default they would read as a broken disk.
            Errno::MFILE | Errno::NFILE | Errno::NOMEM => error(ErrorCode::InsufficientMemory),
            errno => std::io::Error::from(errno).into(),
        }
    }
}

/// Elsewhere folders of a user are private by their access lists, and there are no pipes among files.
#[cfg(not(unix))]
mod own {
    use wasmtime_wasi::filesystem::{Descriptor, Dir};
    use wasmtime_wasi::p2::FsResult;

    use super::Open;

    pub(super) fn open(_: &Dir, _: &Open, _: bool) -> Option<FsResult<Descriptor>> {
        None
    }

    pub(super) fn make_folder(_: &Dir, _: &str) -> Option<FsResult<()>> {
        None
    }
}
