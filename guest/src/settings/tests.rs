//! What follows from settings and requests.

use super::bounds::{BYTES_A_MILLISECOND, LEAST_MILLISECONDS, LEAST_STEPS, MEMORY_MIB, STEPS_A_BYTE};
use super::names::Access;
use super::request::{Extract, Offload, Part};
use super::*;

#[test]
fn a_budget_grows_with_what_is_read() {
    let gauge = || lro_query::Gauge { milliseconds: 0, memory_bytes: 0 };
    let bytes = 1000 * BYTES_A_MILLISECOND;
    let budget = Settings::default().budget(bytes, gauge);
    assert_eq!(budget.milliseconds, LEAST_MILLISECONDS + 1000);
    assert_eq!((budget.steps, budget.memory_bytes), (LEAST_STEPS + bytes * STEPS_A_BYTE, MEMORY_MIB << 20));
    let given =
        Settings { max_steps: Some(3), max_milliseconds: Some(4), max_memory_mib: Some(5), ..Settings::default() };
    let budget = given.budget(bytes, gauge);
    assert_eq!((budget.steps, budget.milliseconds, budget.memory_bytes), (3, 4, 5 << 20));
}

#[test]
fn a_public_path_has_the_separator_of_its_directory() {
    let rows = [
        ("/out", "", '/', "/out"),
        ("out", "", '/', "out"),
        ("/out/", "", '/', "/out"),
        ("/out", "C:\\out\\", '\\', "C:\\out"),
        ("/out", "C:\\out/x", '/', "C:\\out/x"),
        ("C:\\out", "", '\\', "C:\\out"),
        ("/out", "lro://", '/', "lro:/"),
        ("/out", "https://host/results/", '/', "https://host/results"),
        ("/out", "lro://results/", '/', "lro://results"),
    ];
    for (output_dir, public_dir, separator, public) in rows {
        let settings = Settings { output_dir: output_dir.into(), public_dir: public_dir.into(), ..Settings::default() };
        assert_eq!((settings.separator(), settings.public_dir()), (separator, public), "{output_dir} {public_dir}");
    }
}

#[test]
fn each_family_names_the_file_in_its_own_way() {
    let rows = [
        (ToolNames::Lro, "file_path", false),
        (ToolNames::Artifact, "artifact_id", true),
        (ToolNames::LargeOutput, "filename", true),
        (ToolNames::Unified, "filename", true),
    ];
    for (tool_names, key, is_plain) in rows {
        let with = |guidance| Settings { tool_names, guidance, ..Settings::default() };
        assert_eq!((tool_names.file_key(), with(GuidanceKind::Tool).has_plain_tools()), (key, is_plain));
        assert!(!with(GuidanceKind::Shell).has_plain_tools(), "{key}");
    }
    let operations = [Access::Describe, Access::Query, Access::Read, Access::Search].map(Access::operation);
    assert_eq!(operations, ["describe", "query", "read", "search"]);
}

#[test]
fn records_are_inside_a_text_unless_the_caller_says_where_they_are() {
    let rows = [
        (r#"{"operation":"a"}"#, true),
        (r#"{"operation":"a","records":".x"}"#, true),
        (r#"{"operation":"a","records":"."}"#, false),
        (r#"{"operation":"a","memories":true}"#, false),
        (r#"{"operation":"a","memories":true,"records":".x"}"#, false),
    ];
    for (request, expected) in rows {
        assert_eq!(Offload::parse(request).unwrap().may_be_wrapped(), expected, "{request}");
    }
    assert!(!Offload::of_records().may_be_wrapped());
}

#[test]
fn only_lines_are_read_where_nothing_else_is_asked() {
    let rows = [
        (r#"{"line":3}"#, true),
        (r#"{"line":3,"lines":4,"count":false}"#, true),
        (r#"{"lines":4}"#, false),
        (r#"{"line":3,"count":true}"#, false),
        (r#"{"line":3,"recipe":1}"#, false),
        (r#"{"line":3,"query":"."}"#, false),
        (r#"{"line":3,"where":["a"]}"#, false),
        (r#"{"line":3,"select":["a"]}"#, false),
        (r#"{"line":3,"group_by":"a"}"#, false),
        (r#"{"line":3,"aggregate":["count"]}"#, false),
        (r#"{"line":3,"per_group":1}"#, false),
        (r#"{"line":3,"sort_by":"a"}"#, false),
    ];
    for (request, expected) in rows {
        assert_eq!(Extract::parse(request).unwrap().reads_lines(), expected, "{request}");
    }
}

#[test]
fn what_is_undivided_is_in_the_part_that_the_file_begins_with() {
    for (from, until) in [(None, None), (Some(0), None), (Some(1), Some(0))] {
        let part = Part { from, until: Some(9) }.of_the_undivided();
        assert_eq!((part.from, part.until), (None, until), "{from:?}");
    }
}

#[test]
fn each_script_has_its_weight() {
    // A hundred of the first and of the last characters of each range.
    let rows = [
        ("a", 21),
        ("Z", 34),
        ("0", 25),
        (" ", 11),
        ("\t", 75),
        ("~", 69),
        ("\u{80}\u{24f}", 126),
        ("\u{250}", 50),
        ("\u{370}\u{3ff}", 42),
        ("\u{400}\u{52f}", 29),
        ("\u{530}\u{58f}", 36),
        ("\u{590}\u{5ff}", 41),
        ("\u{600}\u{8ff}", 33),
        ("\u{900}\u{dff}", 36),
        ("\u{e00}\u{fff}", 38),
        ("\u{10a0}\u{10ff}", 32),
        ("\u{1e00}\u{1eff}", 10),
        ("\u{2000}\u{206f}", 36),
        ("\u{2190}", 50),
        ("\u{3000}\u{303f}\u{ff00}\u{ffef}", 70),
        ("\u{3040}\u{30ff}", 65),
        ("\u{3400}\u{9fff}\u{f900}\u{faff}", 81),
        ("\u{ac00}\u{d7ff}", 63),
        ("\u{10000}\u{1ffff}", 200),
        ("\u{20000}\u{3ffff}", 150),
    ];
    for (characters, expected) in rows {
        for character in characters.chars() {
            let text = character.to_string().repeat(100);
            assert_eq!(tokens::estimate(Tokenizer::Mixed, &text), expected, "{character:?}");
        }
    }
}

#[test]
fn four_characters_are_a_token_of_a_threshold() {
    let in_characters = Settings { threshold_characters: Some(403), ..Settings::default() };
    assert_eq!(in_characters.threshold_in_tokens(), 100);
    assert_eq!(Settings { threshold_tokens: 7, ..Settings::default() }.threshold_in_tokens(), 7);
}

#[test]
fn a_text_is_too_large_past_its_exact_number_of_tokens() {
    let settings = Settings { max_inline_tokens: 100, ..Settings::default() };
    for (text, expected) in [("x".repeat(400), false), ("x".repeat(404), true), ("é".repeat(400), false)] {
        assert_eq!(settings.is_too_large(&text), expected, "{} bytes", text.len());
    }
}
