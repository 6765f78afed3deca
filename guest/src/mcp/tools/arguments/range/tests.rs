use serde_json::json;

use super::*;

fn read_of(arguments: &Value) -> Result<Value, String> {
    let mut arguments = arguments.as_object().unwrap().clone();
    read("lro_read", &mut arguments).map_err(|error| format!("{error}; {}", error.hint()))?;
    Ok(Value::Object(arguments))
}

#[test]
fn a_range_is_read_as_it_is_meant() {
    let rows = [
        (json!("120-180"), "120-180"),
        (json!("120-"), "120-"),
        (json!(120), "120"),
        (json!(-50), "-50"),
        (json!("-50"), "-50"),
        (json!("-50:"), "-50"),
        (json!("last 50"), "-50"),
        (json!("Last 50"), "-50"),
        (json!("tail 50"), "-50"),
        (json!("first 20"), "1-20"),
        (json!("10:12"), "10-12"),
        (json!("10,12"), "10-12"),
        (json!("10..12"), "10-12"),
        (json!("10 to 12"), "10-12"),
        (json!("lines 10 – 12"), "10-12"),
        (json!("L10-L12"), "10-12"),
        (json!(":50"), "1-50"),
        (json!("10:"), "10-"),
        (json!("10,$"), "10-"),
        (json!("10-end"), "10-"),
        (json!("10:-1"), "10-"),
        (json!([10, 12]), "10-12"),
        (json!("[10, 12]"), "10-12"),
        (json!([10, -1]), "10-"),
        (json!([-50, -1]), "-50"),
        (json!(["10", "12"]), "10-12"),
        (json!([10]), "10"),
        (json!({"start": 10, "end": 12}), "10-12"),
        (json!({"start": 10}), "10-"),
        (json!({"from": "10", "to": "12"}), "10-12"),
        (json!("{\"start\": 10, \"end\": 12}"), "10-12"),
    ];
    for (given, expected) in rows {
        for name in RANGES {
            assert_eq!(read_of(&json!({name: given})), Ok(json!({name: expected})), "{given}");
        }
    }
}

#[test]
fn lines_have_the_names_of_other_tools_too() {
    let rows = [
        (json!({"start": 10, "end": 12}), "10-12"),
        (json!({"start_line": "10"}), "10-"),
        (json!({"end": 12}), "1-12"),
        (json!({"offset": 100, "limit": 50}), "101-150"),
        (json!({"offset": 100}), "101-"),
        (json!({"offset": 1, "limit": 50}), "1-50"),
        (json!({"offset": 51, "limit": 50}), "51-100"),
        (json!({"offset": 101, "limit": 50}), "101-150"),
        (json!({"offset": 1}), "1-"),
        (json!({"offset": 2, "limit": 1}), "3-3"),
        (json!({"offset": -50}), "-50"),
        (json!({"offset": 0, "limit": 50}), "1-50"),
        (json!({"start": 10, "limit": 5}), "10-14"),
        (json!({"limit": 50}), "1-50"),
        (json!({"tail": 50}), "-50"),
        (json!({"head": 20}), "1-20"),
        (json!({"line": 17}), "17"),
        (json!({"view_range": [10, -1]}), "10-"),
        (json!({"offset": -50, "limit": 50}), "-50"),
        (json!({"offset": "-50", "limit": 200}), "-50"),
        (json!({"start": -50}), "-50"),
        (json!({"start_line": -50, "end_line": -1}), "-50"),
        (json!({"start": 10, "end": -1}), "10-"),
        (json!({"end": -1}), "1-"),
        (json!({"start": 0, "limit": 5}), "0-5"),
        (json!({"offset": 1e19}), "4294967295-"),
        (json!({"offset": "99999999999999999999"}), "4294967295-"),
        (json!({"offset": -1e19}), "-4294967295"),
        (json!({"offset": 4_294_967_295_u32, "limit": 1e300}), "4294967295-4294967295"),
        (json!({"start": 5_000_000_000_u64, "end": 6_000_000_000_u64}), "4294967295-4294967295"),
        (json!({"lines": 1e19}), "4294967295"),
        (json!({"lines": "3-7", "start": null, "end": ""}), "3-7"),
    ];
    for (given, expected) in rows {
        assert_eq!(read_of(&given), Ok(json!({"lines": expected})), "{given}");
    }
    assert_eq!(read_of(&json!({"next": "l3.40.0", "x": 1})), Ok(json!({"next": "l3.40.0", "x": 1})));
}

