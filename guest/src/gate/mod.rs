//! The gates of a context window: whether a result is too large for what a model can hold (GATE-03 to 06). They count
//! bytes, at four to a token, and a result passes or fires one of them.

use std::fmt::{self, Display, Formatter};

use serde::Serialize;
use serde_json::{Value, json};

use crate::settings::Settings;

/// What the gates count as a token.
pub const BYTES_OF_A_TOKEN: u64 = 4;

/// Percentages are counted in so many parts, so that a result at exactly 0.70 is not above it.
const PARTS: f64 = 1e9;

/// What makes a result too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// It would fill too much of the window alone (GATE-03).
    PerOutput,
    /// It would fill the window up, with what the model has read so far (GATE-04).
    Headroom,
    /// It is larger than any result may be (GATE-06).
    Ceiling,
}

impl Gate {
    /// Its name, as it stands in a summary and in an event.
    pub fn name(self) -> &'static str {
        match self {
            Self::PerOutput => "per_output",
            Self::Headroom => "headroom",
            Self::Ceiling => "ceiling",
        }
    }
}

/// The gates of a window, and what the model has read so far.
#[derive(Debug, Clone, Copy)]
pub struct Gates {
    context_tokens: u32,
    input_tokens: u32,
    floor: u64,
    ceiling: u64,
    per_output: u64,
    /// `None` where this gate is off.
    headroom: Option<Headroom>,
}

/// The part of the window that may be used up, in [`PARTS`] of a byte.
#[derive(Debug, Clone, Copy)]
struct Headroom {
    parts: u128,
    percentage: f64,
}

/// A gate that fired, with its numbers.
#[derive(Debug, Clone, Copy)]
pub struct Fired {
    /// Which one.
    pub gate: Gate,
    /// Bytes of the result.
    pub bytes: u64,
    /// The most that it may have.
    pub most_bytes: u64,
    context_tokens: u32,
    input_tokens: u32,
    headroom_percentage: f64,
}

impl Gates {
    /// The gates as settings have them; `None` without a context window. A threshold of the tool's own replaces the
    /// gate for single outputs, and nothing else.
    pub fn of(settings: &Settings, input_tokens: Option<u32>) -> Option<Self> {
        let context_tokens = settings.context_tokens?;
        let (floor, ceiling) = (u64::from(settings.min_threshold_bytes), u64::from(settings.max_threshold_bytes));
        let window = u128::from(context_tokens) * u128::from(BYTES_OF_A_TOKEN);
        let share = window * parts(settings.context_percentage) / parts(1.0);
        let per_output = u64::try_from(share).unwrap_or(u64::MAX).max(floor).min(ceiling);
        let headroom = (settings.headroom_percentage < 1.0).then(|| Headroom {
            parts: window * parts(settings.headroom_percentage),
            percentage: settings.headroom_percentage,
        });
        let per_output = if settings.threshold_is_own { ceiling } else { per_output };
        let input_tokens = input_tokens.unwrap_or(0);
        Some(Self { context_tokens, input_tokens, floor, ceiling, per_output, headroom })
    }

    /// The gate that a result of so many bytes fires: the floor comes first, and nothing stays inline above the ceiling.
    pub fn fired(&self, bytes: u64) -> Option<Fired> {
        if bytes < self.floor {
            return None;
        }
        let fired = |gate, most_bytes| Fired {
            gate,
            bytes,
            most_bytes,
            context_tokens: self.context_tokens,
            input_tokens: self.input_tokens,
            headroom_percentage: self.headroom.map_or(1.0, |headroom| headroom.percentage),
        };
        if bytes > self.ceiling {
            return Some(fired(Gate::Ceiling, self.ceiling));
        }
        if bytes > self.per_output {
            return Some(fired(Gate::PerOutput, self.per_output));
        }
        let left = self.left().filter(|left| bytes > *left)?;
        Some(fired(Gate::Headroom, left))
    }

    /// The most bytes that a result may have and pass: what is truncated is truncated to this.
    pub fn allowed_bytes(&self) -> u64 {
        match self.left() {
            // What is smaller than the floor passes, however little is left.
            Some(left) => left.max(self.floor.saturating_sub(1)).min(self.per_output),
            None => self.per_output,
        }
    }

    /// Bytes that are left before the headroom is used up.
    fn left(&self) -> Option<u64> {
        let used = u128::from(self.input_tokens) * u128::from(BYTES_OF_A_TOKEN) * parts(1.0);
        let left = self.headroom?.parts.saturating_sub(used) / parts(1.0);
        Some(u64::try_from(left).unwrap_or(u64::MAX))
    }
}

impl Fired {
    /// The facts for an event.
    pub fn fields(&self) -> Value {
        json!({
            "gate": self.gate,
            "bytes": self.bytes,
            "most_bytes": self.most_bytes,
            "context_tokens": self.context_tokens,
            "input_tokens": self.input_tokens,
        })
    }
}

