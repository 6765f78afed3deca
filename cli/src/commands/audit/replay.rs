//! Replays calls through the component, as the hook of their client would have done it, in a folder that is removed.

use std::collections::HashSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use lro::{Lro, Source};
use lro_clients::hook::event::{Object, Rewritten};
use lro_clients::hook::{Client as Hooked, Event, Holding, is_tool};
use serde_json::{Value, json};

use super::account::{Account, Sums};
use super::followed::{Belongs, Followed};
use super::said::Call;
use crate::commands::hook::replacing::{replaced, whole};
use crate::counting::Counter;
use crate::cuts::{Cutter, Origin};

/// A client whose transcripts are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Client {
    Claude,
    Codex,
}

impl Client {
    pub(super) fn name(self) -> &'static str {
        self.hooked().name()
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
    }

    fn hooked(self) -> Hooked {
        match self {
            Self::Claude => Hooked::Claude,
            Self::Codex => Hooked::Codex,
        }
    }

    fn cutter(self) -> Cutter {
        Cutter::of(self.hooked())
    }
}

/// What a replay works with.
pub(super) struct Replay {
    pub(super) counter: Counter,
    /// Writes to the folder that is removed.
    pub(super) offloading: &'static Lro,
    /// Reads the files that were offloaded when a transcript was recorded.
    pub(super) reading: Lro,
    /// Tools with a rule of their own.
    pub(super) ruled: Vec<String>,
    /// Tokens of the extractions that are assumed after each replayed result.
    pub(super) assumed_tokens: u64,
    /// Lines that have been counted, by their hash: a session that is resumed repeats those of another one.
    pub(super) counted: HashSet<u64>,
}

/// Extractions from files of which the transcript does not say where they came from.
const ELSEWHERE: &str = "(files of other sessions)";

impl Replay {
    /// Adds a call to the account.
    ///
    /// # Errors
    /// Those of the component when it counts.
    pub(super) fn add(
        &mut self,
        call: &Call,
        client: Client,
        transcript: &Path,
        followed: &mut Followed,
        account: &mut Account,
    ) -> Result<(), lro::Error> {
        if !self.counted.insert(hash(&call.line)) {
            return Ok(());
        }
        let shown = self.counter.tokens(&call.shown)?;
        let belongs = followed.offloaded_by(&call.arguments);
        if let Some(belongs) = belongs.or(is_tool(&call.tool, None).then_some(Belongs::To(ELSEWHERE))) {
            if let Belongs::To(tool) = belongs {
                let with = &mut account.tool(tool).with;
                with.extractions += 1;
                with.extractions_tokens += shown + self.counter.tokens(&call.arguments)?;
            }
            return Ok(());
        }
        if let Some(tool) = followed.saved_by(&call.arguments) {
            let without = &mut account.tool(tool).without;
            without.reads += 1;
            without.reads_tokens += shown + self.counter.tokens(&call.arguments)?;
            return Ok(());
        }
        let sums = account.tool(&call.tool);
        let counts = match response_in(&call.shown) {
            Some(file) => self.add_recorded(call, client, &file, shown, sums)?,
            None => self.add_replayed(call, client, transcript, shown, sums)?,
        };
        followed.learn(call, counts);
        Ok(())
    }

    /// A result that was offloaded when the transcript was recorded: without, the client would have cut the original. False
    /// if that is gone.
    fn add_recorded(
        &self,
        call: &Call,
        client: Client,
        file: &str,
        shown: u64,
        sums: &mut Sums,
    ) -> Result<bool, lro::Error> {
        sums.results += 1;
        sums.recorded += 1;
        let Some(original) = self.original(file) else {
            sums.not_counted += 1;
            return Ok(false);
        };
        sums.without.shown += self.counter.tokens(&client.cutter().shown(Origin::of(&call.tool), &original))?;
        sums.with.shown += shown;
        Ok(true)
    }

