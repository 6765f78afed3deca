//! The calls of the interface `reader`, and what they ask for: passages of a file, and the lines of it that match.

use serde::{Deserialize, Serialize};

use crate::answer::{Findings, Passage, Source};
use crate::error::Error;
use crate::keys::keys;
use crate::limits::Bounds;
use crate::offloader::Lro;
use crate::request::{self, Part};
use crate::sandbox::Sandbox;
use crate::searching;

keys! {
    /// A request of `read`. Without `lines` and `characters`, everything is read.
    pub struct ReadRequest {
        /// These lines: `120-180`, `120-` (to the end) or `120`. Line 1 is the first record, or the first line of a text.
        lines: String,
        /// These characters instead.
        characters: String,
        /// Count the header as line 1, and read it too.
        header: bool,
        /// How the text is returned. Missing: as it stands.
        encoding: Encoding,
        /// At most this many bytes of the file on a page; never more than 256 KiB.
        max_bytes: u32,
        /// The `next` of the previous page. It carries the range.
        next: String,
    }
}

keys! {
    /// A request of `search`.
    pub struct SearchRequest {
        /// A regular expression, matched against each line by itself.
        pattern: String,
        /// Whether small and capital letters match each other.
        ignore_case: bool,
        /// Whether the pattern is a plain text, in which no character is special.
        literal: bool,
        /// So many lines before and after each hit, at most 20. Missing: 2.
        context: u32,
        /// So many lines before, instead.
        before: u32,
        /// So many lines after, instead.
        after: u32,
        /// At most this many hits on a page, and never more than 50.
        limit: u32,
        /// At most this many bytes of lines on a page.
        max_bytes: u32,
        /// Count the header as line 1, and search it too.
        header: bool,
        /// The `next` of the previous page.
        next: String,
        /// Search only the lines that begin in this part of the file.
        part: Part,
        /// What the parts before it have for this page.
        so_far: SoFar,
    }
}

keys! {
    /// What the parts of a file before another one have for a page of hits.
    pub struct SoFar {
        /// How many lines they have. Missing: 0.
        lines: u32,
        /// The last line that their hits show: one of these, or one behind them. Missing: 0.
        shown: u32,
        /// How many hits they have. Missing: 0.
        hits: u32,
        /// How many hits the whole file has, if they have been counted.
        total: u32,
    }
}

impl SearchRequest {
    /// A request for the lines that match a regular expression.
    pub fn of(pattern: impl Into<String>) -> Self {
        Self::default().pattern(pattern.into())
    }

    /// True for a search that several threads can share: for the first page, which no bytes bound.
    pub(crate) fn is_divisible(&self) -> bool {
        let is_bounded = self.max_bytes.is_some() || self.next.is_some();
        let is_elsewhere = self.part.is_some() || self.so_far.is_some();
        !is_bounded && !is_elsewhere && self.others.is_empty()
    }
}

/// How a passage is returned.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Encoding {
    /// As it stands.
    Raw,
    /// The base64 of its bytes.
    Base64,
}

impl Lro {
    /// Reads a range of lines or characters of an offloaded file, or all of it: one page of at most 200 lines and 256 KiB.
    ///
    /// # Errors
    /// `invalid-argument`, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn read(&self, source: &Source, request: &ReadRequest) -> Result<Passage, Error> {
        let (source, request, settings) = (self.present(source), request::text(request)?, self.settings.text()?);
        let passage = self.reading("reading", &source).run(&self.compiled, |instance, store| {
            instance.lro_offload_reader().call_read(store, &source, &request, &settings)
        });
        passage.map_err(|error| self.settings.output_dir.explained(error))
    }

    /// Searches the lines of an offloaded file for a regular expression: one page of at most 50 hits. The first page of a
    /// large file is sought by several threads, each in parts that have `max_steps` to themselves; the limit on time is that
    /// of all.
    ///
    /// # Errors
    /// `invalid-argument`, also for an invalid expression, `not-found`, `outside`, `not-an-offload`, `limit-reached`, `io`.
    pub fn search(&self, source: &Source, request: &SearchRequest) -> Result<Findings, Error> {
        searching::search(self, &self.present(source), request)
    }

    /// The same by one call, from a source that has been presented.
    pub(crate) fn search_within(
        &self,
        source: &Source,
        request: &SearchRequest,
        bounds: Bounds,
    ) -> Result<Findings, Error> {
        let (request, settings) = (request::text(request)?, self.settings.text()?);
        let sandbox = Sandbox { bounds, ..self.reading("searching", source) };
        let findings = sandbox.run(&self.compiled, |instance, store| {
            instance.lro_offload_reader().call_search(store, source, &request, &settings)
        });
        findings.map_err(|error| self.settings.output_dir.explained(error))
    }
}
