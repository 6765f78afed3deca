//! The guest's crate, natively.

use lro_conformance::case::{Case, Directory};
use lro_conformance::{Answer, Call, Engine, message};
use lro_tests::native;

pub(crate) struct NativeEngine;

impl Engine for NativeEngine {
    fn name(&self) -> &str {
        "native"
    }

    /// Only a sandbox can make a directory read-only, or its disk full.
    fn unable(&self, case: &Case) -> Option<String> {
        matches!(case.given.directory, Directory::ReadOnly | Directory::Full).then(|| "it has no sandbox".to_owned())
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        match native::answer(&message::request(call)) {
            Ok(answer) => message::answer(call, answer).map_or_else(Answer::Accident, Answer::Done),
            Err(error) => Answer::Failed(error),
        }
    }
}