    /// What was offloaded to a file, if it is in the directory; by its name where the directory was another one then.
    fn original(&self, file: &str) -> Option<String> {
        let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
        [file, name].into_iter().find_map(|file| self.reading.rebuild(&Source::File(file.to_owned())).ok())
    }

    /// Any other result: what the client showed is in the transcript, and the component says what it would have shown. True
    /// if that is something else.
    fn add_replayed(
        &self,
        call: &Call,
        client: Client,
        transcript: &Path,
        shown: u64,
        sums: &mut Sums,
    ) -> Result<bool, lro::Error> {
        sums.results += 1;
        sums.without.shown += shown;
        let Some((text, is_saved)) = self.response(call, client, transcript) else {
            sums.with.shown += shown;
            return Ok(false);
        };
        sums.with.shown += self.counter.tokens(&text)?;
        sums.with.assumed_tokens += self.assumed_tokens;
        sums.replayed += 1;
        sums.from_saved_file += u64::from(is_saved);
        sums.from_part += u64::from(call.is_part);
        Ok(true)
    }

    /// What the hook would have put in the place of a result, and whether the whole was in a file of the client.
    fn response(&self, call: &Call, client: Client, transcript: &Path) -> Option<(String, bool)> {
        let text_of_event = event(call, client, transcript)?;
        let held = Event::of(client.hooked(), &text_of_event).ok()?.held().ok()??;
        let is_saved = matches!(held.result, Holding::Saved(_));
        let result = whole(&held).ok()?;
        if held.is_too_small(result.len(), self.ruled.contains(&held.tool)) {
            return None;
        }
        let message = replaced(self.offloading, client.hooked(), &held, &result).ok()??.message?;
        let mut text = Rewritten::of(&message)?.text;
        // What a command wrote to standard error stays.
        let errors = Object::of(&text_of_event)?.object("tool_response").and_then(|response| response.text("stderr"));
        if let Some(errors) = errors.filter(|errors| !errors.is_empty()) {
            text = format!("{text}\n{errors}");
        }
        Some((text, is_saved))
    }

    /// Removes what the replay of a transcript has written.
    pub(super) fn clear(&self) {
        for entry in fs::read_dir(self.offloading.output_dir()).into_iter().flatten().flatten() {
            // The whole folder goes at the end.
            _ = fs::remove_file(entry.path());
        }
    }
}

/// The event that the client would have given its hook.
fn event(call: &Call, client: Client, transcript: &Path) -> Option<String> {
    let response = call.response.as_ref()?;
    let event = json!({
        "hook_event_name": "PostToolUse",
        "transcript_path": transcript,
        "tool_name": call.tool,
    });
    // Codex names a turn, and Claude Code ignores it.
    let turn = if client == Client::Codex { r#","turn_id":"0""# } else { "" };
    let head = event.to_string();
    let (arguments, head) = (&call.arguments, head.strip_suffix('}')?);
    Some(format!(r#"{head}{turn},"tool_input":{arguments},"tool_response":{response}}}"#))
}

/// The file of a response, if a text that was shown is one.
pub(super) fn response_in(shown: &str) -> Option<String> {
    let at = shown.find(r#"{"offloaded":true"#)?;
    let mut values = serde_json::Deserializer::from_str(&shown[at..]).into_iter::<Value>();
    let response = values.next()?.ok()?;
    response["file_path"].as_str().map(str::to_owned)
}

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_known_wherever_it_stands() {
        let response = r#"{"offloaded":true,"summary":{},"file_path":"/tmp/lro-0/a.jsonl"}"#;
        for text in [response.to_owned(), format!("Wall time: 1\nOutput:\n{response}"), format!("{response}\nerrors")] {
            assert_eq!(response_in(&text).as_deref(), Some("/tmp/lro-0/a.jsonl"), "{text}");
        }
        for text in ["", "{}", r#"{"offloaded":true"#, r#"{"offloaded":true,"file_path":7}"#, r#"say {"offloaded":tru"#]
        {
            assert_eq!(response_in(text), None, "{text}");
        }
    }
}
