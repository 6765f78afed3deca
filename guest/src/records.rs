//! The records of one list, as they would stand in a file, and what is known of them.

use std::borrow::Cow;

use crate::detail::Detail;
use crate::memories;
use crate::path::Path;
use crate::recipes::Kind;
use crate::request;
use crate::settings::Settings;
use crate::survey::{ScoreRange, Survey, score_range};
use crate::tokens::Tally;

/// Operations whose records are memories (LRO-16).
pub const MEMORY_OPERATIONS: [&str; 4] = ["recall", "search", "inject", "list"];

/// Records, and what is known of them.
#[derive(Debug)]
pub struct Records<'a> {
    /// Where they were in the document.
    pub path: Path,
    /// Their texts, each on one line.
    pub texts: Vec<Cow<'a, str>>,
    /// What they have in common.
    pub survey: Survey,
    /// What kind they are.
    pub kind: Kind,
    /// The range of their scores.
    pub scores: Option<ScoreRange>,
    /// Each has the bytes that it came as.
    pub is_exact: bool,
    given_scores: Vec<f64>,
}

impl<'a> Records<'a> {
    /// Brings the records of a list to the form that a file has.
    pub fn of(path: Path, records: Vec<Cow<'a, str>>, operation: &str, request: &request::Offload) -> Self {
        let mut scores: Vec<f64> = Vec::new();
        let mut texts = records;
        let mut is_exact = true;
        if MEMORY_OPERATIONS.contains(&operation) {
            for text in &mut texts {
                if let Some((memory, score)) = unwrapped(text) {
                    scores.extend(score);
                    *text = memory;
                    is_exact = false;
                }
            }
        }
        let mut survey = Survey::of(&texts);
        let kind = kind_of(&survey, operation, request);
        if kind == Kind::Memories && survey.field("score").is_some() {
            scores.extend(cut_scores(&mut texts));
            survey.fields.retain(|field| field.key != "score");
            is_exact = false;
        }
        if let Some(detail) = request.projection().filter(|detail| *detail != Detail::Full) {
            for text in &mut texts {
                if let Some(projected) = crate::detail::project(text, detail) {
                    *text = projected.into();
                }
            }
            survey = Survey::of(&texts);
            is_exact = false;
        }
        for text in &mut texts {
            if text.contains(['\n', '\r']) {
                *text = memories::on_one_line(text).into_owned().into();
                is_exact = false;
            }
        }
        Self { path, texts, survey, kind, scores: score_range(scores.iter().copied()), is_exact, given_scores: scores }
    }

    /// The scores that came beside the records count instead of their own.
    pub fn set_scores(&mut self, scores: impl IntoIterator<Item = f64>) {
        self.given_scores.clear();
        self.scores = score_range(scores);
    }

    /// Their tokens, by the estimator of the settings.
    pub fn tokens(&self, settings: &Settings) -> u32 {
        let mut tally = Tally::new(settings.tokenizer);
        self.texts.iter().for_each(|text| tally.add(text));
        tally.tokens()
    }

    /// Their bytes.
    pub fn bytes(&self) -> usize {
        self.texts.iter().map(|text| text.len()).sum()
    }
}
