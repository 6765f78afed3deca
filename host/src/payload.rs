//! What is offloaded: a text, or a file that the component reads itself.

use std::fs::File;
use std::io::{Read, Seek};

use wasmtime_wasi::FsPerms;

use crate::answer::Offloading;
use crate::error::{Case, Error};
use crate::offloader::Lro;
use crate::request::{self, OffloadRequest};
use crate::sandbox::{Grant, Place, Sandbox};

/// A result, as the component gets it.
#[derive(Clone, Copy)]
pub(crate) enum Payload<'a> {
    /// It is copied into the component.
    Text(&'a str),
    /// The component reads it. It has this many bytes.
    File(&'a File, u64),
}

impl<'a> Payload<'a> {
    /// Its size.
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::File(_, bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        }
    }

    /// What is passed as its text.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Self::Text(text) => text,
            Self::File(..) => "",
        }
    }

    /// The directory, with the file in it.
    pub(crate) fn shown(self, directory: Option<Grant<'a>>) -> Option<Grant<'a>> {
        match self {
            Self::Text(_) => directory,
            Self::File(file, _) => directory.map(|grant| Grant { payload: Some(file), ..grant }),
        }
    }

    /// What a call is granted that reads it and nothing else.
    pub(crate) fn directory(self, lro: &'a Lro) -> Option<Grant<'a>> {
        match self {
            Self::Text(_) => None,
            Self::File(..) => self.shown(lro.grant(FsPerms::ReadOnly)),
        }
    }

    /// The text of a request for it.
    pub(crate) fn request(self, request: &OffloadRequest) -> Result<String, Error> {
        match self {
            Self::Text(_) => request::text(request),
            Self::File(_, bytes) => request::text(&request.clone().with("payload_bytes", bytes)),
        }
    }
}

impl Lro {
    /// Like [`Lro::offload_bytes`] for all bytes of a regular file, which must not change meanwhile. The component reads the
    /// file itself, so that the result is in memory once and not twice. What is not UTF-8, or goes to an object store, is read here
    /// first.
    ///
    /// # Errors
    /// `invalid-argument`, for a request that makes no sense, and `io`, for a file that cannot be read.
    pub fn offload_file(&self, file: &File, request: &OffloadRequest) -> Result<Offloading, Error> {
        match self.read_by_component(file, |payload| self.offload_payload(payload, request))? {
            Some(answer) => Ok(answer),
            None => self.offload_bytes(&read(file)?, request),
        }
    }

    /// Like [`Lro::estimate`] for the text of a regular file, which must not change meanwhile. The component reads the file
    /// itself if the output directory is there to show it in. What is not UTF-8 counts as the text that it comes closest to.
    ///
    /// # Errors
    /// Those of [`Lro::estimate`], and `io` for a file that cannot be read.
    pub fn estimate_file(&self, file: &File, request: &OffloadRequest) -> Result<u32, Error> {
        match self.read_by_component(file, |payload| self.estimate_payload(payload, request))? {
            Some(tokens) => Ok(tokens),
            None => self.estimate(&String::from_utf8_lossy(&read(file)?), request),
        }
    }

    /// The answer of a call that reads the file itself; `None` if it cannot.
    fn read_by_component<T>(
        &self,
        file: &File,
        call: impl FnOnce(Payload<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        if !matches!(self.settings.output_dir.place(), Some(Place::Directory(_))) {
            return Ok(None);
        }
        match call(Payload::File(file, file.metadata().map_err(|error| unreadable(&error))?.len())) {
            Err(Error::Case(Case::Io(_))) => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// [`Lro::estimate`] for either kind of payload. A file that the component cannot read is the error `io`.
    pub(crate) fn estimate_payload(&self, payload: Payload<'_>, request: &OffloadRequest) -> Result<u32, Error> {
        let (request, settings) = (payload.request(request)?, self.settings.text()?);
        let bounds = self.limits.offloading(payload.bytes());
        let directory = payload.directory(self);
        Sandbox { operation: "estimating", directory, bounds }.run(&self.compiled, |instance, store| {
            instance.lro_offload_offloader().call_estimate(store, payload.text(), &request, &settings)
        })
    }
}

/// All bytes of a file that may have been looked at.
fn read(mut file: &File) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(|error| unreadable(&error))?;
    Ok(bytes)
}

fn unreadable(error: &std::io::Error) -> Error {
    Error::io("read the file of the result", error)
}
