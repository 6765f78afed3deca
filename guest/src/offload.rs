//! What becomes of a result: stays inline, or goes to a file. Decides and renders; writing is the edge's.

use std::borrow::Cow;

use crate::detail::Detail;
use crate::error::Error;
use crate::events::Event;
use crate::file_name::{self, FileName};
use crate::header::{self, Deviations, Header};
use crate::instant::Instant;
use crate::members::Members;
use crate::memories;
use crate::payload::{self, Form, Payload};
use crate::recipes::Kind;
use crate::request;
use crate::response;
use crate::settings::{Settings, TTL_SECONDS};
use crate::survey::{ScoreRange, Survey, score_range};
use crate::tokens::{Tally, estimate};
use crate::truncate;

/// Operations whose records are memories (LRO-16).
const MEMORY_OPERATIONS: [&str; 4] = ["recall", "search", "inject", "list"];

/// Keys under which servers hand out where the next page begins.
const CURSORS: [&str; 3] = ["next_cursor", "nextCursor", "cursor"];

/// What to do.
#[derive(Debug)]
pub enum Decision<'a> {
    /// The payload stands as it is.
    Unchanged,
    /// Return this text.
    Inline(String),
    /// Write the draft to a file, or answer it truncated.
    Offload(Box<Draft<'a>>),
}

/// What to do, and what was found on the way.
#[derive(Debug)]
pub struct Decided<'a> {
    /// What to do.
    pub decision: Decision<'a>,
    /// Tokens of the records. Nothing is estimated when offloading is disabled: it is then 0.
    pub tokens: u32,
    /// Why a large result is passed on, if it is.
    pub skipped: Option<Event>,
}

/// The records as they would stand in a file, and what is known of them.
#[derive(Debug)]
struct Records<'a> {
    form: Form,
    texts: Vec<Cow<'a, str>>,
    survey: Survey,
    kind: Kind,
    scores: Option<ScoreRange>,
}

/// A file that is complete but for its moment.
#[derive(Debug)]
pub struct Draft<'a> {
    records: Records<'a>,
    operation: String,
    query: Option<String>,
    session: Option<String>,
    schema_version: String,
    detail: Detail,
    tokens: u32,
    counted_by_caller: bool,
}

/// A file as it is to be written, and the response that goes with it.
#[derive(Debug)]
pub struct File {
    /// Its name.
    pub name: FileName,
    /// Its path as people and models know it.
    pub public_path: String,
    /// Its first line, without the newline.
    pub header_line: String,
    /// The exact text of the response.
    pub response: String,
}

/// Tokens of the records at the requested detail (LRO-02).
pub fn estimated_tokens(payload: &str, request: &request::Offload, settings: &Settings) -> Result<u32, Error> {
    let operation = file_name::operation(&request.operation);
    Ok(match Records::read(payload, &operation, request)? {
        Some(records) => records.tokens(request, settings),
        None => request.tokens.unwrap_or_else(|| estimate(settings.tokenizer, payload)),
    })
}

/// Decides, and estimates on the way.
pub fn decide<'a>(payload: &'a str, request: &request::Offload, settings: &Settings) -> Result<Decided<'a>, Error> {
    let inline = |text: Option<String>, tokens, skipped| {
        // LRO-21: a formatted text is what an inline answer consists of, where there is one.
        let text = request.formatted.clone().or(text);
        Ok(Decided { decision: text.map_or(Decision::Unchanged, Decision::Inline), tokens, skipped })
    };
    if !settings.enabled {
        return inline(None, 0, None);
    }
    let operation = file_name::operation(&request.operation);
    let Some(records) = Records::read(payload, &operation, request)? else {
        let tokens = request.tokens.unwrap_or_else(|| estimate(settings.tokenizer, payload));
        let is_large = tokens > settings.threshold_tokens;
        return inline(None, tokens, is_large.then(|| Event::skipped(&operation, "it is not JSON")));
    };
    let tokens = records.tokens(request, settings);
    // LRO-05, LRO-06: the total decides, and only more than the threshold is too much.
    if tokens <= settings.threshold_tokens {
        let projected = request.projection().is_some_and(|detail| detail != Detail::Full);
        return inline(projected.then(|| payload::write(records.form, &records.texts)), tokens, None);
    }
    if let Some(cursor) = records.live_cursor(&operation) {
        let reason = format!("it has a live cursor, `{cursor}`, and a set is never offloaded and paginated at once");
        return inline(None, tokens, Some(Event::skipped(&operation, &reason)));
    }
    let detail = match (request.detail, records.kind) {
        (Some(detail), _) => detail,
        (None, Kind::Memories) => records.survey.detail(),
        (None, Kind::Records) => Detail::Full,
    };
    let draft = Draft {
        operation,
        query: request.query.clone(),
        session: request.session.clone(),
        schema_version: request.schema_version.clone().unwrap_or_else(|| "1.0.0".into()),
        detail,
        tokens,
        counted_by_caller: request.tokens.is_some(),
        records,
    };
    Ok(Decided { decision: Decision::Offload(Box::new(draft)), tokens, skipped: None })
}

