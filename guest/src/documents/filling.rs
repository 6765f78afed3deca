//! Puts the records of files back where they were in a document, from one place of its text to another (USER-01).

use std::io::{self, BufRead, Read};

use lro_query::End;

use crate::error::{Error, Problem};
use crate::file::completeness::difference;
use crate::file::header::Header;
use crate::file::reading::cannot_open;
pub use crate::payload::frame::ListLocation;
use crate::payload::frame::{Form, Frame, Piece};

/// A file's header, and what follows it.
pub type OpenFile<'a> = (Header, Box<dyn BufRead + 'a>);

/// A place in the text of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Position {
    /// The piece of its frame.
    pub(super) piece: u64,
    /// Bytes of the file of a list, after the header.
    pub(super) offset: u64,
    /// Elements of the list in front of it.
    pub(super) number: u64,
}

/// A document that is being put together. `open` opens the file of a list so many bytes after its header.
pub(super) struct Filling<'f, O> {
    /// The file that knows the document.
    pub(super) path: &'f str,
    pub(super) frame: &'f Frame,
    pub(super) open: O,
}

impl<'a, O: Fn(&ListLocation, u64) -> Result<OpenFile<'a>, Error>> Filling<'_, O> {
    /// Adds to `text` what follows a position, until it has `enough` bytes. Returns where the rest begins, if there is
    /// any. A text is cut between characters, a list between records.
    pub(super) fn fill(&self, text: &mut String, from: Position, enough: u64) -> Result<Option<Position>, Error> {
        if let Some(place) = self.text_place() {
            return self.fill_text(text, &place, from, enough);
        }
        let pieces = self.frame.pieces.iter().enumerate();
        for (number, piece) in pieces.skip(usize::try_from(from.piece).unwrap_or(usize::MAX)) {
            let begin = Position { piece: number as u64, ..Position::default() };
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                // A header that names more lists than it has was not written by us: there is nothing to add.
                Piece::List(list) => {
                    let Some(place) = self.frame.lists.get(*list) else { continue };
                    let begin = if begin.piece == from.piece { from } else { begin };
                    if let Some(rest) = self.fill_list(text, place, begin, enough)? {
                        return Ok(Some(rest));
                    }
                }
            }
        }
        Ok(None)
    }

    /// True for a position that a document with this frame can have.
    pub(super) fn has(&self, position: Position) -> bool {
        match self.text_place() {
            Some(_) => position.piece == 0 && position.number == 0,
            None => usize::try_from(position.piece)
                .is_ok_and(|piece| matches!(self.frame.pieces.get(piece), Some(Piece::List(_)))),
        }
    }

    /// Refuses a document one of whose files was cut, or had something added. Nothing of it is held.
    pub(super) fn check(&self) -> Result<(), Error> {
        let text = self.text_place();
        for place in self.frame.lists.iter().filter(|_| text.is_none()).chain(&text) {
            let (header, input) = (self.open)(place, 0)?;
            let end = End::of(input).map_err(|error| cannot_open(self.file(place), &error))?;
            self.whole(place, &header, end)?;
        }
        Ok(())
    }

    /// The file that has the text as it came.
    fn text_place(&self) -> Option<ListLocation> {
        let Frame { form, original, .. } = self.frame;
        let is_text = *form == Form::Text || original.is_some();
        is_text.then(|| ListLocation { file: original.clone(), ..ListLocation::default() })
    }

    fn fill_list(
        &self,
        text: &mut String,
        place: &ListLocation,
        from: Position,
        enough: u64,
    ) -> Result<Option<Position>, Error> {
        let (header, mut input) = (self.open)(place, from.offset)?;
        let (mut at, mut line, mut is_open) = (from, String::new(), false);
        loop {
            if text.len() as u64 >= enough {
                return Ok(Some(at));
            }
            line.clear();
            let bytes = input.read_line(&mut line).map_err(|error| cannot_open(self.path, &error))?;
            if bytes == 0 {
                break;
            }
            let record = line.strip_suffix('\n');
            is_open = record.is_none();
            let record = record.unwrap_or(&line);
            if at.number > 0 {
                text.push_str(&place.separator);
            }
            match &header.lro.taken {
                Some(taken) => {
                    text.push_str(&taken.put_back(usize::try_from(at.number).unwrap_or(usize::MAX), record));
                }
                None => text.push_str(record),
            }
            at = Position { offset: at.offset + bytes as u64, number: at.number + 1, ..at };
        }
        let lines = u32::try_from(at.number).unwrap_or(u32::MAX);
        self.whole(place, &header, End { lines, is_open }).map(|()| None)
    }

    fn fill_text(
        &self,
        text: &mut String,
        place: &ListLocation,
        from: Position,
        enough: u64,
    ) -> Result<Option<Position>, Error> {
        let (header, input) = (self.open)(place, from.offset)?;
        let mut bytes = Vec::new();
        input.take(enough).read_to_end(&mut bytes).map_err(|error| cannot_open(self.path, &error))?;
        let goes_on = bytes.len() as u64 >= enough;
        if let Err(error) = std::str::from_utf8(&bytes) {
            if !goes_on || error.error_len().is_some() {
                return Err(cannot_open(self.path, &io::Error::new(io::ErrorKind::InvalidData, error)));
            }
            bytes.truncate(error.valid_up_to());
        }
        if !goes_on && from.offset == 0 {
            self.whole(place, &header, End::of(&bytes[..]).unwrap_or_default())?;
        }
        let rest = goes_on.then_some(Position { offset: from.offset + bytes.len() as u64, ..from });
        text.push_str(&String::from_utf8(bytes).map_err(|error| Error::Other(error.to_string()))?);
        Ok(rest)
    }

    /// Refuses a file that was cut, or that something was added to.
    fn whole(&self, place: &ListLocation, header: &Header, end: End) -> Result<(), Error> {
        match difference(end, header) {
            None => Ok(()),
            Some(reason) => Err(Error::Io(Problem::new(
                format!("cannot rebuild the document of `{}`: {reason}", self.file(place)),
                "run the tool again; `extract` still reads the records that are there",
            ))),
        }
    }

    fn file<'p>(&'p self, place: &'p ListLocation) -> &'p str {
        place.file.as_deref().unwrap_or(self.path)
    }
}
