//! What is offloaded: a text, or a file that the component reads itself.

use std::fs::File;
use std::io::{Read, Seek};

use crate::answer::Offloading;
use crate::error::{Case, Error};
use crate::offloader::Lro;
use crate::request::{self, OffloadRequest};
use crate::sandbox::{Grant, Place};

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
        let failed = |error| Error::io("read the file to offload", &error);
        if matches!(self.settings.output_dir.place(), Some(Place::Directory(_))) {
            let bytes = file.metadata().map_err(failed)?.len();
            match self.offload_payload(Payload::File(file, bytes), request) {
                Err(Error::Case(Case::Io(_))) => {}
                answer => return answer,
            }
        }
        let (mut file, mut bytes) = (file, Vec::new());
        file.rewind().and_then(|()| file.read_to_end(&mut bytes)).map_err(failed)?;
        self.offload_bytes(&bytes, request)
    }
}
