//! The bounds for any payload, word, directory and setting.

use lro_guest::offload::response::cost;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;

use crate::answers::{MOST_FRAME_BYTES, described_as, offloaded, raw, truncated};
use crate::given::{directory, given, payload, settings, word};

fn config() -> ProptestConfig {
    let given = ProptestConfig::default();
    ProptestConfig {
        cases: given.cases / 4,
        rng_seed: if given.rng_seed == RngSeed::Random { RngSeed::Fixed(1) } else { given.rng_seed },
        failure_persistence: None,
        ..given
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn responses_and_descriptions_are_bounded(
        payload in payload(),
        operation in word(),
        query in prop::option::of(word()),
        preview in prop_oneof![Just(0), 0..60_u32, Just(u32::MAX)],
        directory in directory(),
        settings in settings(),
    ) {
        let mut settings = settings;
        settings["output_dir"] = directory.into();
        let request = json!({"operation": operation, "query": query, "preview": preview});
        offloaded(&payload, &request, &settings);
    }

}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases / 4, ..config() })]

    /// USER-12: who asks for more records gets no fewer, each cut to its share where they do not fit.
    #[test]
    fn a_longer_preview_never_shows_less(payload in payload(), directory in directory()) {
        let mut before = 0;
        for preview in [1, 2, 3, 8, 50] {
            let settings = json!({"output_dir": directory});
            let request = json!({"operation": "get", "preview": preview});
            let response = offloaded(&payload, &request, &settings).response;
            let shown = response["preview"].as_array().map_or(0, Vec::len);
            prop_assert!(shown >= before, "{} records for {}, {} for less", shown, preview, before);
            before = shown;
        }
    }

    /// What the caller says of a list is cut where it is long, and its recipes are there.
    #[test]
    fn words_of_the_caller_are_bounded(
        payload in payload(), given in given(), directory in directory(), settings in settings(),
    ) {
        let mut settings = settings;
        settings["output_dir"] = directory.into();
        let whole = json!({"operation": "get", "records": ".", "sections": {".": given}});
        offloaded(&payload, &whole, &settings);
        let lists = json!({"first": vec![&payload; 9], "second": vec![[&payload]; 9], "third": 1}).to_string();
        let both = json!({"operation": "get", "sections": {".first": given, ".second": given}});
        offloaded(&lists, &both, &settings);
        for (descriptor, most) in [("compact", 900), ("bare", 40), ("envelope", 1200)] {
            let mut request = both.clone();
            request["descriptor"] = descriptor.into();
            let (text, path) = described_as(&lists, &request, &settings);
            prop_assert!(cost(&text) <= most + 2 * path, "{} tokens, {} of its path: {:.3000}", cost(&text), path, text);
            prop_assert_eq!(raw(&text), None, "{:.3000}", text);
        }
    }

    /// The short forms, whatever names and paths are: the path comes on top.
    #[test]
    fn short_descriptors_are_bounded(
        payload in payload(), operation in word(), directory in directory(), settings in settings(),
    ) {
        for (descriptor, most) in [("compact", 600), ("bare", 40), ("envelope", 1200)] {
            let mut settings = settings.clone();
            settings["output_dir"] = json!(directory);
            let request = json!({"operation": operation, "descriptor": descriptor});
            let (text, path) = described_as(&payload, &request, &settings);
            prop_assert!(cost(&text) <= most + 2 * path, "{} tokens, {} of its path: {:.3000}", cost(&text), path, text);
            prop_assert_eq!(raw(&text), None, "{:.3000}", text);
        }
    }

    #[test]
    fn truncated_answers_are_bounded(key in word(), count in 0..4_usize) {
        let payload = json!({key.as_str(): vec![json!({key.as_str(): 1}); count + 1]}).to_string();
        let text = truncated(&payload, &json!({}));
        prop_assert!(text.len() <= MOST_FRAME_BYTES, "{} bytes: {:.1000}", text.len(), text);
    }
}