#[test]
fn a_file_of_ten_lines_is_read_as_a_model_means() {
    let header = json!({
        "type": "lro_header", "operation": "x", "query": null, "count": 10, "schema_version": "1.0.0",
        "timestamp": "", "estimated_tokens": 9, "detail": "full", "lro": {"kind": "text"}
    });
    let lines: String = (1..=10).map(|n| format!("line {n}\n")).collect();
    let content = format!("{header}\n{lines}");
    let rows = [
        (json!({"lines": "-20"}), (1, 10)),
        (json!({"lines": "5:5"}), (5, 5)),
        (json!({"lines": "0-3"}), (1, 3)),
        (json!({"start_line": 5, "end_line": 9}), (5, 9)),
        (json!({"offset": 5, "limit": 3}), (6, 8)),
        (json!({"offset": 10, "limit": 5}), (0, 0)),
        (json!({"offset": 1e19}), (0, 0)),
        (json!({"offset": -1e19}), (1, 10)),
        (json!({"start": 0, "limit": 3}), (1, 3)),
        (json!({"head": 5}), (1, 5)),
        (json!({"tail": 5}), (6, 10)),
        (json!({"line": 7}), (7, 7)),
        (json!({"lines": [3, 9]}), (3, 9)),
    ];
    for (given, expected) in rows {
        let request = request::Read::parse(&read_of(&given).unwrap().to_string()).unwrap();
        let settings = crate::settings::Settings::default();
        let source = crate::calls::Source::Content(&content);
        let page = crate::calls::read_passage(source, &request, &settings).unwrap();
        assert_eq!(((page.first, page.last), page.next), (expected, None), "{given}");
        let is_empty = expected == (0, 0);
        assert_eq!(page.remarks.iter().any(|said| said.starts_with("the file has 10 lines, so")), is_empty, "{given}");
    }
}

#[test]
fn what_is_not_a_range_is_refused_in_the_words_of_the_tool() {
    let rows = [
        (json!({"lines": "abc"}), "cannot call lro_read: `lines` is \"abc\", and not a range; for example: {"),
        (json!({"lines": "-"}), "`lines` is \"-\", and not a range"),
        (json!({"lines": "-0"}), "and not a range"),
        (json!({"lines": "3-7-9"}), "and not a range"),
        (json!({"lines": [1, 2, 3]}), "and not a range"),
        (json!({"lines": [1, -7]}), "and not a range"),
        (json!({"lines": {"a": 1}}), "and not a range"),
        (json!({"lines": true}), "and not a range"),
        (json!({"lines": 1.5}), "and not a range"),
        (json!({"lines": "first 0"}), "`lines` is \"first 0\", and not a range"),
        (json!({"start": "x"}), "`start` is \"x\", and not the number of a line; for example: {"),
        (json!({"start": 1.5}), "`start` is 1.5, and not the number of a line"),
        (json!({"end": 0}), "`end` is 0, and not the number of a line"),
        (json!({"end": -7}), "`end` is -7, and not the number of a line"),
        (json!({"offset": "inf"}), "`offset` is \"inf\", and not a whole number"),
        (json!({"tail": 0}), "`tail` is 0, and not a number of lines from 1 on; for example: {"),
        (json!({"head": 0}), "`head` is 0, and not a number of lines from 1 on"),
        (json!({"offset": 0, "limit": 0}), "`limit` is 0, and not a number of lines from 1 on"),
        (
            json!({"offset": -50, "limit": 2}),
            "`offset` is -50, the last 50 lines, and `limit` cannot shorten them; pass {\"file_path\": \"…\", \"lines\": \"-50\"} for all of them",
        ),
        (json!({"start": -50, "end": 7}), "`start` is -50, the last 50 lines, and `end` cannot shorten them"),
        (json!({"start": 1, "lines": "1-2"}), "`start` and `lines` both say what is read; leave out one of them"),
        (json!({"start": 1, "tail": 2}), "`start` and `tail` both say what is read"),
        (json!({"start": 1, "offset": 2}), "`start` and `offset` both say what is read"),
    ];
    for (given, part) in rows {
        let error = read_of(&given).unwrap_err();
        assert!(error.contains(part), "{given}: {error}");
    }
}
