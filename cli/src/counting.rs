//! Tokens of whole texts, as a vocabulary of the component counts them.

use lro::{Lro, OffloadRequest, Options};

use crate::failure::Failure;
use crate::global::set;

/// Stands before a text, so that the component does not look for records in it: a line that begins like JSON and is not.
/// Here every character counts. The line is a whole number of tokens, unless the text begins with a line break.
const NO_RECORDS: &str = "[a\n";

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
            None => crate::global::open(options)?.clone(),
        };
        let mut counter = Self { lro, tokens_before: 0 };
        counter.tokens_before = counter.tokens("text")?.saturating_sub(counter.counted("text")?);
        Ok(counter)
    }

    /// The tokens of a text, of which every character counts.
    pub(crate) fn tokens(&self, text: &str) -> Result<u64, lro::Error> {
        if text.is_empty() {
            return Ok(0);
        }
        Ok(self.counted(&format!("{NO_RECORDS}{text}"))?.saturating_sub(self.tokens_before))
    }

    fn counted(&self, text: &str) -> Result<u64, lro::Error> {
        let whole = OffloadRequest::of("count").records(".".to_owned());
        self.lro.estimate(text, &whole).map(u64::from)
    }
}
