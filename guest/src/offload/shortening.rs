//! Truncates a result that is not stored: because the mode says so (GATE-07), or because nothing as large is ever passed
//! on (READ-20).

use crate::offload::budget::Budget;
use crate::offload::contents::Contents;
use crate::offload::excess::Excess;
use crate::offload::truncate::{self, ADVICE, Truncation};
use crate::payload::Payload;
use crate::settings::Settings;
use crate::settings::request;

/// What is kept of a result that is cut for its size, where the threshold is lower: enough to see what it was.
pub const LEAST_TOKENS: u32 = 400;

/// What a truncated answer may have besides its results, where a budget has no room for its frame.
const MOST_FRAME_BYTES: usize = 2048;

/// A result that is to be truncated, and how it is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shortening<'a> {
    pub(super) payload: &'a Payload<'a>,
    pub(super) request: &'a request::Offload,
    pub(super) settings: &'a Settings,
}

impl Shortening<'_> {
    /// The answer in the mode `truncate`; `None` if the result stays as it is. That is final: a truncated answer is not
    /// truncated again, and nothing becomes longer.
    pub(super) fn by_mode(&self, contents: &Contents<'_>, excess: &Excess) -> Option<String> {
        let text = self.payload.as_it_came();
        let budget = self.budget(contents);
        if text.len() <= budget.bytes() + MOST_FRAME_BYTES && truncate::is_answer(text) {
            return None;
        }
        let cause = format!("The result has {excess}");
        let answer = Truncation { cause: &cause, advice: Some(ADVICE), budget, is_for_all: true }.of(contents);
        (answer.len() < text.len()).then_some(answer)
    }

    /// The answer for a result that cannot be stored for this reason, and is larger than anything that is passed on.
    pub(super) fn by_cap(&self, contents: &Contents<'_>, reason: &str) -> String {
        let most = self.settings.max_inline_tokens;
        let cause = format!("Not offloaded: {reason}, and there are more than {most} tokens (`max_inline_tokens`)");
        let budget = self.budget(contents).within_tokens(LEAST_TOKENS, most);
        Truncation { cause: &cause, advice: Some(ADVICE), budget, is_for_all: true }.of(contents)
    }

    fn budget(&self, contents: &Contents<'_>) -> Budget {
        let budget = Budget::of(self.settings, self.request.input_tokens);
        match self.request.tokens {
            Some(given) => budget.scaled(contents.own_tokens(self.settings), given),
            None => budget,
        }
    }
}
