//! Whether a result is too large, and by what: a gate of the context window where one is known, else the threshold.

use std::fmt::{self, Display, Formatter};

use serde_json::{Value, json};

use crate::gate::{Fired, Gate, Gates};
use crate::offload::contents::Contents;
use crate::payload::Payload;
use crate::settings::Settings;
use crate::settings::request;
use crate::settings::tokens::estimate as tokens_of;
use crate::settings::tools::Threshold;

/// What a result costs.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Its tokens.
    pub tokens: u32,
    /// What is compared with the threshold, in its unit.
    pub compared: u32,
    /// Its bytes, which the gates compare.
    pub bytes: u64,
}

/// Why a result is too large.
#[derive(Debug, Clone, Copy)]
pub enum Excess {
    /// It is above the threshold.
    Threshold {
        /// What it costs.
        cost: Cost,
        /// What it may cost.
        threshold: Threshold,
    },
    /// It fires a gate.
    Gate {
        /// What it costs.
        cost: Cost,
        /// The gate.
        fired: Fired,
    },
}

impl Cost {
    /// What a result costs. `bytes` are those of the text that would be passed on.
    pub fn of(
        contents: &Contents<'_>,
        payload: &Payload<'_>,
        bytes: usize,
        request: &request::Offload,
        settings: &Settings,
    ) -> Self {
        let bytes = request.bytes.unwrap_or(bytes as u64);
        let tokens = contents.tokens(request, settings);
        let compared = contents.cost(tokens, request, settings);
        // Space around records counts nothing, until there is more of it than may be passed on.
        let is_padded = request.tokens.is_none() && compared <= settings.threshold().value();
        if is_padded && settings.is_too_large(payload.text()) {
            let compared = settings.cost(payload.text());
            return Self { tokens: tokens_of(settings.tokenizer, payload.text()), compared, bytes };
        }
        Self { tokens, compared, bytes }
    }
}

impl Excess {
    /// What makes a result of this cost too large. LRO-05, LRO-06: without a window, the total decides, and only more
    /// than the threshold is too much. With one, the gates decide, unless the tool has a threshold of its own.
    pub fn of(cost: Cost, request: &request::Offload, settings: &Settings) -> Option<Self> {
        let threshold = settings.threshold();
        let gates = Gates::of(settings, request.input_tokens);
        let counts = gates.is_none() || settings.threshold_is_own;
        if counts && cost.compared > threshold.value() {
            return Some(Self::Threshold { cost, threshold });
        }
        // Decision 19: an empty set stays inline.
        let fired = gates.filter(|_| cost.tokens > 0)?.fired(cost.bytes)?;
        Some(Self::Gate { cost, fired })
    }

    /// The gate that fired.
    pub fn gate(&self) -> Option<Gate> {
        match self {
            Self::Threshold { .. } => None,
            Self::Gate { fired, .. } => Some(fired.gate),
        }
    }

    /// The facts for an event.
    pub fn fields(&self, operation: &str) -> Value {
        let (cost, more) = match self {
            Self::Threshold { cost, threshold: Threshold::Tokens(most) } => (cost, json!({"threshold_tokens": most})),
            Self::Threshold { cost, threshold: Threshold::Characters(most) } => {
                (cost, json!({"threshold_characters": most}))
            }
            Self::Gate { cost, fired } => (cost, fired.fields()),
        };
        let mut fields = json!({"operation": operation, "tokens": cost.tokens, "bytes": cost.bytes});
        if let (Value::Object(fields), Value::Object(more)) = (&mut fields, more) {
            fields.extend(more);
        }
        fields
    }
}

impl Display for Excess {
    /// `1700 tokens, above the threshold of 1600 tokens`
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threshold { cost, threshold: Threshold::Tokens(most) } => {
                write!(f, "{} tokens, above the threshold of {most} tokens", cost.compared)
            }
            Self::Threshold { cost, threshold: Threshold::Characters(most) } => {
                write!(f, "{} characters, above the threshold of {most} characters", cost.compared)
            }
            Self::Gate { fired, .. } => fired.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::decide::{Decision, decide};

    #[test]
    fn space_counts_only_where_the_records_alone_would_pass_and_nobody_counted() {
        let payload = format!("[{{\"id\":\"a\"}},{}{{\"id\":\"bc\"}}]", " ".repeat(9_000));
        let rows = [(4, None, 6, true), (100, None, 2_256, true), (100, Some(20), 20, false)];
        for (threshold_tokens, tokens, expected, offloads) in rows {
            let settings = Settings { threshold_tokens, max_inline_tokens: 1000, ..Settings::default() };
            let request = request::Offload { operation: "list".into(), tokens, ..request::Offload::default() };
            let payload = Payload::of(&payload);
            let decided = decide(&payload, &request, &settings).unwrap();
            assert_eq!((decided.tokens, matches!(decided.decision, Decision::Offload(_))), (expected, offloads));
        }
    }
}
