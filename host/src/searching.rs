//! Searches a large file in parts with several threads. What comes of it is what comes of a search of the whole.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use crate::answer::{Findings, Hit, Source};
use crate::error::{Case, Error};
use crate::limits::Bounds;
use crate::offloader::Lro;
use crate::paging::TimeLeft;
use crate::parts::threads;
use crate::reader::{SearchRequest, SoFar};
use crate::request::Part;

/// Smaller files are searched in less time than it takes to share the work.
const LARGE_FILE_BYTES: u64 = 8 << 20;

/// Most searches find a page in so much of a file, and threads would only search what nobody asks for.
const FIRST_PART_BYTES: u64 = 1 << 20;

/// A part costs a sandbox and a compiled expression, about half a millisecond. When a page is full, what the threads have
/// begun is searched in vain, so the parts near the front are small.
const PART_BYTES: u64 = 16 << 20;
const FRONT_PART_BYTES: [u64; 2] = [2 << 20, 4 << 20];

/// A page has no more hits (READ-10).
const MOST_HITS: u32 = 50;

/// Searches a source that has been presented.
pub(crate) fn search(lro: &Lro, source: &Source, request: &SearchRequest) -> Result<Findings, Error> {
    let bounds = lro.extraction_bounds(source);
    let whole = || lro.search_within(source, request, bounds);
    let Source::File(file) = source else { return whole() };
    let file_bytes = lro.file_bytes(file);
    if !request.is_divisible() || file_bytes < LARGE_FILE_BYTES {
        return whole();
    }
    let Some(threads) = threads(lro) else { return whole() };
    let search = Search { lro, source, file_bytes, request, bounds, start: Instant::now() };
    match search.in_parts(&parts(file_bytes, threads as u64), threads) {
        Ok(Some(findings)) => Ok(findings),
        // A component that knows no parts, or a request that no component takes.
        Ok(None) | Err(Error::Case(Case::InvalidArgument(_))) => whole(),
        Err(error) => Err(error),
    }
}

/// The parts of a file, of which the last one has no end. Behind the front, each thread gets as many as the others.
fn parts(file_bytes: u64, threads: u64) -> Vec<Part> {
    let mut ends = vec![FIRST_PART_BYTES];
    let mut rest = file_bytes.saturating_sub(FIRST_PART_BYTES);
    for bytes in FRONT_PART_BYTES {
        for _ in 0..threads {
            if rest > bytes * 2 {
                ends.push(ends[ends.len() - 1] + bytes);
                rest -= bytes;
            }
        }
    }
    let count = rest.div_ceil(PART_BYTES).next_multiple_of(threads).max(1);
    let begin = ends[ends.len() - 1];
    ends.extend((1..count).map(|index| begin + index * rest.div_ceil(count)));
    let starts = [None].into_iter().chain(ends.iter().copied().map(Some));
    let ends = ends.iter().copied().map(Some).chain([None]);
    starts.zip(ends).map(|(from, until)| Part::default().from(from).until(until)).collect()
}

/// A search and what it runs on.
#[derive(Clone, Copy)]
struct Search<'a> {
    lro: &'a Lro,
    source: &'a Source,
    file_bytes: u64,
    request: &'a SearchRequest,
    bounds: Bounds,
    /// The limit on time is that of all calls together: it protects the patience of a user.
    start: Instant,
}

