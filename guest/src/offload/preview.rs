//! The first records of a result, or lines of text, for a response (USER-12): as many as fit.

use std::borrow::Cow;

use lro_query::json::escape_hidden;

use crate::offload::inline;
use crate::offload::response::cost;

/// For this much of a requested preview, a response shortens other parts. More is shown if there is room.
const MOST_TOKENS: u32 = 240;

/// Less room shows nothing of a record.
const LEAST_TOKENS: u32 = 16;

/// `,"preview":[]`
pub const FRAME_TOKENS: u32 = 10;

/// A token rarely has more bytes than this, and never in this estimate: longer text need not be counted.
const MOST_TOKEN_BYTES: usize = 16;

/// What is kept free for a preview.
pub fn wanted<'p>(preview: impl Iterator<Item = Cow<'p, str>>) -> u32 {
    let mut wanted = 0;
    for text in preview {
        wanted += FRAME_TOKENS + cost_within(&text, MOST_TOKENS).unwrap_or(MOST_TOKENS);
        if wanted >= MOST_TOKENS {
            return MOST_TOKENS;
        }
    }
    wanted
}

/// Returns the first records that fit, and the beginning of the next one (USER-12).
pub fn fitting<'p>(preview: impl Iterator<Item = Cow<'p, str>>, mut room: u32) -> Vec<String> {
    let mut shown = Vec::new();
    for text in preview {
        // A comma behind it.
        let left = room.saturating_sub(1);
        match cost_within(&text, left) {
            Some(tokens) => {
                room = left - tokens;
                shown.push(escape_hidden(text.into_owned()));
            }
            None => {
                shown.extend(shortened(&text, left));
                break;
            }
        }
    }
    shown
}

/// What a JSON text costs, unless that is more.
fn cost_within(text: &str, most: u32) -> Option<u32> {
    let is_short = text.len() / MOST_TOKEN_BYTES <= most as usize;
    is_short.then(|| cost(&escape_hidden(text.to_owned()))).filter(|tokens| *tokens <= most)
}

/// Returns JSON text with its strings cut, in at most this many tokens.
fn shortened(text: &str, room: u32) -> Option<String> {
    let sizes = [4, 3, 2, 1].into_iter().filter(|_| room >= LEAST_TOKENS);
    let shortened = |size: usize| escape_hidden(inline::shortened(text, size * room as usize));
    sizes.map(shortened).find(|text| cost(text) <= room)
}
