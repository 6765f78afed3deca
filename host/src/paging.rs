//! Extraction page by page, so that a large answer is never in memory as a whole.

use std::time::{Duration, Instant};

use crate::answer::{Extraction, Failure, Source};
use crate::error::Error;
use crate::limits::Bounds;
use crate::offloader::Lro;
use crate::request::ExtractRequest;

/// Pages of this size stay in the processor's cache on their way out, and a new sandbox for each costs a tenth of a
/// millisecond.
pub(crate) const PAGE_BYTES: u32 = 1 << 20;

/// So many failed records are named, as on a page.
const MOST_FAILURES: usize = 5;

/// What all pages of an extraction came to.
#[derive(Clone, Debug, Default)]
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
    /// What looks wrong though nothing failed.
    pub remarks: Vec<String>,
}

impl Lro {
    /// Runs a recipe or a jq filter over the records of an offloaded file and hands out the results page by page, each
    /// as JSON Lines. `limit` and `max_bytes` of the request hold for all pages together, and so does the time limit;
    /// time that `take` needs does not count.
    ///
    /// A large file that is asked for without such a bound is looked at by several threads (`threads` of the options), each
    /// with the time limit to itself. What is handed out is the same.
    ///
    /// # Errors
    /// Those of [`Lro::extract`], and whatever `take` answers: both end the extraction.
    pub fn extract_all<E: From<Error>>(
        &self,
        source: &Source,
        request: &ExtractRequest,
        mut take: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<Extracted, E> {
        let source = self.present(source);
        if let Source::File(file) = &source
            && let bytes = self.file_bytes(file)
            && let Some(threads) = self.threads_for(bytes, request)
            && let Some(extracted) = self.extract_parts(&source, request, bytes, threads, &mut take)?
        {
            return Ok(extracted);
        }
        let mut time = TimeLeft::of(self.extraction_bounds(&source));
        let mut so_far = Extracted::default();
        let mut request = request.clone();
        loop {
            let asked = page_request(&request, &so_far);
            let page = match time.spend(|bounds| self.extract_within(&source, &asked, bounds)) {
                Err(error) if so_far.count > 0 && is_out_of_room(&error) => {
                    so_far.next = request.next;
                    return Ok(so_far);
                }
                page => page?,
            };
            so_far.add(&page);
            take(&page.results)?;
            if page.next.is_none() || is_last(&asked, &page) {
                so_far.next = page.next;
                return Ok(so_far);
            }
            if page.count == 0 && page.next == request.next {
                return Err(Error::Other("extraction stopped: the next page begins where this one does".into()).into());
            }
            request.next = page.next;
        }
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
    matches!(error, Error::LimitReached(problem) if problem.limit == "max_bytes")
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
        self.remarks.extend_from_slice(&page.remarks);
    }

    /// Adds remarks that have not been made.
    pub(crate) fn tell(&mut self, remarks: Vec<String>) {
        let new: Vec<String> = remarks.into_iter().filter(|remark| !self.remarks.contains(remark)).collect();
        self.remarks.extend(new);
    }
}

/// One time limit for several calls.
pub(crate) struct TimeLeft {
    whole: Bounds,
    spent: Duration,
}

impl TimeLeft {
    pub(crate) fn of(whole: Bounds) -> Self {
        Self { whole, spent: Duration::ZERO }
    }

    /// Runs a call within what is left. A call that runs out of it is told by the whole limit, which the user knows.
    pub(crate) fn spend<T>(&mut self, call: impl FnOnce(Bounds) -> Result<T, Error>) -> Result<T, Error> {
        let left = self.whole.time.map(|whole| whole.saturating_sub(self.spent));
        let start = Instant::now();
        let answer = call(Bounds { time: left, ..self.whole });
        self.spent += start.elapsed();
        match (answer, self.whole.time) {
            (Err(Error::LimitReached(problem)), Some(whole)) if problem.limit == "timeout_ms" => {
                Err(Error::too_slow("extraction", whole))
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
            let page = page_request(&ExtractRequest { limit, max_bytes, ..Default::default() }, &so_far);
            assert_eq!((page.limit, page.max_bytes, page.chunk_bytes), expected);
        }
    }
}