impl<'a> Records<'a> {
    /// Takes a payload apart and brings its records to the form that a file would have. `None` when it is not JSON.
    fn read(payload: &'a str, operation: &str, request: &request::Offload) -> Result<Option<Self>, Error> {
        let Some(Payload { form, records }) = Payload::read(payload) else {
            return Ok(None);
        };
        let mut scores: Vec<f64> = Vec::new();
        let mut texts: Vec<Cow<'a, str>> = Vec::with_capacity(records.len());
        let unwraps = MEMORY_OPERATIONS.contains(&operation);
        for record in records {
            match memories::unwrap(record).filter(|_| unwraps) {
                Some(hit) => {
                    scores.extend(hit.score);
                    texts.push(hit.memory.into());
                }
                None => texts.push(record.into()),
            }
        }
        let mut survey = Survey::of(&texts);
        let kind = kind_of(&survey, operation, request);
        if kind == Kind::Memories && survey.field("score").is_some() {
            scores.extend(cut_scores(&mut texts));
            survey.fields.retain(|field| field.key != "score");
        }
        if let Some(detail) = request.projection().filter(|detail| *detail != Detail::Full) {
            for text in &mut texts {
                if let Some(projected) = crate::detail::project(text, detail) {
                    *text = projected.into();
                }
            }
            survey = Survey::of(&texts);
        }
        for text in &mut texts {
            if text.contains(['\n', '\r']) {
                *text = memories::on_one_line(text).into_owned().into();
            }
        }
        let scores = given_scores(request, texts.len())?.unwrap_or(scores);
        Ok(Some(Self { form, texts, survey, kind, scores: score_range(scores) }))
    }

    fn tokens(&self, request: &request::Offload, settings: &Settings) -> u32 {
        // Decision 19: an empty set costs nothing, whoever counts.
        match request.tokens {
            Some(tokens) if !self.texts.is_empty() => tokens,
            _ => self.own_tokens(settings),
        }
    }

    fn own_tokens(&self, settings: &Settings) -> u32 {
        let mut tally = Tally::new(settings.tokenizer);
        self.texts.iter().for_each(|text| tally.add(text));
        tally.tokens()
    }

    /// LRO-22: the key of a cursor that leads on, in the one document of a memory operation.
    fn live_cursor(&self, operation: &str) -> Option<&'static str> {
        let [document] = &self.texts[..] else {
            return None;
        };
        let members = Members::of(document).filter(|_| MEMORY_OPERATIONS.contains(&operation))?;
        CURSORS.into_iter().find(|cursor| members.get_some(cursor).is_some())
    }
}

