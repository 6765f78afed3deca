//! A result ready to be written, complete except for its timestamp and ULIDs.

use std::borrow::Cow;

use crate::fields::roles::Words;
use crate::file::events::Event;
use crate::file::file_name::{Extension, FileName};
use crate::file::header::{Deviations, Header, Section};
use crate::file::instant::Instant;
use crate::file::kind::Kind;
use crate::file::naming::Stem;
use crate::gate::Gate;
use crate::offload::budget::Budget;
use crate::offload::contents::{Contents, Lists};
use crate::offload::records::Records;
use crate::offload::response::{self, Part, Size, Wanted};
use crate::offload::truncate::{self, Truncation};
use crate::payload::detail::Detail;
use crate::payload::frame::{Form, Frame};
use crate::payload::path::Path;
use crate::payload::plain_text::line_count;
use crate::settings::request;
use crate::settings::sections::GivenRecipe;
use crate::settings::{Settings, TTL_SECONDS};

/// A result that is to be stored.
#[derive(Debug)]
pub struct Draft<'a> {
    contents: Contents<'a>,
    operation: String,
    query: Option<String>,
    session: Option<String>,
    schema_version: String,
    detail: Option<Detail>,
    wanted: Wanted,
    input_tokens: Option<u32>,
    tokens: u32,
    own_tokens: u32,
}

/// The files of a draft at its moment, and the response that goes with them.
#[derive(Debug)]
pub struct Files {
    /// One for each list, in the order of the document, and one for the text that they were made of; one for a text.
    pub files: Vec<File>,
    /// The place of the one that the response describes.
    pub main: usize,
    /// The exact text of the response.
    pub response: String,
}

/// A file as it is to be written.
#[derive(Debug)]
pub struct File {
    /// Its name.
    pub name: FileName,
    /// Its path as people and models know it.
    pub public_path: String,
    /// Its first line, without the newline.
    pub header_line: String,
}

impl<'a> Draft<'a> {
    /// Drafts contents that have `tokens` tokens, of a result of this size.
    pub fn new(
        mut contents: Contents<'a>,
        operation: String,
        tokens: u32,
        size: Size,
        request: &request::Offload,
        settings: &Settings,
    ) -> Self {
        if let Contents::Lists(lists) = &mut contents {
            lists.lists.iter_mut().for_each(|list| list.infer(settings));
        }
        let own_tokens = if request.tokens.is_some() { contents.own_tokens(settings) } else { tokens };
        Self {
            contents,
            operation,
            query: request.query.clone(),
            session: request.session.clone(),
            schema_version: request.schema_version.clone().unwrap_or_else(|| "1.0.0".into()),
            detail: request.detail,
            wanted: Wanted {
                descriptor: request.descriptor.unwrap_or_else(|| settings.descriptor()),
                preview: request.preview.unwrap_or(settings.preview),
                preview_characters: request.preview_characters.or(settings.preview_characters),
                size,
                sections: request.sections.clone().unwrap_or_default(),
                gate: None,
            },
            input_tokens: request.input_tokens,
            tokens,
            own_tokens,
        }
    }

    /// The same, with the gate that made it too large.
    pub fn because(mut self, gate: Option<Gate>) -> Self {
        self.wanted.gate = gate;
        self
    }

