//! The calls of `wasi:filesystem` that the component makes, answered by [`Objects`]. A component that makes others cannot be
//! linked so.

use std::io::{self, ErrorKind};
use std::time::UNIX_EPOCH;

use wasmtime::component::{Linker, Resource, ResourceTable, ResourceType};
use wasmtime::error::Context;
use wasmtime_wasi::p2::bindings::clocks::wall_clock::Datetime;
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{
    DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, ErrorCode, OpenFlags, PathFlags,
};

use super::directory::{Entry, Node, Objects};
use crate::files::INTERFACE;
use crate::sandbox::{GUEST_DIRECTORY, State};

/// Where the component finds the directory.
const PREOPENS: &str = "wasi:filesystem/preopens@0.2.12";

/// A descriptor, a folder's or a file's.
type Fd = Resource<Node>;

/// The names of a folder that have not been asked for.
struct Names(std::vec::IntoIter<(String, bool)>);

/// What a call returns to the component.
type Answer<T> = Result<T, ErrorCode>;

/// Puts a store in the place of wasmtime's file system.
pub(crate) fn replace(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    let mut preopens = linker.instance(PREOPENS)?;
    preopens.func_wrap("get-directories", |mut store, (): ()| {
        let (table, objects) = State::objects(store.data_mut());
        let granted = match objects {
            Some(_) => vec![(table.push(Node::Folder(String::new()))?, GUEST_DIRECTORY.to_owned())],
            None => Vec::new(),
        };
        Ok((granted,))
    })?;
    let mut types = linker.instance(INTERFACE)?;
    types.resource("descriptor", ResourceType::host::<Node>(), |mut store, rep| {
        store.data_mut().objects().0.delete(Resource::<Node>::new_own(rep))?;
        Ok(())
    })?;
    types.resource("directory-entry-stream", ResourceType::host::<Names>(), |mut store, rep| {
        store.data_mut().objects().0.delete(Resource::<Names>::new_own(rep))?;
        Ok(())
    })?;
    types.func_wrap(
        "[method]descriptor.open-at",
        |mut store, (fd, _, name, open, flags): (Fd, PathFlags, String, OpenFlags, DescriptorFlags)| {
            store.data_mut().in_folder(&fd, |table, objects, folder| {
                let node = if open.contains(OpenFlags::DIRECTORY) {
                    objects.folder(folder, &name)
                } else if open.contains(OpenFlags::CREATE) || flags.contains(DescriptorFlags::WRITE) {
                    objects.writer(folder, &name)
                } else {
                    objects.reader(folder, &name)
                };
                pushed(table, node)
            })
        },
    )?;
    types.func_wrap("[method]descriptor.stat-at", |mut store, (fd, _, name): (Fd, PathFlags, String)| {
        store
            .data_mut()
            .in_folder(&fd, |_, objects, folder| Ok(objects.status(folder, &name).map(|entry| stat(&entry))))
    })?;
    types.func_wrap("[method]descriptor.create-directory-at", |mut store, (fd, name): (Fd, String)| {
        store.data_mut().in_folder(&fd, |_, objects, folder| Ok(objects.make_folder(folder, &name)))
    })?;
    types.func_wrap("[method]descriptor.remove-directory-at", |mut store, (fd, name): (Fd, String)| {
        store.data_mut().in_folder(&fd, |_, objects, folder| Ok(objects.remove_folder(folder, &name)))
    })?;
    types.func_wrap("[method]descriptor.unlink-file-at", |mut store, (fd, name): (Fd, String)| {
        store.data_mut().in_folder(&fd, |_, objects, folder| Ok(objects.remove(folder, &name)))
    })?;
    types.func_wrap("[method]descriptor.rename-at", |mut store, (fd, from, to_fd, to): (Fd, String, Fd, String)| {
        let state: &mut State = store.data_mut();
        let to_folder = match state.objects().0.get(&to_fd)? {
            Node::Folder(folder) => folder.clone(),
            _ => return Ok((Err(ErrorCode::NotDirectory),)),
        };
        state.in_folder(&fd, |_, objects, folder| Ok(objects.rename((folder, &from), (&to_folder, &to))))
    })?;
    types.func_wrap("[method]descriptor.read-directory", |mut store, (fd,): (Fd,)| {
        store.data_mut().in_folder(&fd, |table, objects, folder| {
            pushed(table, objects.names(folder).map(|names| Names(names.into_iter())))
        })
    })?;
    types.func_wrap(
        "[method]directory-entry-stream.read-directory-entry",
        |mut store, (names,): (Resource<Names>,)| {
            let next = store.data_mut().objects().0.get_mut(&names)?.0.next();
            let entry = next.map(|(name, is_folder)| DirectoryEntry { type_: kind(is_folder), name });
            Ok((Answer::Ok(entry),))
        },
    )?;
    types.func_wrap("[method]descriptor.read", |mut store, (fd, length, offset): (Fd, u64, u64)| {
        let (table, objects) = store.data_mut().objects();
        let read = match (table.get_mut(&fd)?, objects) {
            (Node::Reader(name, window), Some(objects)) => objects.read(name, window, offset, length),
            _ => Err(ErrorKind::IsADirectory.into()),
        };
        Ok((read.map_err(|error| code(&error)),))
    })?;
    types.func_wrap("[method]descriptor.write", |mut store, (fd, bytes, offset): (Fd, Vec<u8>, u64)| {
        let (table, objects) = store.data_mut().objects();
        let written = match (table.get(&fd)?, objects) {
            (Node::Writer(name), Some(objects)) => objects.write(name, offset, &bytes),
            _ => Err(ErrorKind::IsADirectory.into()),
        };
        Ok((written.map(|()| bytes.len() as u64).map_err(|error| code(&error)),))
    })?;
    // The store has it when it gets its name.
    types.func_wrap("[method]descriptor.sync-data", |_, (_,): (Fd,)| Ok((Answer::Ok(()),)))
}