impl Search<'_> {
    /// Searches the first part, and then the others at once. `None` if the file has to be searched as a whole.
    fn in_parts(self, parts: &[Part], threads: usize) -> Result<Option<Findings>, Error> {
        let [first, others @ ..] = parts else { return Ok(None) };
        let first = self.page(first.clone(), None)?;
        if first.total.is_none() {
            return Ok(None);
        }
        let begun = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (pages, results) = mpsc::channel();
            for _ in 0..threads {
                let (pages, begun) = (pages.clone(), &begun);
                // Where threads are short, the caller searches what none of them has.
                let _ = thread::Builder::new().spawn_scoped(scope, move || self.work(others, begun, &pages));
            }
            drop(pages);
            let others = Others { search: self, parts: others, results, waiting: BTreeMap::new() };
            // What is left of the page is sought when no thread begins another part.
            let found = self.together(first, parts, others);
            begun.store(usize::MAX / 2, Ordering::Relaxed);
            let (so_far, from, total) = found?;
            self.rest(so_far, from, total).map(Some)
        })
    }

    /// Searches parts until none is left.
    fn work(self, parts: &[Part], begun: &AtomicUsize, pages: &Sender<(usize, Result<Findings, Error>)>) {
        loop {
            let index = begun.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(index) else { return };
            if pages.send((index, self.page(part.clone(), None))).is_err() {
                return;
            }
        }
    }

    /// The hits of a part.
    fn page(self, part: Part, so_far: Option<SoFar>) -> Result<Findings, Error> {
        let request = self.request.clone().part(part).so_far(so_far);
        let mut time = TimeLeft::since(self.start, "searching", self.bounds);
        time.spend(|bounds| self.lro.search_within(self.source, &request, bounds))
    }

    /// Puts the pages of the parts together, as far as one page goes. Returns the hits, where the rest of the page begins, and
    /// the hits of the whole file where they are counted although a page is full.
    fn together(
        self,
        first: Findings,
        parts: &[Part],
        mut others: Others<'_>,
    ) -> Result<(Hits, Option<u64>, Option<u32>), Error> {
        let most = self.request.limit.unwrap_or(MOST_HITS).min(MOST_HITS);
        let mut so_far = Hits::default();
        let mut page = first;
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                page = others.page(index - 1)?;
            }
            // A part that does not know its hits has more than a page.
            if page.total.is_none_or(|total| so_far.count().saturating_add(total) > most) {
                let total = self.total(&so_far, part, &page, || others.total(index))?;
                return Ok((so_far, part.from, total));
            }
            so_far.add(std::mem::take(&mut page.hits), page.lines.unwrap_or_default());
        }
        // A call after the end returns the remarks.
        Ok((so_far, Some(self.file_bytes), None))
    }

    /// The hits of the whole file, where a search counts them although a page is full in this part: `of_others` returns those
    /// of the parts behind it.
    fn total(
        self,
        so_far: &Hits,
        part: &Part,
        page: &Findings,
        of_others: impl FnOnce() -> Result<Option<u32>, Error>,
    ) -> Result<Option<u32>, Error> {
        let Some(total) = page.total else { return Ok(None) };
        let of_this = self.page(part.clone(), Some(so_far.so_far()))?;
        if of_this.total.is_none() {
            return Ok(None);
        }
        Ok(of_others()?.map(|others| so_far.count().saturating_add(total).saturating_add(others)))
    }

    /// The page whose first hits have been found, and which goes on at a byte of the file.
    fn rest(self, so_far: Hits, from: Option<u64>, total: Option<u32>) -> Result<Findings, Error> {
        let part = Part::default().from(from.unwrap_or_default());
        let rest = self.page(part, Some(so_far.so_far().total(total)))?;
        let lines = rest.lines.map(|lines| lines.saturating_add(so_far.lines));
        Ok(Findings { hits: [so_far.hits, rest.hits].concat(), lines, ..rest })
    }
}

/// The pages of the parts behind the first one.
struct Others<'a> {
    search: Search<'a>,
    parts: &'a [Part],
    results: Receiver<(usize, Result<Findings, Error>)>,
    /// Those that came before their turn.
    waiting: BTreeMap<usize, Result<Findings, Error>>,
}

impl Others<'_> {
    /// The page of a part, each of which is asked for once.
    fn page(&mut self, index: usize) -> Result<Findings, Error> {
        loop {
            if let Some(page) = self.waiting.remove(&index) {
                return page;
            }
            match self.results.recv() {
                Ok((index, page)) => drop(self.waiting.insert(index, page)),
                Err(_) => return self.search.page(self.parts[index].clone(), None),
            }
        }
    }

    /// The hits of a part and all behind it, if they are known.
    fn total(&mut self, from: usize) -> Result<Option<u32>, Error> {
        let mut sum = 0_u32;
        for index in from..self.parts.len() {
            let Some(total) = self.page(index)?.total else { return Ok(None) };
            sum = sum.saturating_add(total);
        }
        Ok(Some(sum))
    }
}

/// The hits of parts that follow each other.
#[derive(Default)]
struct Hits {
    hits: Vec<Hit>,
    /// How many lines the parts have.
    lines: u32,
    /// The last line that a hit shows.
    shown: u32,
}

impl Hits {
    fn count(&self) -> u32 {
        self.hits.len() as u32
    }

    fn so_far(&self) -> SoFar {
        SoFar::default().lines(self.lines).shown(self.shown).hits(self.count())
    }

    /// Adds the hits of the next part, whose lines are counted from its own first one, and show lines of the part before.
    fn add(&mut self, hits: Vec<Hit>, lines: u32) {
        for mut hit in hits {
            hit.line = hit.line.saturating_add(self.lines);
            let shown_before = (self.shown.saturating_add(hit.before.len() as u32 + 1)).saturating_sub(hit.line);
            hit.before.drain(..hit.before.len().min(shown_before as usize));
            self.shown = hit.line.saturating_add(hit.after.len() as u32);
            self.hits.push(hit);
        }
        self.lines = self.lines.saturating_add(lines);
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_PART_BYTES, PART_BYTES, parts};

    #[test]
    fn parts_follow_each_other_and_are_bounded() {
        for bytes in [8 << 20, (17 << 20) + 1, 100_000_001] {
            for threads in 2..9 {
                let parts = parts(bytes, threads);
                assert_eq!((parts[0].from, parts[0].until), (None, Some(FIRST_PART_BYTES)));
                assert!(parts.windows(2).all(|pair| pair[0].until == pair[1].from && pair[1].from.unwrap() < bytes));
                assert!(parts.windows(2).all(|pair| pair[1].from.unwrap() - pair[0].from.unwrap_or(0) <= PART_BYTES));
                assert_eq!(parts.last().unwrap().until, None);
            }
        }
    }
}