    /// The operation, as it is called in a file's name.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// What is to be stored.
    pub fn contents(&self) -> &Contents<'a> {
        &self.contents
    }

    /// The files at their moment.
    pub fn at(&self, instant: Instant, settings: &Settings) -> Files {
        match &self.contents {
            Contents::Text(text) => {
                let name = self.name(instant, settings, Extension::Text);
                let kind = Kind::Text;
                let mut header = self.header(instant, settings, text.lines, self.tokens, kind, Detail::Full);
                header.lro.roles.words = Words::of_lines(text.text);
                header.lro.recipes = self.recipes_of(&Path::default(), true);
                header.lro.document = text.frame.clone();
                let public_path = name.public_path(settings);
                let response = response::of_text(settings, &header, text, &public_path, &self.wanted);
                let file = File { header_line: header.to_line(), name, public_path };
                Files { files: vec![file], main: 0, response }
            }
            Contents::Lists(lists) => self.files_of(lists, instant, settings),
        }
    }

    fn files_of(&self, lists: &Lists<'a>, instant: Instant, settings: &Settings) -> Files {
        // Further files are later ones of the same moment: their ULIDs follow.
        let later = |place: usize| Instant { random: instant.random.wrapping_add(place as u128), ..instant };
        let count = lists.lists.len();
        let names: Vec<FileName> =
            (0..count).map(|place| self.name(later(place), settings, Extension::Lines)).collect();
        let original = lists.original.map(|text| (text, self.name(later(count), settings, Extension::Text)));
        let tokens = self.shares(lists, settings);
        let headers: Vec<Header> = lists
            .lists
            .iter()
            .enumerate()
            .map(|(place, list)| {
                let detail = self.detail.unwrap_or_else(|| list.detail());
                let mut header = self.header(instant, settings, list.count(), tokens[place], list.kind(), detail);
                header.lro.roles = list.roles();
                header.lro.recipes = self.recipes_of(&list.path, lists.lists.len() == 1);
                header.lro.taken = list.taken.clone();
                if place == lists.main {
                    header.lro.document = document(lists, &names, original.as_ref().map(|(_, name)| name));
                } else {
                    header.lro.section = Some(Section { of: names[lists.main].relative(), path: list.path.clone() });
                }
                header
            })
            .collect();
        let paths: Vec<String> = names.iter().map(|name| name.public_path(settings)).collect();
        let parts: Vec<Part<'_>> = lists
            .lists
            .iter()
            .zip(&headers)
            .zip(&paths)
            .map(|((records, header), file_path)| Part { header, records, file_path })
            .collect();
        let original = original.map(|(text, name)| {
            let lines = line_count(text);
            let mut header = self.header(instant, settings, lines, self.tokens, Kind::Text, Detail::Full);
            header.lro.roles.words = Words::of_lines(text);
            header.lro.section = Some(Section { of: names[lists.main].relative(), path: Path::default() });
            File { public_path: name.public_path(settings), name, header_line: header.to_line() }
        });
        let text_path = original.as_ref().map(|file| file.public_path.as_str());
        let response = response::of_lists(settings, lists, &parts, text_path, &self.wanted);
        let files = names
            .into_iter()
            .zip(paths.iter().cloned())
            .zip(headers.iter())
            .map(|((name, public_path), header)| File { name, public_path, header_line: header.to_line() })
            .chain(original)
            .collect();
        Files { files, main: lists.main, response }
    }

    /// The recipes that the caller gave for a list.
    fn recipes_of(&self, path: &Path, is_only: bool) -> Vec<GivenRecipe> {
        self.wanted.sections.of(path, is_only).map_or_else(Vec::new, |section| section.recipes().to_vec())
    }

    /// The tokens of each list. The largest list also counts the text around the lists, so that the sum is that of the
    /// result.
    fn shares(&self, lists: &Lists<'_>, settings: &Settings) -> Vec<u32> {
        let share = |list: &Records<'_>| {
            let own = u64::from(list.tokens(settings.tokenizer));
            let share = own * u64::from(self.tokens) / u64::from(self.own_tokens.max(1));
            u32::try_from(share).unwrap_or(u32::MAX)
        };
        let mut shares: Vec<u32> = match lists.lists.len() {
            1 => vec![0],
            _ => lists.lists.iter().map(share).collect(),
        };
        let others: u32 =
            shares.iter().enumerate().filter(|(place, _)| *place != lists.main).map(|(_, share)| share).sum();
        shares[lists.main] = self.tokens.saturating_sub(others);
        shares
    }

    fn name(&self, instant: Instant, settings: &Settings, extension: Extension) -> FileName {
        let stem = Stem::new(&self.operation, instant);
        FileName::new(&stem, self.session.as_deref(), extension, settings)
    }

    fn header(
        &self,
        instant: Instant,
        settings: &Settings,
        count: u32,
        estimated_tokens: u32,
        kind: Kind,
        detail: Detail,
    ) -> Header {
        Header {
            header_type: settings.header_type.clone(),
            operation: self.operation.clone(),
            query: self.query.clone(),
            count,
            schema_version: self.schema_version.clone(),
            timestamp: instant.timestamp(),
            estimated_tokens,
            detail,
            lro: Deviations {
                ttl_seconds: Some(settings.ttl_seconds).filter(|ttl| *ttl != TTL_SECONDS),
                kind,
                profile: settings.profile,
                ..Deviations::default()
            },
        }
    }

    /// Returns the text after the header of a file, piece by piece.
    pub fn body(&self, place: usize) -> Box<dyn Iterator<Item = Cow<'_, str>> + '_> {
        match &self.contents {
            Contents::Text(text) => Box::new(std::iter::once(text.text.into())),
            Contents::Lists(lists) => match lists.lists.get(place) {
                Some(list) => Box::new(list.texts.iter().flat_map(|text| [text, "\n".into()])),
                None => Box::new(lists.original.into_iter().map(Cow::Borrowed)),
            },
        }
    }

    /// Returns the answer for a file that cannot be written, with the reason, and the event that reports it.
    pub fn truncated(&self, settings: &Settings, file_path: &str, error: &str) -> (String, Event) {
        // The caller's tokens are larger or smaller than ours: so is the budget in ours.
        let budget = Budget::of(settings, self.input_tokens).scaled(self.own_tokens, self.tokens);
        let truncation = Truncation { cause: &truncate::failed(error), advice: None, budget, is_for_all: false };
        let event = Event::write_failed(&self.operation, file_path, error);
        (truncation.of(&self.contents), event)
    }

    /// Tokens of the result.
    pub fn tokens(&self) -> u32 {
        self.tokens
    }
}

