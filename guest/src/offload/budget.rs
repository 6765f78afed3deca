//! How much of a result may be kept where it is truncated, and in which unit.

use crate::gate::Gates;
use crate::settings::Settings;
use crate::settings::tokens::{Tally, Tokenizer};
use crate::settings::tools::Threshold;

/// The unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Tokens, as this tokenizer estimates or counts them.
    Tokens(Tokenizer),
    /// Bytes, as the gates count them.
    Bytes,
}

/// The most that may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Its unit.
    pub unit: Unit,
    /// How many.
    pub most: u32,
}

/// What texts add up to, in the unit of a budget.
#[derive(Debug, Clone, Copy)]
pub enum Meter {
    /// Tokens.
    Tokens(Tally),
    /// Bytes.
    Bytes(u32),
}

impl Budget {
    /// So many tokens.
    pub fn tokens(tokenizer: Tokenizer, most: u32) -> Self {
        Self { unit: Unit::Tokens(tokenizer), most }
    }

    /// What a result may have and still pass: what the gates allow, or the threshold.
    pub fn of(settings: &Settings, input_tokens: Option<u32>) -> Self {
        match (Gates::of(settings, input_tokens), settings.threshold()) {
            (Some(gates), _) if !settings.threshold_is_own => {
                Self { unit: Unit::Bytes, most: u32::try_from(gates.allowed_bytes()).unwrap_or(u32::MAX) }
            }
            (_, Threshold::Tokens(most)) => Self::tokens(settings.tokenizer, most),
            // Whole tokens of four characters each never have more characters than that.
            (_, Threshold::Characters(most)) => Self::tokens(Tokenizer::Chars, most / 4),
        }
    }

    /// The same in another number.
    pub fn with(self, most: u32) -> Self {
        Self { most, ..self }
    }

    /// The same where `given` tokens of the caller's are `own` of ours. Other units are nobody's own.
    pub fn scaled(self, own: u32, given: u32) -> Self {
        match self.unit {
            Unit::Bytes => self,
            Unit::Tokens(_) => {
                let most = u64::from(self.most) * u64::from(own) / u64::from(given.max(1));
                self.with(u32::try_from(most).unwrap_or(u32::MAX))
            }
        }
    }

    /// The same, but no less than `least` and no more than `most` tokens.
    pub fn within_tokens(self, least: u32, most: u32) -> Self {
        let (least, most) = (self.amount_of_tokens(least), self.amount_of_tokens(most));
        self.with(self.most.clamp(least, most.max(least)))
    }

    /// What so many tokens are in this unit.
    pub fn amount_of_tokens(self, tokens: u32) -> u32 {
        match self.unit {
            Unit::Tokens(_) => tokens,
            Unit::Bytes => tokens.saturating_mul(4),
        }
    }

    /// About so many bytes.
    pub fn bytes(self) -> usize {
        match self.unit {
            Unit::Tokens(_) => (self.most as usize).saturating_mul(4),
            Unit::Bytes => self.most as usize,
        }
    }

    /// A meter at zero.
    pub fn meter(self) -> Meter {
        match self.unit {
            Unit::Tokens(tokenizer) => Meter::Tokens(Tally::new(tokenizer)),
            Unit::Bytes => Meter::Bytes(0),
        }
    }

    /// What a text has.
    pub fn measure(self, text: &str) -> u32 {
        let mut meter = self.meter();
        meter.add(text);
        meter.used()
    }
}

impl Meter {
    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        match self {
            Self::Tokens(tally) => tally.add(text),
            Self::Bytes(bytes) => *bytes = bytes.saturating_add(u32::try_from(text.len()).unwrap_or(u32::MAX)),
        }
    }

    /// What was added so far.
    pub fn used(&self) -> u32 {
        match self {
            Self::Tokens(tally) => tally.tokens(),
            Self::Bytes(bytes) => *bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_of_its_own_comes_before_the_gates() {
        let gates = Settings { context_tokens: Some(100_000), threshold_tokens: 70, ..Settings::default() };
        assert_eq!(Budget::of(&gates, None).unit, Unit::Bytes);
        let own = Settings { threshold_is_own: true, ..gates };
        assert_eq!(Budget::of(&own, None), Budget::tokens(own.tokenizer, 70));
        let characters = Settings { threshold_characters: Some(403), ..own };
        assert_eq!(Budget::of(&characters, None), Budget::tokens(Tokenizer::Chars, 100));
    }
}
