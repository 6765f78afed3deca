//! Every conformance case on every engine, one test a case: `component::level-1/threshold`.
//!
//! A listed gap must fail: when it passes, the list is stale and the test fails.

mod command;
mod native;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};
use lro_conformance::{Answer, Call, Case, ComponentEngine, Engine, Gap, Verdict, cases, gaps, run};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let component = ComponentEngine::open(None).expect("the embedded component can be used");
    let exact =
        ComponentEngine::open(Some(lro::EXACT_COMPONENT.to_vec())).expect("the component with vocabularies too");
    let engines: [Arc<dyn Engine>; 4] =
        [Arc::new(component), Arc::new(Exact(exact)), Arc::new(native::NativeEngine), Arc::new(command::CommandEngine)];
    let cases = cases().expect("every file in tests/cases is a case");
    let gaps = gaps().expect("known-gaps.json can be read");
    let mut trials = Vec::new();
    for engine in &engines {
        let (able, unable): (Vec<_>, Vec<_>) = cases.iter().partition(|case| engine.unable(case).is_none());
        println!("{}: {} cases, {} more that it has no way to run", engine.name(), able.len(), unable.len());
        trials.extend(able.into_iter().map(|case| trial(engine.clone(), case.clone(), &gaps)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The component with the vocabularies of exact tokenizers.
struct Exact(ComponentEngine);

impl Engine for Exact {
    fn name(&self) -> &str {
        "exact"
    }

    fn call(&self, call: &Call<'_>) -> Answer {
        self.0.call(call)
    }
}

fn trial(engine: Arc<dyn Engine>, case: Case, gaps: &[Gap]) -> Trial {
    let concerns = |gap: &&Gap| gap.case == case.name && gap.engine.as_deref().is_none_or(|name| name == engine.name());
    let gap = gaps.iter().find(concerns).map(|gap| gap.reason.clone());
    Trial::test(format!("{}::{}", engine.name(), case.name), move || match (run(&case, engine.as_ref()), gap) {
        (Verdict::Passed, None) | (Verdict::Failed(_), Some(_)) => Ok(()),
        (Verdict::Passed, Some(reason)) => Err(Failed::from(format!("it passes, but is listed as a gap: {reason}"))),
        (Verdict::Failed(error), None) => Err(Failed::from(format!("{}\n{error}", case.description))),
        (Verdict::Unable(reason), _) => Err(Failed::from(reason)),
    })
}
