//! A large file in parts that several threads look at, their results handed out in the order of the file.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::answer::{Extraction, Source};
use crate::error::Error;
use crate::offloader::Lro;
use crate::paging::{Extracted, PAGE_BYTES, TimeLeft};
use crate::request::{ExtractRequest, Part};

/// Smaller files are done in less time than it takes to share the work: with two threads the two ways meet at 2 MB.
const LARGE_FILE_BYTES: u64 = 4 << 20;

/// A part costs a sandbox and a compiled filter, about a millisecond. Parts are so large that this does not show, and so
/// small that the threads end at about the same time.
const PART_BYTES: u64 = 4 << 20;

/// More threads than this are rather in each other's way than faster.
const MOST_THREADS: usize = 8;

/// So many parts a thread are begun before their turn has come, and so many pages of each are kept: with pages of 1 MiB,
/// a bound on what waits in memory.
const PARTS_AHEAD: usize = 2;
const PAGES_AHEAD: usize = 4;

/// A part to look at, and where its pages go.
type Job = (Part, SyncSender<Result<Extraction, Error>>);

impl Lro {
    /// How many threads are worth it for this request, when it is more than one.
    pub(crate) fn threads_for(&self, file_bytes: u64, request: &ExtractRequest) -> Option<usize> {
        if !request.is_divisible() || file_bytes < LARGE_FILE_BYTES {
            return None;
        }
        let cores = || thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
        Some(self.threads.map_or_else(cores, NonZero::get)).filter(|threads| *threads > 1)
    }

    /// Runs a request on all parts of a file. Answers nothing, and has handed out nothing, where the file has to be looked
    /// at as a whole to say what came of it.
    pub(crate) fn extract_parts<E: From<Error>>(
        &self,
        source: &Source,
        request: &ExtractRequest,
        file_bytes: u64,
        threads: usize,
        take: &mut impl FnMut(&str) -> Result<(), E>,
    ) -> Result<Option<Extracted>, E> {
        thread::scope(|scope| {
            // All ends of the channels go when this closure ends, however it does, and with them the threads.
            let (jobs, queue) = mpsc::channel::<Job>();
            let queue = Arc::new(Mutex::new(queue));
            let start = |_: &usize| {
                let queue = queue.clone();
                thread::Builder::new().spawn_scoped(scope, move || self.work(source, request, &queue)).is_ok()
            };
            // Where threads are short, those that could be started do the work; without any, the caller does.
            let threads = (0..threads).take_while(start).count();
            if threads == 0 {
                return Ok(None);
            }
            let mut parts = parts(file_bytes);
            let mut begun = VecDeque::new();
            let mut so_far = Extracted::default();
            loop {
                for part in parts.by_ref().take((threads * PARTS_AHEAD).saturating_sub(begun.len())) {
                    let (pages, results) = mpsc::sync_channel(PAGES_AHEAD);
                    // The threads live as long as this sender.
                    let _ = jobs.send((part, pages));
                    begun.push_back(results);
                }
                let Some(pages) = begun.pop_front() else { break };
                for page in pages {
                    match page {
                        Ok(page) => {
                            so_far.add(&page);
                            take(&page.results)?;
                        }
                        // A component that knows no parts, or a request that no component takes.
                        Err(Error::InvalidArgument(_)) if so_far.count == 0 => return Ok(None),
                        Err(error) => return Err(error.into()),
                    }
                }
                // Whether all records fail, which is an error, no part can tell.
                if so_far.count == 0 && so_far.failed > 0 {
                    return Ok(None);
                }
            }
            if so_far.count == 0 {
                so_far.tell(self.why_nothing(source, request));
            }
            Ok(Some(so_far))
        })
    }

    /// What there is to say of a request that finds nothing in the whole file: no part knows that by itself.
    fn why_nothing(&self, source: &Source, request: &ExtractRequest) -> Vec<String> {
        let part = Some(Part { from: None, until: Some(PART_BYTES) });
        // With a limit, a part is asked for itself.
        let asked = ExtractRequest { part, limit: Some(1), ..request.clone() };
        // Where this fails, the answer stands as it is.
        self.extract_within(source, &asked, self.extraction_bounds(source))
            .map_or_else(|_| Vec::new(), |page| page.remarks)
    }

    /// Looks at part after part, until there are no more or nobody listens.
    fn work(&self, source: &Source, request: &ExtractRequest, queue: &Mutex<Receiver<Job>>) {
        let mut time = TimeLeft::of(self.extraction_bounds(source));
        loop {
            let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((part, pages)) = job else { return };
            let chunk_bytes = Some(request.chunk_bytes.unwrap_or(PAGE_BYTES));
            let mut asked = ExtractRequest { part: Some(part), chunk_bytes, ..request.clone() };
            loop {
                let page = time.spend(|bounds| self.extract_within(source, &asked, bounds));
                asked.next = page.as_ref().ok().and_then(|page| page.next.clone());
                if pages.send(page).is_err() || asked.next.is_none() {
                    break;
                }
            }
        }
    }
}

/// The parts of a file. The first has no first byte and the last no end, so that nothing is left out of a file that grows.
fn parts(file_bytes: u64) -> impl Iterator<Item = Part> {
    let count = file_bytes.div_ceil(PART_BYTES).max(1);
    (0..count).map(move |index| Part {
        from: (index > 0).then_some(index * PART_BYTES),
        until: (index + 1 < count).then_some((index + 1) * PART_BYTES),
    })
}

#[cfg(test)]
mod tests {
    use super::{PART_BYTES, parts};

    #[test]
    fn parts_follow_each_other() {
        for bytes in [0, 1, PART_BYTES, PART_BYTES + 1, 15 * PART_BYTES - 1] {
            let parts: Vec<_> = parts(bytes).collect();
            assert_eq!((parts[0].from, parts[parts.len() - 1].until), (None, None));
            assert!(parts.windows(2).all(|pair| pair[0].until.is_some() && pair[0].until == pair[1].from));
        }
    }
}
