//! What is offloaded: each corpus at each detail, records of other tools, and records made to fill a response.

use lro_tests::corpus;
use serde_json::json;

use super::offloaded::Case;

pub(crate) const DETAILS: [&str; 3] = ["light", "medium", "full"];

/// Each corpus in each way, and records made to fill a response.
pub(crate) fn all() -> Vec<Case> {
    let wide = |number: usize| {
        let escapes = "\u{0}\\\"".repeat(25);
        let member =
            |key: usize| format!("{}:[{key}]", json!(format!("{key}{escapes}").chars().take(60).collect::<String>()));
        let members: Vec<String> = (0..99).map(member).collect();
        let namespace = json!(format!("{}{number}", "\u{0}".repeat(79)));
        format!(r#"{{"id":"{number}","namespace":{namespace},{}}}"#, members.join(","))
    };
    let wide = corpus::array(&(0..9).map(wide).collect::<Vec<_>>());
    // Keys that come twice in one record and not at all in another.
    let twice = r#"[{"title":"a","title":"b","x":1,"x":2},{"id":"1"}]"#;
    let payloads = [
        ("real", corpus::REAL),
        ("synthetic", &synthetic()),
        ("odd", &corpus::odd()),
        ("wide", &wide),
        ("twice", twice),
    ];
    let mut cases: Vec<Case> = generic().into();
    for (name, payload) in payloads {
        cases.extend(at_each_detail(name, payload, "current"));
        cases.extend(at_each_detail(name, payload, "early"));
        cases.push(Case::new(
            &format!("{name} of another tool"),
            payload,
            json!({"operation": "list_issues"}),
            json!({}),
        ));
    }
    let with_tool = cases.iter().map(|case| {
        let mut case = Case { name: format!("{}, with the tool's guidance", case.name), ..case.clone() };
        case.settings["guidance"] = "tool".into();
        case
    });
    let with_tool: Vec<Case> = with_tool.collect();
    cases.extend(with_tool);
    cases
}

/// A corpus at each detail, asked for by `recall`.
pub(crate) fn at_each_detail(name: &str, payload: &str, profile: &str) -> Vec<Case> {
    let case = |detail| {
        let request = json!({"operation": "recall", "detail": detail});
        Case::new(&format!("{name}, {detail}, {profile}"), payload, request, json!({"profile": profile}))
    };
    DETAILS.map(case).into()
}

pub(crate) fn synthetic() -> String {
    corpus::synthetic(20_260_101, 400)
}

/// Records of another tool: nothing in common with memories, or not even with each other.
pub(crate) fn generic() -> [Case; 3] {
    let issue = |number: usize| {
        json!({
            "number": number,
            "title": format!("Cache {number} keeps a stale keyword"),
            "labels": [(["bug", "member"][number % 2])],
            "assignee": null,
            "score": number as f64 / 8.0,
            "user": {"login": format!("prefix-{number}"), "site_admin": false},
            "body": (["a pattern\nin two lines", "value", "prefix $(touch x)"][number % 3]),
        })
        .to_string()
    };
    let issues: Vec<String> = (0..120).map(issue).collect();
    let case = |name: &str, payload: &str| Case::new(name, payload, json!({"operation": "list_issues"}), json!({}));
    [
        case("issues", &corpus::array(&issues)),
        case("issues as JSON Lines", &issues.join("\n")),
        case("odd records of another tool", &corpus::odd()),
    ]
}
