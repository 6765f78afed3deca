//! The lines that a request names: `line` and `lines`, counted as failures and stubs count them. The header is line 1.
//!
//! The request applies to these lines alone: the file is read as if it had no others.

use std::io::{self, BufRead, Read};

use lro_query::Position;

use crate::error::Error;
use crate::settings::request;

/// The line of the first record: the header's comes before it.
const FIRST_RECORD: u32 = 2;

/// Lines of a file that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    /// Where the first of them begins.
    pub(super) first: Position,
    /// The byte after the last one.
    pub(super) until: u64,
}

impl Range {
    /// So much of an input that begins at an offset.
    pub(super) fn bound<R: Read>(self, input: R, offset: u64) -> io::Take<R> {
        input.take(self.until.saturating_sub(offset))
    }
}

/// Where the lines of a request are, if it names any. The body begins after `header_bytes`.
///
/// Errors: `invalid-argument` when there is no such line.
pub(super) fn range<R: BufRead>(
    request: &request::Extract,
    header_bytes: u64,
    body: impl FnOnce() -> Result<R, Error>,
) -> Result<Option<Range>, Error> {
    let Some(line) = request.line else {
        return match request.lines {
            Some(_) => Err(refused("`lines` is given without `line`", "give the first line as `line`")),
            None => Ok(None),
        };
    };
    let Some(before) = line.checked_sub(FIRST_RECORD) else {
        let reason = format!("line {line} is not a record");
        return Err(refused(&reason, "the first record is line 2: line 1 is the header"));
    };
    let lines = request.lines.unwrap_or(1);
    let unreadable = |error| Error::Other(format!("cannot read the file: {error}"));
    let mut body = body()?;
    let (seen, skipped) = skip(&mut body, before).map_err(unreadable)?;
    let mut is_there = || body.fill_buf().map(|block| !block.is_empty());
    if seen < before || !is_there().map_err(unreadable)? {
        return Err(behind_the_end(line, FIRST_RECORD.saturating_add(seen)));
    }
    let (_, bytes) = skip(&mut body, lines).map_err(unreadable)?;
    let offset = header_bytes + skipped;
    Ok(Some(Range { first: Position { offset, line, skip: 0, before: 0 }, until: offset + bytes }))
}

/// Skips a number of lines, or all of them if there are fewer. Returns how many lines and bytes that were; the last
/// line may lack its newline.
fn skip(input: &mut impl BufRead, lines: u32) -> io::Result<(u32, u64)> {
    let (mut seen, mut bytes, mut is_inside) = (0, 0, false);
    while seen < lines {
        let block = input.fill_buf()?;
        if block.is_empty() {
            seen += u32::from(is_inside);
            break;
        }
        let length = match memchr::memchr(b'\n', block) {
            Some(end) => {
                seen += 1;
                end + 1
            }
            None => block.len(),
        };
        is_inside = block[length - 1] != b'\n';
        input.consume(length);
        bytes += length as u64;
    }
    Ok((seen, bytes))
}

/// `after` is the number of the line after the last one.
fn behind_the_end(line: u32, after: u32) -> Error {
    let reason = format!("there is no line {line}");
    match after {
        FIRST_RECORD => refused(&reason, "the file has no records"),
        after => refused(&reason, &format!("give a line from 2 to {}", after - 1)),
    }
}

fn refused(reason: &str, hint: &str) -> Error {
    Error::invalid_argument(format!("cannot extract: {reason}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First byte and end of the lines, or the error with its hint.
    fn found(body: &str, request: &str) -> Result<(u64, u64), String> {
        let request = request::Extract::parse(request).unwrap();
        match range(&request, 100, || Ok(io::BufReader::with_capacity(3, body.as_bytes()))) {
            Ok(range) => Ok(range.map_or((0, 0), |range| (range.first.offset, range.until))),
            Err(error) => Err(format!("{error}; {}", error.hint())),
        }
    }

    #[test]
    fn lines_are_found_by_their_numbers() {
        let body = "long line\n\nlast";
        let rows = [
            (r#"{"query":"."}"#, (0, 0)),
            (r#"{"line":2}"#, (100, 110)),
            (r#"{"line":3}"#, (110, 111)),
            (r#"{"line":4}"#, (111, 115)),
            (r#"{"line":2,"lines":2}"#, (100, 111)),
            (r#"{"line":3,"lines":4294967295}"#, (110, 115)),
        ];
        for (request, expected) in rows {
            assert_eq!(found(body, request), Ok(expected), "{request}");
        }
    }

    #[test]
    fn a_line_that_is_not_there_is_refused() {
        let rows = [
            ("a\nb\n", r#"{"line":1}"#, "line 1 is not a record; the first record is line 2: line 1 is the header"),
            ("a\nb\n", r#"{"line":4}"#, "there is no line 4; give a line from 2 to 3"),
            ("a\nb", r#"{"line":9}"#, "there is no line 9; give a line from 2 to 3"),
            ("", r#"{"line":2}"#, "there is no line 2; the file has no records"),
            ("a\n", r#"{"lines":2}"#, "`lines` is given without `line`; give the first line as `line`"),
        ];
        for (body, request, expected) in rows {
            assert_eq!(found(body, request), Err(format!("cannot extract: {expected}")), "{request}");
        }
    }
}
