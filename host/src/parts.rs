//! Reads a large file in parts with several threads, and returns their results in the order of the file.

use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use crate::answer::{Extraction, Source};
use crate::error::{Accident, Case, Error};
use crate::offloader::Lro;
use crate::paging::{Extracted, PAGE_BYTES, TimeLeft};
use crate::progress::Progress;
use crate::request::{ExtractRequest, Part};

/// Smaller files are done in less time than it takes to share the work: with two threads the two ways meet at 2 MB.
const LARGE_FILE_BYTES: u64 = 4 << 20;

/// A part costs a sandbox and a compiled filter, about a millisecond. Parts are so large that this does not show, and so
/// small that the threads end at about the same time.
const PART_BYTES: u64 = 4 << 20;

/// More threads than this slow each other down.
const MOST_THREADS: usize = 8;

/// How many parts each thread reads ahead, and how many pages of each part are kept: with pages of 1 MiB, this bounds what
/// waits in memory.
const PARTS_AHEAD: usize = 2;
const PAGES_AHEAD: usize = 4;

/// A page of a part; `None` behind the last one.
type PartPage = Result<Option<Extraction>, Error>;

/// A part to read, and where its pages go.
type Job = (Part, SyncSender<PartPage>);

/// What comes next of an extraction.
pub(crate) enum Step {
    /// The results of a page.
    Page(String),
    /// The file has to be read as a whole. No results have been returned.
    AsOne,
    /// There is nothing more, or an error.
    End(Option<Error>),
}

/// An extraction by several threads.
pub(crate) struct Parts {
    task: Arc<Task>,
    /// Where the threads get their work. They end when it is dropped.
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    /// Parts that no thread has been given.
    waiting: Box<dyn Iterator<Item = Part> + Send>,
    /// The pages of those that have been, in the order of the file.
    begun: VecDeque<Receiver<PartPage>>,
    progress: Progress,
    file_bytes: u64,
}

/// What all threads do.
struct Task {
    lro: Lro,
    source: Source,
    request: ExtractRequest,
}

impl Parts {
    /// Begins an extraction from a source that has been presented, where several threads are worth it.
    pub(crate) fn begin(lro: &Lro, source: &Source, request: &ExtractRequest, progress: &Progress) -> Option<Self> {
        let Source::File(file) = source else { return None };
        let file_bytes = lro.file_bytes(file);
        let wanted = threads_for(lro, file_bytes, request)?;
        let task = Arc::new(Task { lro: lro.clone(), source: source.clone(), request: request.clone() });
        let (jobs, queue) = mpsc::channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (task, queue) = (task.clone(), queue.clone());
            thread::Builder::new().spawn(move || task.work(&queue)).ok()
        };
        // Where threads are short, those that could be started do the work; without any, the caller does.
        let threads: Vec<_> = (0..wanted).map_while(start).collect();
        if threads.is_empty() {
            return None;
        }
        let waiting = Box::new(parts(file_bytes));
        progress.expect(file_bytes);
        let progress = progress.clone();
        Some(Self { task, jobs: Some(jobs), threads, waiting, begun: VecDeque::new(), progress, file_bytes })
    }

    /// The next page.
    pub(crate) fn step(&mut self, so_far: &mut Extracted) -> Step {
        loop {
            self.give_out();
            let Some(pages) = self.begun.front() else {
                if so_far.count == 0 {
                    so_far.tell(&self.task.why_nothing());
                }
                return Step::End(None);
            };
            // A thread that ends without a word has panicked.
            match pages.recv().unwrap_or_else(|_| Err(stopped())) {
                Ok(Some(page)) => {
                    so_far.add(&page);
                    return Step::Page(page.results);
                }
                // A component that knows no parts, or a request that no component takes.
                Err(Error::Case(Case::InvalidArgument(_))) if so_far.count == 0 => return Step::AsOne,
                Err(error) => return Step::End(Some(error)),
                // No single part knows whether all records fail, which is an error.
                Ok(None) if so_far.count == 0 && so_far.failed > 0 => return Step::AsOne,
                Ok(None) => {
                    self.begun.pop_front();
                    // The last part is shorter than the others.
                    self.progress.add(PART_BYTES.min(self.file_bytes.saturating_sub(self.progress.done())));
                }
            }
        }
    }

    /// Gives the threads as many parts as they may have begun.
    fn give_out(&mut self) {
        let free = (self.threads.len() * PARTS_AHEAD).saturating_sub(self.begun.len());
        for part in self.waiting.by_ref().take(free) {
            let (pages, results) = mpsc::sync_channel(PAGES_AHEAD);
            if let Some(jobs) = &self.jobs {
                // If no thread is left, `results` says so.
                let _ = jobs.send((part, pages));
            }
            self.begun.push_back(results);
        }
    }
}

/// Stops the threads, and waits until they have closed the file.
impl Drop for Parts {
    fn drop(&mut self) {
        self.jobs = None;
        self.begun.clear();
        for thread in self.threads.drain(..) {
            // The pages of one that has panicked are an error.
            let _ = thread.join();
        }
    }
}

impl Task {
    /// Returns the remarks on a request that finds nothing in the whole file, which no single part can know.
    fn why_nothing(&self) -> Vec<String> {
        // With a limit, a part is asked for itself.
        let asked = self.request.clone().part(Part::default().until(PART_BYTES)).limit(1);
        // If this fails, there are no remarks.
        self.lro
            .extract_within(&self.source, &asked, self.lro.extraction_bounds(&self.source))
            .map_or_else(|_| Vec::new(), |page| page.remarks)
    }

    /// Reads part after part, until there are no more or the receiver has gone.
    fn work(&self, queue: &Mutex<Receiver<Job>>) {
        let mut time = TimeLeft::of("extraction", self.lro.extraction_bounds(&self.source));
        loop {
            let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok((part, pages)) = job else { return };
            let chunk_bytes = self.request.chunk_bytes.unwrap_or(PAGE_BYTES);
            let mut asked = self.request.clone().part(part).chunk_bytes(chunk_bytes);
            loop {
                let page = time.spend(|bounds| self.lro.extract_within(&self.source, &asked, bounds));
                let is_error = page.is_err();
                asked.next = page.as_ref().ok().and_then(|page| page.next.clone());
                if pages.send(page.map(Some)).is_err() || is_error {
                    break;
                }
                if asked.next.is_none() {
                    // It has gone if nobody waits for the end.
                    let _ = pages.send(Ok(None));
                    break;
                }
            }
        }
    }
}

fn stopped() -> Error {
    Accident::Broken("extraction stopped: a thread that read a part of the file panicked".to_owned()).into()
}

/// How many threads are worth it for this request, when it is more than one.
fn threads_for(lro: &Lro, file_bytes: u64, request: &ExtractRequest) -> Option<usize> {
    if !request.is_divisible() || file_bytes < LARGE_FILE_BYTES {
        return None;
    }
    threads(lro)
}

/// How many threads share the work on a large file, when it is more than one.
pub(crate) fn threads(lro: &Lro) -> Option<usize> {
    let cores = || thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    Some(lro.threads.map_or_else(cores, NonZero::get)).filter(|threads| *threads > 1)
}

/// The parts of a file. The first part has no first byte and the last no end, so that nothing of a growing file is left out.
fn parts(file_bytes: u64) -> impl Iterator<Item = Part> {
    let count = file_bytes.div_ceil(PART_BYTES).max(1);
    (0..count).map(move |index| {
        let from = (index > 0).then_some(index * PART_BYTES);
        Part::default().from(from).until((index + 1 < count).then_some((index + 1) * PART_BYTES))
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