/// The caller's scores; as many as there are records.
fn given_scores(request: &request::Offload, count: usize) -> Result<Option<Vec<f64>>, Error> {
    match &request.scores {
        Some(scores) if scores.len() != count => Err(Error::invalid_argument(
            format!("cannot read the offload request: `scores` has {} entries for {count} records", scores.len()),
            "give one score or null for each record, in their order",
        )),
        scores => Ok(scores.as_ref().map(|scores| scores.iter().copied().flatten().collect())),
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

impl Draft<'_> {
    /// The file at its moment.
    pub fn at(&self, instant: Instant, settings: &Settings) -> File {
        let name = FileName::new(&settings.prefix, &self.operation, &instant.ulid(), self.session.as_deref());
        let public_path = name.public_path(settings);
        let header = self.header(instant, settings);
        let response = response::render(settings, &header, &self.records.survey, self.records.scores, &public_path);
        File { name, public_path, header_line: header.to_line(), response }
    }

    fn header(&self, instant: Instant, settings: &Settings) -> Header {
        Header {
            header_type: header::TYPE.into(),
            operation: self.operation.clone(),
            query: self.query.clone(),
            count: self.records.survey.count,
            schema_version: self.schema_version.clone(),
            timestamp: instant.timestamp(),
            estimated_tokens: self.tokens,
            detail: self.detail,
            lro: Deviations {
                ttl_seconds: Some(settings.ttl_seconds).filter(|ttl| *ttl != TTL_SECONDS),
                kind: self.records.kind,
                profile: settings.profile,
            },
        }
    }

    /// The lines behind the header, without their newlines.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.records.texts.iter().map(AsRef::as_ref)
    }

    /// What is answered when the file cannot be written, for which reason, and the event that tells of it.
    pub fn truncated(&self, settings: &Settings, file_path: &str, error: &str) -> (String, Event) {
        let texts = &self.records.texts;
        let mut budget = settings.threshold_tokens;
        if self.counted_by_caller {
            // The caller's tokens are larger or smaller than ours: so is the budget in ours.
            let own = u64::from(self.records.own_tokens(settings));
            budget = u32::try_from(u64::from(budget) * own / u64::from(self.tokens.max(1))).unwrap_or(u32::MAX);
        }
        let kept = truncate::fitting(texts, settings.tokenizer, budget);
        (truncate::render(kept, texts.len(), error), Event::write_failed(&self.operation, file_path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSTANT: Instant = Instant { milliseconds: 1_790_000_000_000, random: 1 };

    fn settings(threshold_tokens: u32) -> Settings {
        Settings { threshold_tokens, output_dir: "/out".into(), ..Settings::default() }
    }

    fn request(json: &str) -> request::Offload {
        request::Offload::parse(json).unwrap()
    }

    fn draft<'a>(payload: &'a str, json: &str) -> Box<Draft<'a>> {
        match decide(payload, &request(json), &settings(0)).unwrap().decision {
            Decision::Offload(draft) => draft,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn more_than_the_threshold_is_offloaded_and_as_many_are_not() {
        // Two records of 8 and 9 characters: 17 / 4, rounded up, are 5 tokens.
        let payload = r#"[{"id":"a"}, {"id":"bc"}]"#;
        let rows = [(5, false), (6, false), (4, true), (0, true)];
        for (threshold, offloads) in rows {
            let settings = settings(threshold + 1);
            let decided = decide(payload, &request(r#"{"operation":"recall"}"#), &settings).unwrap();
            assert_eq!(decided.tokens, 6);
            assert_eq!(matches!(decided.decision, Decision::Offload(_)), offloads, "{threshold}");
        }
    }

    #[test]
    fn inline_is_unchanged_projected_or_formatted() {
        let rows = [
            (r#"{"operation":"recall"}"#, None),
            (r#"{"operation":"recall","detail":"full"}"#, None),
            (r#"{"operation":"recall","detail":"light","already_projected":true}"#, None),
            (r#"{"operation":"inject","formatted":"text"}"#, Some("text")),
            (
                r#"{"operation":"recall","detail":"light"}"#,
                Some(r#"[{"id":"a","title":null,"namespace":null,"memory_type":null,"tags":[],"created":null}]"#),
            ),
        ];
        for (json, text) in rows {
            let decided = decide(r#"[ {"id":"a"} ]"#, &request(json), &settings(100)).unwrap();
            assert_eq!(decided.skipped, None);
            match (decided.decision, text) {
                (Decision::Unchanged, None) => {}
                (Decision::Inline(found), Some(text)) => assert_eq!(found, text),
                (decision, _) => panic!("{json}: {decision:?}"),
            }
        }
    }

    #[test]
    fn nothing_happens_when_disabled_empty_or_not_json() {
        let disabled = Settings { enabled: false, ..settings(0) };
        let recall = request(r#"{"operation":"recall"}"#);
        for (payload, settings) in [("[1]", disabled), ("[]", settings(0))] {
            let decided = decide(payload, &recall, &settings).unwrap();
            assert!(
                matches!(decided, Decided { decision: Decision::Unchanged, tokens: 0, skipped: None }),
                "{payload}"
            );
        }
        let decided = decide("plain text", &recall, &settings(0)).unwrap();
        assert!(matches!(decided.decision, Decision::Unchanged));
        assert_eq!(decided.skipped.unwrap().name, "OffloadSkipped");
    }

    #[test]
    fn records_are_kept_byte_for_byte_and_scores_are_not() {
        let payload = r#"[{"memory":{"id": "a",  "n":1.10},"score":0.5}, {"id":"b","score":2,"n":1e3}, 7]"#;
        let draft = draft(payload, r#"{"operation":"recall"}"#);
        assert_eq!(draft.lines().collect::<Vec<_>>(), [r#"{"id": "a",  "n":1.10}"#, r#"{"id":"b","n":1e3}"#, "7"]);
        let response: serde_json::Value = serde_json::from_str(&draft.at(INSTANT, &settings(0)).response).unwrap();
        assert_eq!(response["summary"]["score_range"], serde_json::json!([0.5, 2.0]));
        assert!(!response["line_schema"].to_string().contains("score"));
    }

    #[test]
    fn what_is_no_memory_keeps_its_score_and_gets_recipes_without_fields() {
        let draft = draft(r#"[{"name":"x","score":3}]"#, r#"{"operation":"list_scores"}"#);
        assert_eq!(draft.lines().collect::<Vec<_>>(), [r#"{"name":"x","score":3}"#]);
        let file = draft.at(INSTANT, &settings(0));
        assert!(file.header_line.ends_with(r#""detail":"full","lro":{"kind":"records"}}"#), "{}", file.header_line);
    }

    #[test]
    fn a_file_has_its_name_header_and_response() {
        let draft = draft(
            r#"{"id":"a","memory_type":"semantic"}"#,
            r#"{"operation":"recall_memories","query":"q","session":"s"}"#,
        );
        let file = draft.at(INSTANT, &settings(0));
        let name = format!("atlatl-recall-{}.jsonl", INSTANT.ulid());
        assert_eq!(file.name.relative(), format!("s/{name}"));
        assert_eq!(file.public_path, format!("/out/s/{name}"));
        assert!(file.header_line.starts_with(r#"{"type":"lro_header","operation":"recall","query":"q","count":1,"#));
        assert!(file.response.starts_with(r#"{"offloaded":true,"summary":{"count":1,"#), "{}", file.response);
    }

    #[test]
    fn scores_must_be_as_many_as_records() {
        let error = decide("[1,2]", &request(r#"{"operation":"recall","scores":[1]}"#), &settings(0)).unwrap_err();
        assert!(error.message().contains("1 entries for 2 records"), "{error}");
        let scored = draft("[1,2]", r#"{"operation":"recall","scores":[0.5,null]}"#);
        assert_eq!(scored.records.scores, Some(ScoreRange(0.5, 0.5)));
    }

    #[test]
    fn a_live_cursor_passes_and_other_tools_may_have_one() {
        let payload = r#"{"memories":[1],"next_cursor":"x"}"#;
        let decided = decide(payload, &request(r#"{"operation":"recall"}"#), &settings(0)).unwrap();
        assert!(matches!(decided.decision, Decision::Unchanged));
        assert!(decided.skipped.unwrap().message.contains("live cursor"));
        assert_eq!(draft(payload, r#"{"operation":"issues"}"#).records.texts.len(), 1);
    }

    #[test]
    fn a_callers_count_decides_and_scales_the_truncation() {
        let payload = r#"["aaaaaa","bbbbbb","cccccc","dddddd"]"#;
        let counted = request(r#"{"operation":"recall","tokens":16}"#);
        let decided = decide(payload, &counted, &settings(8)).unwrap();
        assert_eq!(decided.tokens, 16);
        let Decision::Offload(draft) = decided.decision else { panic!("{decided:?}") };
        let (text, event) = draft.truncated(&settings(8), "/out/x", "disk full");
        assert!(text.ends_with(r#""results":["aaaaaa","bbbbbb"],"returned":2,"total":4}"#), "{text}");
        assert_eq!(event.name, "OffloadWriteFailed");
    }
}
