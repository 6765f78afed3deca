//! Where regular expressions match, against the jq that is installed: the ends of texts and lines above all.

use std::process::Command;

use lro_query::{Limits, from_json, outputs};

const TEXTS: [&str; 10] = ["", "\n", "ab", "ab\n", "a\nb\n", "a\n\n", "ab\r\n", "b\nab\n", "line1\nline2\n", "e b \n"];

const PATTERNS: [&str; 27] = [
    "$", "b$", ".$", "^.*$", "^$", "a$|b", "(a$|b)", "(?<x>b$)", "b$$", "($)", "(b)($)", "(b$)?", "\\n$", "\\s*$",
    "\\s+$", " +$", "[ab]*$", "x*$", "b|$", "(?:b|$)", "b\\Z", "b\\z", "\\$|[$]", "[0-9]$", "(?m)^.*$", "b $ # $",
    "(a|b)*$",
];

/// What is made of each text, pattern and flags. jq 1.6 repeats empty matches when it looks for all, stops before the end of
/// a text, and gives no captures of an empty match: these are left out.
const FILTERS: [&str; 8] = [
    "[match($p; $f) | [.offset, .length, .string]]",
    "[match($p; $f) | select(.length > 0) | .captures | map([.offset, .length, .string, .name])]",
    r#"[match($p; "g" + $f) | select(.length > 0) | [.offset, .length, .string, (.captures | map(.string))]]"#,
    "[capture($p; $f)]",
    "test($p; $f)",
    r#"sub($p; "<>"; $f)"#,
    r#"[scan($p)] | flatten | map(select(. != "" and . != null))"#,
    r#"[match([$p, "gn"]) | .string]"#,
];

#[test]
fn patterns_match_where_they_match_in_jq() {
    if Command::new("jq").arg("--version").output().is_err() {
        println!("jq is not installed: nothing was compared");
        return;
    }
    let flags = ["", "x", "s", "i"];
    let cases: Vec<_> = TEXTS
        .iter()
        .flat_map(|text| PATTERNS.map(|pattern| (text, pattern)))
        .flat_map(|(text, pattern)| flags.map(|flags| [text, pattern, flags]))
        .collect();
    let input = serde_json::to_string(&cases).unwrap();
    let mut wrong = Vec::new();
    for form in FILTERS {
        let filter = format!(".[] | . as [$text, $p, $f] | $text | try ({form}) catch \"error\"");
        let output = Command::new("jq")
            .args(["-nc", "--argjson", "cases", &input, &format!("$cases | {filter}")])
            .output()
            .unwrap();
        let theirs = String::from_utf8(output.stdout).unwrap();
        assert_eq!(theirs.lines().count(), cases.len(), "{form} {}", String::from_utf8_lossy(&output.stderr));
        let (ours, failure) = outputs(&filter, from_json(&input).unwrap(), &Limits::default()).unwrap();
        assert_eq!((ours.len(), failure), (cases.len(), None), "{form}");
        for ((case, ours), theirs) in cases.iter().zip(&ours).zip(theirs.lines()) {
            if ours != theirs {
                wrong.push(format!("{case:?}: {form}\n  ours {ours}\n  jq's {theirs}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
