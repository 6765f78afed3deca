//! Whether offloading a result saves anything (USER-16): a model reads the response and at least one answer instead.

use crate::file::instant::Instant;
use crate::offload::draft::Draft;
use crate::settings::Settings;
use crate::settings::tokens::estimate;

/// What a call and its answer cost on average, by the tasks of `tests/tasks` (decision 198).
const ANSWER_TOKENS: u32 = 200;

/// What no response is longer than. A result that is large enough to save this much needs no response to tell.
const LONGEST_RESPONSE: u32 = 4000;

/// What a response and an answer would cost of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    instead: u32,
    tokens: u32,
}

impl Cost {
    /// Why the result stays.
    pub(super) fn reason(self) -> String {
        format!(
            "it has {} tokens, and a response and an answer would have about {} (`min_saving`)",
            self.tokens, self.instead
        )
    }
}

/// What it would cost to offload a result of `tokens` tokens, if that is more than the settings allow.
pub(super) fn too_costly(draft: &Draft<'_>, tokens: u32, settings: &Settings) -> Option<Cost> {
    let most = settings.min_saving.filter(|part| *part > 0.0)? * f64::from(tokens);
    if most >= f64::from(LONGEST_RESPONSE) {
        return None;
    }
    // No time and no id of a file changes the length of a response.
    let response = draft.at(Instant { milliseconds: 0, random: 0 }, settings).response;
    let instead = estimate(settings.tokenizer, &response).saturating_add(ANSWER_TOKENS);
    (f64::from(instead) > most).then_some(Cost { instead, tokens })
}

#[cfg(test)]
mod tests {
    use crate::offload::{Decision, decide, payload_of};
    use crate::settings::Settings;
    use crate::settings::request;

    /// What happens to records of about this many tokens: the event's reason, if they stay.
    fn reason(tokens: usize, settings: &str) -> Option<String> {
        let record = r#"{"id":1,"title":"a title of some words"}"#;
        let payload = format!("[{}]", vec![record; tokens / 10].join(","));
        let request = request::Offload::parse(r#"{"operation":"list"}"#).unwrap();
        let settings = Settings::parse(settings).unwrap();
        let payload = payload_of(&payload, &request);
        let mut assessment = decide(&payload, &request, &settings).unwrap();
        match assessment.decision {
            Decision::Offload(_) => None,
            Decision::Unchanged => Some(assessment.events.pop().map(|event| event.message).unwrap_or_default()),
            Decision::Inline(text) | Decision::Truncate(text) => panic!("{text}"),
        }
    }

    #[test]
    fn a_result_that_saves_too_little_stays() {
        assert_eq!(reason(1700, "{}"), None);
        let stays = reason(1700, r#"{"min_saving":0.2}"#).unwrap();
        assert!(stays.contains("it has 1700 tokens, and a response and an answer would have about "), "{stays}");
        assert_eq!(reason(1700, r#"{"min_saving":0.25,"guidance":"tool","descriptor":"compact"}"#), None);
        for settings in [r#"{"min_saving":1}"#, r#"{"min_saving":0}"#, r#"{"min_saving":null}"#] {
            assert_eq!(reason(1700, settings), None, "{settings}");
        }
        assert_eq!(reason(9000, r#"{"min_saving":0.2}"#), None);
        assert!(reason(9000, r#"{"min_saving":0.02}"#).is_some());
    }
}
