//! Extraction page by page, so that a large answer is never in memory as a whole.

use std::iter::FusedIterator;
use std::time::{Duration, Instant};

use crate::answer::{Extraction, Failure, Source};
use crate::error::{Accident, Case, Error};
use crate::limits::Bounds;
use crate::offloader::Lro;
use crate::parts::{Parts, Step};
use crate::progress::Progress;
use crate::request::ExtractRequest;

/// Pages of this size stay in the processor's cache on their way out, and a new sandbox for each costs a tenth of a
/// millisecond.
pub(crate) const PAGE_BYTES: u32 = 1 << 20;

/// How many failed records are named, as on a page.
const MOST_FAILURES: usize = 5;

/// The totals of all pages of an extraction up to now.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Extracted {
    /// Results in all pages.
    pub count: u64,
    /// Bytes of results in all pages.
    pub bytes: u64,
    /// Where the next page begins, when `limit` or `max_bytes` of the request ended the extraction.
    pub next: Option<String>,
    /// Records that the filter failed on.
    pub failed: u64,
    /// The first few of those.
    pub failures: Vec<Failure>,
    /// What looks wrong although nothing failed.
    pub remarks: Vec<String>,
}

impl Lro {
    /// Runs a recipe, a jq filter or criteria over the records of an offloaded file and returns all results, page by page,
    /// each as JSON Lines. `limit` and `max_bytes` of the request hold for all pages together, and so does the time limit;
    /// time between two pages does not count.
    ///
    /// Without such a bound, several threads read a large file (`threads` of the options), each with the time limit to
    /// itself. The pages are the same. Dropping the iterator ends the threads.
    ///
    /// ```
    /// # use lro::{Error, ExtractRequest, Lro, Source};
    /// # fn print(lro: &Lro, file: &str) -> Result<(), Error> {
    /// let mut pages = lro.extract_all(&Source::File(file.to_owned()), &ExtractRequest::of_query(".title"));
    /// for page in &mut pages {
    ///     print!("{}", page?);
    /// }
    /// eprintln!("{} results; the filter failed on {} records", pages.extracted().count, pages.extracted().failed);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// A page is an error for the reasons of [`Lro::extract`]; it is the last one.
    pub fn extract_all(&self, source: &Source, request: &ExtractRequest) -> Pages {
        let source = self.present(source);
        let progress = Progress::default();
        let parts = Parts::begin(self, &source, request, &progress);
        let time = TimeLeft::of("extraction", self.extraction_bounds(&source));
        let one = OneByOne { lro: self.clone(), source, request: Some(request.clone()), time };
        Pages { parts, one: Some(one), so_far: Extracted::default(), progress }
    }
}

/// The pages of an extraction: texts of JSON Lines, none of them empty.
#[must_use = "pages are extracted when they are asked for"]
pub struct Pages {
    /// A large file by several threads.
    parts: Option<Parts>,
    /// Anything else, and what several threads cannot answer. `None` at the end.
    one: Option<OneByOne>,
    so_far: Extracted,
    progress: Progress,
}

impl Pages {
    /// How many bytes of the file have been read, and how many there are. It stays at 0 where the file is not read in parts.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Returns the totals of the pages up to now; at the end, of the whole extraction.
    pub fn extracted(&self) -> &Extracted {
        &self.so_far
    }
}

impl Iterator for Pages {
    type Item = Result<String, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let step = match (&mut self.parts, &mut self.one) {
                (Some(parts), _) => parts.step(&mut self.so_far),
                (None, Some(one)) => one.step(&mut self.so_far),
                (None, None) => return None,
            };
            match step {
                Step::Page(text) if text.is_empty() => {}
                Step::Page(text) => return Some(Ok(text)),
                Step::AsOne => {
                    self.parts = None;
                    self.so_far = Extracted::default();
                }
                Step::End(error) => {
                    (self.parts, self.one) = (None, None);
                    return error.map(Err);
                }
            }
        }
    }
}

impl FusedIterator for Pages {}

/// An extraction from a whole file or text.
struct OneByOne {
    lro: Lro,
    source: Source,
    /// The request of the next page, without what is left of the limits. `None` after the last page.
    request: Option<ExtractRequest>,
    time: TimeLeft,
}

impl OneByOne {
    fn step(&mut self, so_far: &mut Extracted) -> Step {
        let Some(request) = &mut self.request else { return Step::End(None) };
        let asked = page_request(request, so_far);
        let (lro, source) = (&self.lro, &self.source);
        let page = match self.time.spend(|bounds| lro.extract_within(source, &asked, bounds)) {
            Err(error) if so_far.count > 0 && is_out_of_room(&error) => {
                so_far.next = request.next.take();
                return Step::End(None);
            }
            Err(error) => return Step::End(Some(error)),
            Ok(page) => page,
        };
        so_far.add(&page);
        if page.next.is_none() || is_last(&asked, &page) {
            so_far.next = page.next;
            self.request = None;
        } else if page.count == 0 && page.next == request.next {
            let message = "extraction stopped: the next page begins where this one does";
            return Step::End(Some(Accident::Broken(message.to_owned()).into()));
        } else {
            request.next = page.next;
        }
        Step::Page(page.results)
    }
}