impl State {
    /// Does something in the folder that a descriptor stands for.
    fn in_folder<T>(
        &mut self,
        fd: &Fd,
        act: impl FnOnce(&mut ResourceTable, &mut Objects, &str) -> wasmtime::Result<io::Result<T>>,
    ) -> wasmtime::Result<(Answer<T>,)> {
        let (table, objects) = self.objects();
        let Node::Folder(folder) = table.get(fd)? else { return Ok((Err(ErrorCode::NotDirectory),)) };
        let folder = folder.clone();
        let objects = objects.context("a folder is one of a store")?;
        Ok((act(table, objects, &folder)?.map_err(|error| code(&error)),))
    }
}

/// A resource for what was opened.
fn pushed<T: Send + 'static>(
    table: &mut ResourceTable,
    opened: io::Result<T>,
) -> wasmtime::Result<io::Result<Resource<T>>> {
    Ok(match opened {
        Ok(opened) => Ok(table.push(opened)?),
        Err(error) => Err(error),
    })
}

fn stat(entry: &Entry) -> DescriptorStat {
    let (size, modified) = match entry {
        Entry::File(status) => (status.bytes, status.modified),
        Entry::Folder => (0, None),
    };
    let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    DescriptorStat {
        type_: kind(matches!(entry, Entry::Folder)),
        link_count: 1,
        size,
        data_access_timestamp: None,
        data_modification_timestamp: since
            .map(|since| Datetime { seconds: since.as_secs(), nanoseconds: since.subsec_nanos() }),
        status_change_timestamp: None,
    }
}

fn kind(is_folder: bool) -> DescriptorType {
    if is_folder { DescriptorType::Directory } else { DescriptorType::RegularFile }
}

/// WASI's code for an error of a store. Its text is kept beside it: [`Objects::failure`].
fn code(error: &io::Error) -> ErrorCode {
    match error.kind() {
        ErrorKind::NotFound => ErrorCode::NoEntry,
        ErrorKind::PermissionDenied => ErrorCode::Access,
        ErrorKind::AlreadyExists => ErrorCode::Exist,
        ErrorKind::DirectoryNotEmpty => ErrorCode::NotEmpty,
        ErrorKind::IsADirectory => ErrorCode::IsDirectory,
        ErrorKind::StorageFull => ErrorCode::InsufficientSpace,
        ErrorKind::Unsupported => ErrorCode::Unsupported,
        _ => ErrorCode::Io,
    }
}