/// Returns what the main file's header says about the document, if it is not simply an array. (Memories have a header
/// of their own: it stays plain unless something would be lost.)
fn document(lists: &Lists<'_>, names: &[FileName], original: Option<&FileName>) -> Option<Frame> {
    let mut frame = Frame { original: original.map(FileName::relative), ..lists.frame.clone() };
    let plain = if lists.main().kind() == Kind::Memories { frame.form == Form::Array && !frame.quoted } else { false };
    if plain || frame == Frame::array() {
        return None;
    }
    for (place, list) in frame.lists.iter_mut().enumerate() {
        list.file = (place != lists.main).then(|| names[place].relative());
    }
    Some(frame)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::offload::decide::{Decision, decide};
    use crate::payload::Payload;
    use crate::settings::request;

    /// The headers of the files of a result, and its tokens.
    fn headers(payload: &str, request: &str) -> (Vec<Value>, u32) {
        let settings = Settings { threshold_tokens: 0, output_dir: "/out".into(), ..Settings::default() };
        let (payload, request) = (Payload::of(payload), request::Offload::parse(request).unwrap());
        let assessment = decide(&payload, &request, &settings).unwrap();
        let Decision::Offload(draft) = assessment.decision else { panic!("{:?}", assessment.decision) };
        let files = draft.at(Instant { milliseconds: 1_790_000_000_000, random: 1 }, &settings).files;
        (files.iter().map(|file| serde_json::from_str(&file.header_line).unwrap()).collect(), assessment.tokens)
    }

    const TWO_LISTS: &str = r#"{"total":9,"users":[{"name":"a"}],"issues":[{"title":"x"},{"title":"y"}]}"#;

    #[test]
    fn the_tokens_of_the_files_add_up_to_those_of_the_result() {
        for (request, total) in [(r#"{"operation":"x"}"#, None), (r#"{"operation":"x","tokens":900}"#, Some(900))] {
            let (files, tokens) = headers(TWO_LISTS, request);
            let shares: Vec<u64> = files.iter().map(|file| file["estimated_tokens"].as_u64().unwrap()).collect();
            assert_eq!((shares.len(), shares.iter().sum::<u64>()), (2, u64::from(total.unwrap_or(tokens))));
            assert!(0 < shares[0] && shares[0] < shares[1], "{shares:?}");
        }
    }

    #[test]
    fn recipes_for_the_only_list_are_not_for_one_of_several() {
        let request = r#"{"operation":"x","sections":{".":{"recipes":[{"name":"titles","query":".title"}]}}}"#;
        let given = |payload: &str| -> Vec<bool> {
            headers(payload, request).0.iter().map(|header| !header["lro"]["recipes"].is_null()).collect()
        };
        assert_eq!((given(r#"{"issues":[{"title":"x"}],"n":1}"#), given(TWO_LISTS)), (vec![true], vec![false, false]));
    }

    #[test]
    fn the_header_of_memories_says_what_is_lost_without_it() {
        let rows = [
            (r#"[{"id":"a"},{"id":"b"}]"#.to_owned(), false),
            ("{\"id\":\"a\"}\n{\"id\":\"b\"}\n".to_owned(), true),
            (Value::from(r#"[{"id":"a"},{"id":"b"}]"#).to_string(), true),
        ];
        for (payload, says) in rows {
            let (files, _) = headers(&payload, r#"{"operation":"recall","memories":true}"#);
            assert_eq!(!files[0]["lro"]["document"].is_null(), says, "{payload}");
        }
    }

    #[test]
    fn projected_memories_that_stay_inline_are_each_in_its_list() {
        let settings = Settings::default();
        let payload = Payload::of(r#"{"old":[{"id":"a"}],"new":[{"id":"b"},{"id":"c"}]}"#);
        let request = request::Offload::parse(r#"{"operation":"recall","detail":"light"}"#).unwrap();
        let Decision::Inline(text) = decide(&payload, &request, &settings).unwrap().decision else { panic!() };
        let ids = |list: &Value| list.as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>();
        let shown: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((ids(&shown["old"]), ids(&shown["new"])), (vec!["a".into()], vec!["b".into(), "c".into()]));
    }
}
