//! Tokens of whole texts, as a vocabulary of the component counts them.

use lro::{Lro, OffloadRequest, Options};

use crate::failure::Failure;
use crate::global::set;

/// Stands before a text that is JSON, so that the component does not take it apart: it counts records, and here every byte
/// of a text counts.
const NOT_JSON: &str = "text\n";

/// Counts tokens. Clones share the component.
#[derive(Clone)]
pub(crate) struct Counter {
    lro: Lro,
    tokens_before: u64,
}

impl Counter {
    /// A counter with a tokenizer of the settings; the component is opened if there is none yet.
    pub(crate) fn of(tokenizer: &str, opened: Option<&Lro>) -> Result<Self, Failure> {
        let mut options = Options::default().prepare_output_dir(false);
        set(&mut options, "tokenizer", &Some(tokenizer));
        set(&mut options, "enabled", &Some(true));
        let lro = match opened {
            Some(lro) => lro.reopen(&options)?,
            None => crate::global::open(options)?,
        };
        let mut counter = Self { lro, tokens_before: 0 };
        counter.tokens_before = counter.counted(&format!("{NOT_JSON}text"))? - counter.counted("text")?;
        Ok(counter)
    }

    /// The tokens of a text, of which every character counts.
    pub(crate) fn tokens(&self, text: &str) -> Result<u64, lro::Error> {
        if !text.trim_start().starts_with(['{', '[', '"']) {
            return self.counted(text);
        }
        // White space before it would join the line break.
        Ok(self.counted(&format!("{NOT_JSON}{}", text.trim_start()))?.saturating_sub(self.tokens_before))
    }

    fn counted(&self, text: &str) -> Result<u64, lro::Error> {
        let whole = OffloadRequest::of("count").records(".".to_owned());
        self.lro.estimate(text, &whole).map(u64::from)
    }
}