impl Display for Fired {
    /// `9000 bytes, above the 8192 that one result may have in a window of 8192 tokens (gate per_output)`
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { bytes, most_bytes, context_tokens, input_tokens, .. } = self;
        match self.gate {
            Gate::Ceiling => write!(f, "{bytes} bytes, above the {most_bytes} that any result may have")?,
            Gate::PerOutput => write!(
                f,
                "{bytes} bytes, above the {most_bytes} that one result may have in a window of {context_tokens} tokens"
            )?,
            Gate::Headroom => write!(
                f,
                "{bytes} bytes, above the {most_bytes} that are left after {input_tokens} tokens of {} % of a window of \
                 {context_tokens}",
                percent(self.headroom_percentage)
            )?,
        }
        write!(f, " (gate {})", self.gate.name())
    }
}

/// A fraction in parts, to the nearest one.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "settings are checked to be from 0 to 1")]
fn parts(fraction: f64) -> u128 {
    (fraction * PARTS).round() as u128
}

/// `70`, `12.5`
fn percent(fraction: f64) -> f64 {
    (fraction * 1e7).round() / 1e5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gates(settings: &str, input_tokens: u32) -> Gates {
        Gates::of(&Settings::parse(settings).unwrap(), Some(input_tokens)).unwrap()
    }

    fn fired(settings: &str, input_tokens: u32, bytes: u64) -> Option<(Gate, u64)> {
        gates(settings, input_tokens).fired(bytes).map(|fired| (fired.gate, fired.most_bytes))
    }

    #[test]
    fn without_a_window_there_are_no_gates() {
        assert!(Gates::of(&Settings::default(), Some(1_000_000)).is_none());
    }

    #[test]
    fn the_threshold_follows_the_window_between_floor_and_ceiling() {
        let rows =
            [(1, 4096), (4096, 4096), (8192, 8192), (131_072, 131_072), (1_048_576, 1_048_576), (2_097_152, 1_048_576)];
        for (context, most) in rows {
            let settings = format!(r#"{{"context_tokens":{context},"headroom_percentage":1}}"#);
            assert_eq!(gates(&settings, 0).allowed_bytes(), most, "{context}");
            assert_eq!(fired(&settings, u32::MAX, most), None, "{context}");
            let gate = if most == 1_048_576 { Gate::Ceiling } else { Gate::PerOutput };
            assert_eq!(fired(&settings, 0, most + 1), Some((gate, most)), "{context}");
        }
    }

    #[test]
    fn the_floor_comes_before_the_headroom() {
        let settings = r#"{"context_tokens":8192}"#;
        assert_eq!(fired(settings, 1_000_000, 4095), None);
        assert_eq!(fired(settings, 1_000_000, 4096), Some((Gate::Headroom, 0)));
        assert_eq!(gates(settings, 1_000_000).allowed_bytes(), 4095);
    }

    #[test]
    fn exactly_at_the_headroom_nothing_fires() {
        // 70,000 tokens of 100,000: 10,000 are left after 60,000.
        let settings = r#"{"context_tokens":100000}"#;
        assert_eq!(fired(settings, 60_000, 40_000), None);
        assert_eq!(fired(settings, 60_000, 40_001), Some((Gate::Headroom, 40_000)));
        assert_eq!(gates(settings, 60_000).allowed_bytes(), 40_000);
        assert_eq!(fired(r#"{"context_tokens":100000,"headroom_percentage":1}"#, 100_000, 40_001), None);
        // For every window of whole tokens, a fraction is what it says and not what binary makes of it.
        for context in (10..200_000).step_by(10) {
            let settings = Settings { context_tokens: Some(context), min_threshold_bytes: 0, ..Settings::default() };
            let gates = Gates::of(&settings, Some(context / 10 * 7 - 1)).unwrap();
            assert!(gates.fired(4).is_none_or(|fired| fired.gate != Gate::Headroom), "{context}");
            assert!(gates.fired(5).is_some(), "{context}");
        }
    }

    #[test]
    fn the_ceiling_is_stronger_than_a_high_threshold() {
        let settings = r#"{"context_tokens":4000000,"context_percentage":1,"headroom_percentage":1}"#;
        assert_eq!(fired(settings, 0, 1_048_576), None);
        assert_eq!(fired(settings, 0, 1_048_577), Some((Gate::Ceiling, 1_048_576)));
        let own = Settings { threshold_is_own: true, ..Settings::parse(settings).unwrap() };
        assert_eq!(Gates::of(&own, None).unwrap().fired(1_048_577).unwrap().gate, Gate::Ceiling);
    }

    #[test]
    fn a_gate_is_told_in_words_and_numbers() {
        let told = |settings: &str, input, bytes| gates(settings, input).fired(bytes).unwrap().to_string();
        let window = r#"{"context_tokens":8192}"#;
        assert_eq!(
            told(window, 0, 9000),
            "9000 bytes, above the 8192 that one result may have in a window of 8192 tokens (gate per_output)"
        );
        assert_eq!(
            told(window, 5000, 5000),
            "5000 bytes, above the 2937 that are left after 5000 tokens of 70 % of a window of 8192 (gate headroom)"
        );
        assert_eq!(
            told(window, 0, 2_000_000),
            "2000000 bytes, above the 1048576 that any result may have (gate ceiling)"
        );
    }
}
