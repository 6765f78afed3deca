//! The first records of a result, or lines of text, for a response (USER-12): as many as fit.

use std::borrow::Cow;

use lro_query::json::{characters, escape_hidden};

use crate::offload::inline;
use crate::offload::response::cost;

/// For this much of a requested preview, a response shortens other parts. More is shown if there is room.
const MOST_TOKENS: u32 = 240;

/// A record that is cut gets this at least: less shows nothing of it.
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

/// Returns the first records, as many as fit: all of them whole, or each cut to its share of the room (USER-12).
/// `characters` is room on top, and then all that there is.
pub fn fitting<'p>(preview: impl Iterator<Item = Cow<'p, str>>, room: u32, characters: Option<u32>) -> Vec<String> {
    let unit = if characters.is_some() { Unit::Characters } else { Unit::Tokens };
    let room = characters.unwrap_or(room);
    let mut texts = Vec::new();
    let mut least = 0;
    for text in preview {
        let cost = unit.cost_within(&text, room);
        // A cut record has to say something still.
        least += cost.unwrap_or(u32::MAX).min(unit.least());
        if least > room {
            break;
        }
        texts.push((text, cost));
    }
    // A record that cannot be cut so short leaves its room to those before it.
    while !texts.is_empty() {
        let share = share(texts.iter().map(|(_, cost)| cost.unwrap_or(u32::MAX)).collect(), room);
        let shown = |(text, cost): &(Cow<'_, str>, Option<u32>)| match cost {
            Some(cost) if *cost <= share => Some(escape_hidden(text.to_string())),
            _ => shortened(text, share, unit),
        };
        if let Some(shown) = texts.iter().map(shown).collect() {
            return shown;
        }
        texts.pop();
    }
    Vec::new()
}

/// The most that each may cost so that all fit: those that cost less leave their room to the others.
fn share(mut costs: Vec<u32>, mut room: u32) -> u32 {
    costs.sort_unstable();
    for (place, cost) in costs.iter().enumerate() {
        let others = u32::try_from(costs.len() - place).unwrap_or(u32::MAX);
        if *cost > room / others {
            return room / others;
        }
        room -= cost;
    }
    u32::MAX
}

/// What room is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tokens,
    Characters,
}

impl Unit {
    /// Less room shows nothing of a record.
    fn least(self) -> u32 {
        match self {
            Self::Tokens => LEAST_TOKENS,
            Self::Characters => 4 * LEAST_TOKENS,
        }
    }

    /// What a JSON text costs with the comma behind it, unless that is more.
    fn cost_within(self, text: &str, most: u32) -> Option<u32> {
        let cost = match self {
            Self::Tokens => cost_within(text, most),
            Self::Characters => u32::try_from(characters(text)).ok(),
        };
        cost.map(|cost| cost.saturating_add(1)).filter(|cost| *cost <= most)
    }
}

/// What a JSON text costs, unless that is more.
fn cost_within(text: &str, most: u32) -> Option<u32> {
    let is_short = text.len() / MOST_TOKEN_BYTES <= most as usize;
    is_short.then(|| cost(&escape_hidden(text.to_owned()))).filter(|tokens| *tokens <= most)
}

/// Returns JSON text with its strings cut, within its share of the room.
fn shortened(text: &str, share: u32, unit: Unit) -> Option<String> {
    // Sixteenths of what it may have at most, which is four characters a token.
    let sizes = [15, 14, 12, 10, 8, 6, 4].into_iter().filter(|_| share >= unit.least());
    let characters = if unit == Unit::Tokens { 4 * share as usize } else { share as usize };
    let bytes = |size: usize| size * characters / 16;
    let shortened = |size: usize| escape_hidden(inline::shortened(text, bytes(size)));
    sizes.map(shortened).find(|text| unit.cost_within(text, share).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(records: &[String], room: u32, characters: Option<u32>) -> Vec<usize> {
        let records = records.iter().map(|record| Cow::Borrowed(record.as_str()));
        fitting(records, room, characters).iter().map(|text| text.chars().count()).collect()
    }

    #[test]
    fn as_many_as_fit_are_shown_and_each_is_cut_to_its_share() {
        let record = |bytes: usize| format!("{{\"text\":\"{}\"}}", "word ".repeat(bytes / 5));
        let (small, large) = (record(20), record(4000));
        assert_eq!(shown(&[small.clone(), small.clone()], 100, None), [small.len(); 2]);
        assert_eq!(shown(std::slice::from_ref(&large), 10, None), Vec::<usize>::new());
        let few = shown(&vec![large.clone(); 4], 200, None);
        assert!(few.len() == 4 && few.iter().all(|bytes| (100..250).contains(bytes)), "{few:?}");
        // Who asks for more gets more of them, and never none.
        let many = shown(&vec![large.clone(); 1000], 200, None);
        assert_eq!(many.len(), 200 / LEAST_TOKENS as usize);
        // What a small one leaves is for the others.
        let mixed = shown(&[small.clone(), large.clone(), small.clone()], 200, None);
        assert!(mixed[0] == small.len() && mixed[1] > 400 && mixed[2] == small.len(), "{mixed:?}");
        assert!(mixed.iter().sum::<usize>() <= 4 * 200, "{mixed:?}");
        // What just fits is whole.
        let exactly = Unit::Tokens.cost_within(&large, u32::MAX).unwrap();
        assert_eq!(shown(std::slice::from_ref(&large), exactly, None), [large.len()]);
        assert_eq!(shown(&[r#""fifteen bytes""#.into()], 10, None), [15]);
    }

    #[test]
    fn what_a_response_keeps_free_is_the_cost_of_the_records_up_to_a_bound() {
        let wanted = |records: &[&str]| super::wanted(records.iter().map(|record| Cow::Borrowed(*record)));
        let (record, long) = (r#"{"id":"a"}"#, format!("\"{}\"", "word ".repeat(900)));
        assert_eq!((wanted(&[]), wanted(&[&long])), (0, MOST_TOKENS));
        assert_eq!(wanted(&[record, record]), 2 * (FRAME_TOKENS + cost(record)));
        assert_eq!(wanted(&[record; 100]), MOST_TOKENS);
    }

    #[test]
    fn characters_are_room_of_their_own() {
        let large = format!("\"{}\"", "x".repeat(9000));
        for characters in [64, 1000, 5000, 20_000] {
            let shown = shown(&[large.clone(), large.clone()], 0, Some(characters));
            let all: usize = shown.iter().sum();
            assert!(all <= characters as usize && 2 * all > characters.min(18_004) as usize, "{characters}: {shown:?}");
        }
        let shown = |characters| shown(&[large.clone(), large.clone()], 200, Some(characters)).len();
        assert_eq!([0, 63, 64, 127, 128].map(shown), [0, 0, 1, 1, 2]);
    }
}
