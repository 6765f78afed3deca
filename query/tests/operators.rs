//! The order in which operands run, against the jq that is installed: the right one first, and the left one for each of its
//! outputs; so an error of the right one is raised although the left one has no output.

use std::process::Command;

use lro_query::{Limits, from_json, outputs};

const OPERANDS: [&str; 14] = [
    "2",
    "(1, 2)",
    "empty",
    "null",
    "error(\"A\")",
    "(3, error(\"A\"))",
    "(error(\"A\"), 3)",
    ".number",
    ".list[]",
    ".none[]",
    "(.number | keys)",
    ".number?",
    "(.list[] | select(. == 6))",
    "(5 as $right | $right)",
];

/// What stands around two operands, `A` and `B`. Both fail with their own letter.
const FORMS: [&str; 23] = [
    "A + B",
    "A - B",
    "A * B",
    "A / B",
    "A % B",
    "A == B",
    "A != B",
    "A < B",
    "A <= B",
    "A > B",
    "A >= B",
    "A and B",
    "A or B",
    "A // B",
    "A, B",
    "A | B",
    "\"\\(A) \\(B)\"",
    "(A | [., 7, 8])[B]",
    "[1, 2, 3, 4, 5] | .[A:B]",
    "(A | [., 7, 8])[B:]",
    "{a: (A), b: (B)}",
    "{a: (A), none, b: (B)}",
    "{none, a: (A), (B | tostring): 1}",
];

const INPUT: &str = r#"{"number":1,"list":[5,6],"none":[]}"#;

/// What a filter gives in ours: outputs, and then the error.
fn ours(filter: &str, input: &str) -> String {
    let (found, failure) = outputs(filter, from_json(input).unwrap(), &Limits::default()).unwrap();
    let failure = failure.map(|failure| format!("error: {failure}"));
    found.into_iter().chain(failure).collect::<Vec<_>>().join(" ")
}

#[test]
fn operands_run_in_the_order_of_jq() {
    if Command::new("jq").arg("--version").output().is_err() {
        println!("jq is not installed: nothing was compared");
        return;
    }
    let (mut wrong, mut count) = (Vec::new(), 0);
    for form in FORMS {
        let mut filters = Vec::new();
        for left in OPERANDS {
            for right in OPERANDS {
                // Which of two errors is told is left open where both operands have one output.
                if [left, right].iter().all(|operand| matches!(*operand, "error(\"A\")" | "(.number | keys)")) {
                    continue;
                }
                let right = right.replace("\"A\"", "\"b\"");
                let left = left.replace("\"A\"", "\"a\"");
                let filter = form.replace('A', "\u{1}").replace('B', &right).replace('\u{1}', &left);
                // Texts of other errors differ from jq to jq.
                let told = r#"if . == "a" or . == "b" then "error " + . else "another error" end"#;
                filters.push(format!("[try ({filter}) catch ({told})]"));
            }
        }
        let output = Command::new("jq").args(["-nc", &format!("{INPUT} | {}", filters.join(", "))]).output().unwrap();
        assert!(output.status.success(), "{form}: {}", String::from_utf8_lossy(&output.stderr));
        let theirs = String::from_utf8(output.stdout).unwrap();
        assert_eq!(theirs.lines().count(), filters.len(), "{form}");
        for (filter, theirs) in filters.iter().zip(theirs.lines()) {
            count += 1;
            let ours = ours(filter, INPUT);
            if ours != theirs {
                wrong.push(format!("{filter}\n  ours {ours}\n  jq's {theirs}"));
            }
        }
    }
    assert!(count > 4000, "only {count} filters were compared");
    assert!(wrong.is_empty(), "{} of {count} differ\n{}", wrong.len(), wrong.join("\n"));
}