/// The request for the next page: what is left of the limits, and no more than one page where more would follow.
fn page_request(request: &ExtractRequest, so_far: &Extracted) -> ExtractRequest {
    let page_bytes = request.chunk_bytes.unwrap_or(PAGE_BYTES);
    let max_bytes = request.max_bytes.map(|max| left(max, so_far.bytes));
    ExtractRequest {
        limit: request.limit.map(|limit| left(limit, so_far.count)),
        max_bytes,
        chunk_bytes: max_bytes.is_none_or(|max| max > page_bytes).then_some(page_bytes),
        ..request.clone()
    }
}

/// True when a page ended for another reason than its size: it holds all that was asked for.
fn is_last(asked: &ExtractRequest, page: &Extraction) -> bool {
    let is_full = |chunk: u32| page.results.len() >= chunk as usize;
    let ended_by_limit = asked.limit.is_some_and(|limit| page.count >= limit);
    let ended_by_bytes = asked.max_bytes.is_some() && !asked.chunk_bytes.is_some_and(is_full);
    ended_by_limit || ended_by_bytes
}

/// True when not even one result fits what is left of `max_bytes`. After other results that is a cut, not an error.
fn is_out_of_room(error: &Error) -> bool {
    matches!(error, Error::Case(Case::LimitReached(problem)) if problem.limit == "max_bytes")
}

fn left(limit: u32, used: u64) -> u32 {
    if used == 0 {
        // A limit of nothing is the component's to refuse.
        return limit;
    }
    u32::try_from(u64::from(limit).saturating_sub(used)).unwrap_or(0).max(1)
}

impl Extracted {
    pub(crate) fn add(&mut self, page: &Extraction) {
        self.count += u64::from(page.count);
        self.bytes += page.results.len() as u64;
        self.failed += u64::from(page.failed);
        let room = MOST_FAILURES.saturating_sub(self.failures.len());
        self.failures.extend(page.failures.iter().take(room).cloned());
        self.tell(&page.remarks);
    }

    /// Adds remarks that have not been made.
    pub(crate) fn tell(&mut self, remarks: &[String]) {
        let new: Vec<String> = remarks.iter().filter(|remark| !self.remarks.contains(remark)).cloned().collect();
        self.remarks.extend(new);
    }
}

/// One time limit for several calls.
pub(crate) struct TimeLeft {
    operation: &'static str,
    whole: Bounds,
    spent: Duration,
}

impl TimeLeft {
    /// `operation` is a noun.
    pub(crate) fn of(operation: &'static str, whole: Bounds) -> Self {
        Self { operation, whole, spent: Duration::ZERO }
    }

    /// What is left for calls that began together.
    pub(crate) fn since(start: Instant, operation: &'static str, whole: Bounds) -> Self {
        Self { operation, whole, spent: start.elapsed() }
    }

    /// Runs a call within the time that is left. A call that exceeds it is reported against the full limit, which the user
    /// knows.
    pub(crate) fn spend<T>(&mut self, call: impl FnOnce(Bounds) -> Result<T, Error>) -> Result<T, Error> {
        let left = self.whole.time.map(|whole| whole.saturating_sub(self.spent));
        let start = Instant::now();
        let answer = call(Bounds { time: left, ..self.whole });
        self.spent += start.elapsed();
        match (answer, self.whole.time) {
            (Err(Error::Case(Case::LimitReached(problem))), Some(whole)) if problem.limit == "timeout_ms" => {
                Err(Error::too_slow(self.operation, whole))
            }
            (answer, _) => answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Extracted, PAGE_BYTES, page_request};
    use crate::request::ExtractRequest;

    #[test]
    fn a_page_asks_for_what_is_left() {
        let so_far = Extracted { count: 30, bytes: 40, ..Extracted::default() };
        let cases = [
            // limit and max_bytes of the request; limit, max_bytes and chunk_bytes of the next page
            ((None, None), (None, None, Some(PAGE_BYTES))),
            ((Some(100), None), (Some(70), None, Some(PAGE_BYTES))),
            ((None, Some(100)), (None, Some(60), None)),
            ((None, Some(u32::MAX)), (None, Some(u32::MAX - 40), Some(PAGE_BYTES))),
        ];
        for ((limit, max_bytes), expected) in cases {
            let page = page_request(&ExtractRequest { limit, max_bytes, ..ExtractRequest::default() }, &so_far);
            assert_eq!((page.limit, page.max_bytes, page.chunk_bytes), expected);
        }
    }
}
