//! Filters as models write them, on a small corpus, against the jq that is installed.
//!
//! `fixtures/filters.txt` has one a line. Those marked `!new ` use what jq 1.6 lacks or has otherwise; they must run.

use std::path::Path;
use std::process::Command;

use lro_query::{Limits, from_json, outputs};

#[test]
fn filters_give_what_jq_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures");
    let filters = std::fs::read_to_string(folder.join("filters.txt")).unwrap();
    let records = folder.join("filters-records.json");
    let input = from_json(&std::fs::read_to_string(&records).unwrap()).unwrap();
    let oracle = Command::new("jq").arg("--version").output().is_ok();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in filters.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        count += 1;
        let (new, filter) = line.strip_prefix("!new ").map_or((false, line), |filter| (true, filter));
        let ours = match outputs(filter, input.clone(), &Limits::default()) {
            Ok((outputs, None)) => outputs.join("\n"),
            Ok((outputs, Some(error))) if new => panic!("{filter}: {} {error}", outputs.join(" ")),
            Ok((outputs, Some(_))) => outputs.join("\n") + "\nerror",
            Err(error) => format!("refused: {}", error),
        };
        if new || !oracle {
            assert!(!ours.starts_with("refused"), "{filter}: {ours}");
            continue;
        }
        let output = Command::new("jq").args(["-c", filter]).arg(&records).output().unwrap();
        let mut theirs = String::from_utf8(output.stdout).unwrap().trim_end().to_owned();
        if !output.status.success() {
            theirs += "\nerror";
        }
        if ours.trim() != theirs.trim() {
            wrong.push(format!("{filter}\n  ours {ours}\n  jq's {theirs}"));
        }
    }
    println!("{count} filters");
    assert!(count >= 200, "the corpus has only {count} filters");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
