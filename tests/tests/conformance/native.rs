//! The guest's crate, natively.

use lro_conformance::case::{Case, Directory};
use lro_conformance::{Answer, Call, Engine};
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
        native::answer(&call.to_json()).map_or_else(Answer::Failed, Answer::Done)
    }
}
