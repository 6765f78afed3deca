//! The session of a conversation over MCP: the folder of its files, which our tools do not leave and which ends with it.

use std::hash::{BuildHasher, RandomState};

use clap::{Args, ValueEnum};
use lro::{Case, CleanupRequest, Lro, Options};
use serde_json::json;

use crate::events::EventsFlag;
use crate::global::set;
use crate::output;

/// The flags of a session.
#[derive(Args, Clone)]
pub(crate) struct SessionFlags {
    /// Put files into this folder of the output directory and read no others, as a client that resumes needs it
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// What happens to the session's files at its end [default: delete, or keep with --session]
    #[arg(long, value_name = "delete|keep", hide_possible_values = true)]
    pub(crate) session_end: Option<SessionEnd>,
    #[command(flatten)]
    pub(crate) context: ContextFlag,
}

/// The flag that switches on the gates of a context window.
#[derive(Args, Clone, Default)]
pub(crate) struct ContextFlag {
    /// The context window of the model in tokens: results that would take too much of it are offloaded, and no others
    #[arg(long = "context", value_name = "TOKENS")]
    context_tokens: Option<u32>,
}

impl ContextFlag {
    /// Sets what the flag says.
    pub(crate) fn set(&self, options: &mut Options) {
        set(options, "context_tokens", &self.context_tokens);
    }
}

/// What happens to the files of a session when it ends.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub(crate) enum SessionEnd {
    /// They are deleted.
    Delete,
    /// They stay for as long as their TTL says.
    Keep,
}

/// A session.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) name: String,
    is_deleted_at_end: bool,
}

impl Session {
    /// The session that the flags name, or a new one. One that has a name is meant to be resumed, so its files stay. In a
    /// store (`has_store`) there is one for all: the next call of a conversation may come to another machine.
    pub(crate) fn of(flags: &SessionFlags, has_store: bool) -> Self {
        let end = match (flags.session_end, &flags.session) {
            (Some(end), _) => end,
            (None, None) if !has_store => SessionEnd::Delete,
            (None, _) => SessionEnd::Keep,
        };
        let of_own = || if has_store { OF_ALL.to_owned() } else { random_name() };
        let name = flags.session.clone().unwrap_or_else(of_own);
        Self { name, is_deleted_at_end: end == SessionEnd::Delete }
    }

    /// Deletes the session's files, if they end with it (GATE-18, READ-19). What is not ours in its folder stays.
    pub(crate) fn end(&self, lro: &Lro, events: &EventsFlag) {
        let has_files = || match lro.object_store() {
            // What cannot be listed expires by itself.
            Some(store) => store.can_list(),
            None => lro.output_dir().join(&self.name).is_dir(),
        };
        if !self.is_deleted_at_end || !has_files() {
            return;
        }
        match lro.cleanup(&CleanupRequest::default().session(self.name.as_str()).all(true)) {
            Ok(cleaning) => events.report_quietly(&cleaning.events),
            // Somebody has deleted it.
            Err(lro::Error::Case(Case::NotFound(_))) => {}
            Err(error) => output::remark(error.message()),
        }
    }
}

impl SessionFlags {
    /// True if a flag of a session was given.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.session.is_some() || self.session_end.is_some()
    }

    /// Sets what the flags say. The component checks a name.
    pub(crate) fn set(&self, options: &mut Options) {
        set(options, "call", &self.session.as_ref().map(|name| json!({ "session": name })));
        self.context.set(options);
    }
}

/// The session of all conversations whose files are in a store.
const OF_ALL: &str = "shared";

/// Lower case, for file systems that do not tell cases apart.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// With five bits each these are 60 random bits: nobody guesses a name, and a model pays few tokens for it in each path.
const LETTERS_OF_A_NAME: u32 = 12;

/// A name that says nothing about its client (USER-09). The standard library keys its hasher with random bits of the system.
fn random_name() -> String {
    let bits = RandomState::new().hash_one(());
    let letter = |place| char::from(LETTERS[(bits >> (5 * place)) as usize % LETTERS.len()]);
    (0..LETTERS_OF_A_NAME).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(session: Option<&str>, session_end: Option<SessionEnd>) -> SessionFlags {
        SessionFlags { session: session.map(str::to_owned), session_end, context: ContextFlag::default() }
    }

    #[test]
    fn a_session_with_a_name_is_kept() {
        let rows = [
            (flags(None, None), true),
            (flags(Some("a"), None), false),
            (flags(None, Some(SessionEnd::Keep)), false),
            (flags(Some("a"), Some(SessionEnd::Delete)), true),
        ];
        for (flags, is_deleted) in rows {
            assert_eq!(Session::of(&flags, false).is_deleted_at_end, is_deleted);
        }
    }

    #[test]
    fn in_a_store_every_machine_has_the_same_session() {
        let session = Session::of(&flags(None, None), true);
        assert_eq!((session.name.as_str(), session.is_deleted_at_end), ("shared", false));
        let of_team = Session::of(&flags(Some("team-a"), None), true);
        assert_eq!((of_team.name.as_str(), of_team.is_deleted_at_end), ("team-a", false));
    }

    #[test]
    fn random_names_differ() {
        let names: std::collections::HashSet<String> = (0..1000).map(|_| random_name()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| name.len() == 12 && name.bytes().all(|letter| LETTERS.contains(&letter))));
    }
}
