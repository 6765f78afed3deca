//! The records of one list, as they would stand in a file, and what is known of them.

use std::borrow::Cow;

use crate::detail::Detail;
use crate::header::Deviations;
use crate::inference::Inference;
use crate::memories;
use crate::path::Path;
use crate::recipes::{self, Kind};
use crate::request;
use crate::roles::Roles;
use crate::settings::Settings;
use crate::surrogates::has_half;
use crate::survey::{ScoreRange, Survey, score_range};
use crate::tokens::{Tally, Tokenizer};

/// Operations whose records are memories (LRO-16).
pub const MEMORY_OPERATIONS: [&str; 4] = ["recall", "search", "inject", "list"];

/// So many records say whether all of them are memories.
const SAMPLE: usize = 1000;

/// Records, and what is known of them.
#[derive(Debug)]
pub struct Records<'a> {
    /// Where they were in the document.
    pub path: Path,
    /// Their texts, each on one line.
    pub texts: Vec<Cow<'a, str>>,
    /// What they have in common.
    pub look: Look,
    /// The range of their scores.
    pub scores: Option<ScoreRange>,
    /// Each has the bytes that it came as.
    pub are_exact: bool,
    /// Those with half of a surrogate pair, once [`Records::infer`] has counted them.
    pub halves: u32,
}

/// What records have in common.
#[derive(Debug)]
pub enum Look {
    /// They are memories.
    Memories(Survey),
    /// They are not. Nothing is known of their fields until [`Records::infer`] has looked at them.
    Records {
        /// Their fields.
        inference: Box<Inference>,
        /// What these are good for.
        roles: Box<Roles>,
    },
}

impl<'a> Records<'a> {
    /// Brings the records of a list to the form that a file has.
    pub fn of(path: Path, mut texts: Vec<Cow<'a, str>>, operation: &str, request: &request::Offload) -> Self {
        let mut scores: Vec<f64> = Vec::new();
        let mut are_exact = true;
        if MEMORY_OPERATIONS.contains(&operation) {
            for text in &mut texts {
                if let Some(hit) = memories::unwrap(text) {
                    scores.extend(hit.score);
                    *text = narrowed(text, hit.memory);
                    are_exact = false;
                }
            }
        }
        let sample = Survey::of(&texts[..texts.len().min(SAMPLE)]);
        let look = match kind_of(&sample, operation, request) {
            Kind::Memories => {
                let mut survey = if texts.len() <= SAMPLE { sample } else { Survey::of(&texts) };
                if survey.field("score").is_some() {
                    scores.extend(cut_scores(&mut texts));
                    survey.fields.retain(|field| field.key != "score");
                    are_exact = false;
                }
                if let Some(detail) = request.projection().filter(|detail| *detail != Detail::Full) {
                    for text in &mut texts {
                        if let Some(projected) = crate::detail::project(text, detail) {
                            *text = projected.into();
                        }
                    }
                    survey = Survey::of(&texts);
                    are_exact = false;
                }
                Look::Memories(survey)
            }
            Kind::Records | Kind::Text => Look::Records { inference: Box::default(), roles: Box::default() },
        };
        for text in &mut texts {
            if text.contains(['\n', '\r']) {
                *text = memories::on_one_line(text).into_owned().into();
                are_exact = false;
            }
        }
        Self { path, texts, look, scores: score_range(scores), are_exact, halves: 0 }
    }

    /// Looks at all fields, and chooses recipes that work on every record (USER-14). It is worth its time only for records
    /// that go to a file.
    pub fn infer(&mut self, settings: &Settings) {
        let halves = self.texts.iter().filter(|text| has_half(text)).count();
        self.halves = u32::try_from(halves).unwrap_or(u32::MAX);
        let Look::Records { inference, roles } = &mut self.look else { return };
        **inference = Inference::of(&self.texts);
        **roles = Roles::of(inference).affordable();
        let lro = Deviations { kind: Kind::Records, roles: (**roles).clone(), ..Deviations::default() };
        // What these recipes do may fail by the type of a value, never by the value.
        let samples = inference.samples().map(|place| &self.texts[place]);
        roles.plain = recipes::set(&lro, Detail::Full).failing(samples, settings);
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }

    /// Their kind.
    pub fn kind(&self) -> Kind {
        match self.look {
            Look::Memories(_) => Kind::Memories,
            Look::Records { .. } => Kind::Records,
        }
    }

    /// The level of detail that they show.
    pub fn detail(&self) -> Detail {
        match &self.look {
            Look::Memories(survey) => survey.detail(),
            Look::Records { .. } => Detail::Full,
        }
    }

    /// What their fields are good for.
    pub fn roles(&self) -> Roles {
        match &self.look {
            Look::Memories(_) => Roles::default(),
            Look::Records { roles, .. } => (**roles).clone(),
        }
    }

    /// Their tokens.
    pub fn tokens(&self, tokenizer: Tokenizer) -> u32 {
        let mut tally = Tally::new(tokenizer);
        self.texts.iter().for_each(|text| tally.add(text));
        tally.tokens()
    }
}

/// A part of a text that is borrowed where the text is.
fn narrowed<'a>(text: &Cow<'a, str>, part: &str) -> Cow<'a, str> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[start..start + part.len()]),
        Cow::Owned(_) => Cow::Owned(part.to_owned()),
    }
}

/// Cuts the top-level `score` out of every memory that has one (LRO-20).
fn cut_scores(texts: &mut [Cow<'_, str>]) -> Vec<f64> {
    let mut scores = Vec::new();
    for text in texts {
        if let Some((kept, score)) = memories::without_score(text) {
            scores.extend(score);
            *text = kept.into();
        }
    }
    scores
}

/// Memories are what a caller calls so by asking for a detail, what recall, list and inject give, and what looks so.
fn kind_of(survey: &Survey, operation: &str, request: &request::Offload) -> Kind {
    let has = |key: &str| survey.field(key).map_or(0, |field| field.present);
    let mostly = |key: &str| has(key) * 2 > survey.objects;
    let looks_so = mostly("memory_type") || (mostly("id") && mostly("namespace"));
    let any_field = survey.fields.iter().any(|field| Detail::of_field(&field.key) < Detail::Full);
    let expected = matches!(operation, "recall" | "list" | "inject") && (survey.objects == 0 || any_field);
    if request.detail.is_some() || looks_so || expected { Kind::Memories } else { Kind::Records }
}
