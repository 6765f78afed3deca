//! Which files there are.

use wasmtime_wasi::FsPerms;

use crate::answer::Source;
use crate::error::Error;
use crate::offloader::Lro;
use crate::request::{self, ListRequest};
use crate::sandbox::{Grant, Sandbox};

impl Lro {
    /// Lists the files of ours in the output directory and one folder below it, the newest first, as the text of one JSON
    /// object: `files`, `total`, `next` and more, see `wit/documents.wit`. Files of other users are not ours.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found` (there is no such directory), `limit-reached`, `io`.
    pub fn list_files(&self, request: &ListRequest) -> Result<String, Error> {
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let directory = self.grant(FsPerms::ReadOnly).map(|grant| Grant { own_files_only: true, ..grant });
        let sandbox = Sandbox { operation: "listing", directory, bounds: self.limits.cleaning() };
        sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_list_files(store, &request, &settings)
        })
    }

    /// Returns what is copied so that a file outlives its session, as the text of one JSON object: the files of its
    /// document and the headers of their copies, which do not expire. [`Lro::keep`] copies them.
    ///
    /// # Errors
    /// `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn copies(&self, source: &Source) -> Result<String, Error> {
        let (source, settings) = (self.present(source), self.settings.text()?);
        let copies = self.reading("keeping", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_documents().call_copies(store, &source, &settings)
        });
        copies.map_err(|error| self.settings.output_dir.explained(error))
    }
}
