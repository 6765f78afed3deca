//! The records of one list in the form that a file has, and what is known about them.

use std::borrow::Cow;

use lro_query::json::{self, Members, has_half};
use memchr::memchr2;

use crate::fields::inference::Inference;
use crate::fields::roles::Roles;
use crate::fields::survey::{ScoreRange, Survey, score_range};
use crate::file::header::Deviations;
use crate::file::kind::Kind;
use crate::offload::response;
use crate::payload::detail::Detail;
use crate::payload::memories::{self, TakenScores};
use crate::payload::path::Path;
use crate::payload::texts::Texts;
use crate::recipes;
use crate::settings::Settings;
use crate::settings::request;
use crate::settings::tokens::{Tally, Tokenizer};

/// A response shows the lines beside the records if there are at most this many: a note has no more.
const MOST_SHOWN_LINES: u32 = 2;

/// Records, and what is known of them.
#[derive(Debug)]
pub struct Records<'a> {
    /// Where they were in the document.
    pub path: Path,
    /// Their texts, each on one line.
    pub texts: Texts<'a>,
    /// The text that those which are borrowed are parts of. What it does not have, none of them has: one search of it costs
    /// less than one of each.
    source: &'a str,
    /// What they have in common.
    pub findings: Findings,
    /// The range of their scores.
    pub scores: Option<ScoreRange>,
    /// What was taken from memories and is kept in the header.
    pub taken: Option<TakenScores>,
    /// Each has the bytes that it came as.
    pub are_exact: bool,
    /// Those with half of a surrogate pair, once [`Records::infer`] has counted them.
    pub halves: u32,
}

/// What records have in common.
#[derive(Debug)]
pub enum Findings {
    /// They are memories. Nothing is known of their fields until [`Records::infer`] has looked at them.
    Memories(Survey),
    /// They are not. The same holds.
    Records {
        /// Their fields.
        inference: Box<Inference>,
        /// What these are good for.
        roles: Box<Roles>,
    },
}

impl<'a> Records<'a> {
    /// Brings the records of a list to the form that a file has. Only memories that the caller calls so are changed.
    /// Borrowed ones are parts of `source`.
    pub fn of(path: Path, mut texts: Texts<'a>, source: &'a str, request: &request::Offload) -> Self {
        let taken = if request.are_memories() { memories::take_scores(texts.records(), source) } else { None };
        let mut are_exact = taken.is_none();
        let findings = if request.are_memories() {
            if let Some(detail) = request.projection().filter(|detail| *detail != Detail::Full) {
                for text in texts.records() {
                    if let Some(projected) = crate::payload::detail::project(text, detail) {
                        *text = projected.into();
                        are_exact = false;
                    }
                }
            }
            Findings::Memories(Survey::default())
        } else {
            Findings::Records { inference: Box::default(), roles: Box::default() }
        };
        let has_break = |text: &str| memchr2(b'\n', b'\r', text.as_bytes()).is_some();
        let may_break = has_break(source);
        // What is made of a row is one line.
        if !texts.are_rows() {
            for text in texts.records() {
                if (may_break || matches!(text, Cow::Owned(_))) && has_break(text) {
                    *text = json::on_one_line(text).into_owned().into();
                    are_exact = false;
                }
            }
        }
        let scores = taken.as_ref().and_then(|taken| score_range(taken.numbers()));
        Self { path, texts, source, findings, scores, taken, are_exact, halves: 0 }
    }

    /// Looks at all fields, and chooses recipes that work on every record (USER-14). It is worth its time only for
    /// records that go to a file.
    pub fn infer(&mut self, settings: &Settings) {
        if !self.texts.are_rows() {
            let may_have = has_half(self.source);
            let is_searched = |text: &&mut Cow<'_, str>| may_have || matches!(text, Cow::Owned(_));
            let halves = self.texts.records().iter_mut().filter(is_searched).filter(|text| has_half(text)).count();
            self.halves = u32::try_from(halves).unwrap_or(u32::MAX);
        }
        let (inference, roles) = match &mut self.findings {
            Findings::Memories(survey) => {
                *survey = Survey::of(self.texts.iter());
                return;
            }
            Findings::Records { inference, roles } => (inference, roles),
        };
        **inference = Inference::of(self.texts.iter());
        let chosen = Roles::of(inference).with_category(inference, &self.texts);
        **roles = affordable(chosen.with_examples(&self.texts));
        let lro = Deviations { kind: Kind::Records, roles: (**roles).clone(), ..Deviations::default() };
        // What these recipes do may fail by the type of a value, never by the value.
        let samples = inference.samples().map(|place| self.texts.at(place));
        roles.plain = recipes::set(&lro, Detail::Full).failing(samples, settings);
        **roles = std::mem::take(&mut **roles).with_words(&self.texts);
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.texts.len()).unwrap_or(u32::MAX)
    }

    /// Their kind.
    pub fn kind(&self) -> Kind {
        match self.findings {
            Findings::Memories(_) => Kind::Memories,
            Findings::Records { .. } => Kind::Records,
        }
    }

    /// The level of detail that they show.
    pub fn detail(&self) -> Detail {
        match &self.findings {
            Findings::Memories(survey) => survey.detail(),
            Findings::Records { .. } => Detail::Full,
        }
    }

    /// What their fields are good for.
    pub fn roles(&self) -> Roles {
        match &self.findings {
            Findings::Memories(_) => Roles::default(),
            Findings::Records { roles, .. } => (**roles).clone(),
        }
    }

    /// The first and last of `others` other lines as the text of an object, if they are few: a heading or a note may say that
    /// this is a part of something larger.
    pub fn shown_lines(&self, others: u32) -> Option<String> {
        if others == 0 || others > MOST_SHOWN_LINES {
            return None;
        }
        let (most, last) = (MOST_SHOWN_LINES as usize, self.texts.len());
        let ends = (0..last.min(most)).chain(last.saturating_sub(most).max(most)..last);
        let line = |place| {
            let record = self.texts.at(place);
            let members = Members::of(&record).filter(|members| members.0.len() == 2)?;
            members.get("line")?;
            members.get("text").map(str::to_owned)
        };
        let lines: Vec<String> = ends.filter_map(line).collect();
        (!lines.is_empty()).then(|| format!("{{\"other_lines\":[{}]}}", lines.join(",")))
    }

    /// Their tokens.
    pub fn tokens(&self, tokenizer: Tokenizer) -> u32 {
        let mut tally = Tally::new(tokenizer);
        self.texts.iter().for_each(|text| tally.add(&text));
        tally.tokens()
    }
}

/// These roles, or none where the recipes that name them would fill a response.
fn affordable(roles: Roles) -> Roles {
    let lro = Deviations { kind: Kind::Records, roles, ..Deviations::default() };
    let tokens = response::cost_of_recipes(&recipes::set(&lro, Detail::Full));
    let Deviations { roles, .. } = lro;
    if tokens <= response::RECIPES_TOKENS { roles } else { Roles { guarded: roles.guarded, ..Roles::default() } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_that_work_on_every_record_name_its_fields() {
        // The specification's recipes would fail on these: no memory has such fields.
        let texts: Vec<Cow<'_, str>> = (0..6)
            .map(|n| Cow::Owned(format!(r#"{{"title":{n},"tags":"x","namespace":[{n}],"created":{{}}}}"#)))
            .collect();
        let mut records = Records::of(Path::default(), texts.into(), "", &request::Offload::default());
        records.infer(&Settings::default());
        assert_eq!(records.roles().plain, Vec::<usize>::new());
    }
}
