//! Instructions of the component: `cargo run -p lro-tests --bin fuel -- OTHER.wasm` compares the component with another
//! one. `--without-budget` builds that one of the source, with a budget that checks nothing.

use std::process::ExitCode;

use lro_tests::fuel::{Figure, Kind, figures, inputs};
use lro_tests::metered::Metered;
use lro_tests::uncounted;

fn main() -> ExitCode {
    let other = match std::env::args().nth(1).as_deref() {
        None => Err("usage: fuel OTHER.wasm, or fuel --without-budget".to_owned()),
        Some("--without-budget") => uncounted::build(),
        Some(file) => std::fs::read(file).map_err(|error| format!("cannot read {file}: {error}")),
    };
    match other.and_then(|other| compare(&other)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fuel: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints what each call costs in the other component and in ours, and by how much more.
fn compare(other: &[u8]) -> Result<(), String> {
    let (ours, other) = (Metered::new(lro::COMPONENT), Metered::new(other));
    for input in inputs() {
        println!("{}: instructions of the other component, of ours, and more of them", input.0);
        let (before, after) = (figures(&other, &input)?, figures(&ours, &input)?);
        let pairs: Vec<(&Figure, &Figure)> = before.iter().zip(&after).collect();
        for (before, after) in &pairs {
            let by = more(before.fuel, after.fuel);
            println!("{:>12} {:>12} {by:>7.2} %  {}", before.fuel, after.fuel, after.call);
        }
        let groups = [
            ("estimate and offload", Kind::Offload),
            ("recipes", Kind::Recipe),
            ("filters", Kind::Filter),
            ("expressions", Kind::Expression),
        ];
        for (name, kind) in groups {
            let group: Vec<(u64, u64)> =
                pairs.iter().filter(|pair| pair.0.kind == kind).map(|pair| (pair.0.fuel, pair.1.fuel)).collect();
            if !group.is_empty() {
                println!("{}", summary(name, &group));
            }
        }
    }
    Ok(())
}

fn summary(name: &str, pairs: &[(u64, u64)]) -> String {
    let mut each: Vec<f64> = pairs.iter().map(|(before, after)| more(*before, *after)).collect();
    each.sort_by(f64::total_cmp);
    let sum = more(pairs.iter().map(|pair| pair.0).sum(), pairs.iter().map(|pair| pair.1).sum());
    let (median, most) = (each[each.len() / 2], each[each.len() - 1]);
    format!("{name}: median {median:.2} %, sum {sum:.2} %, most {most:.2} %")
}

/// By how many per cent a figure is larger than another.
fn more(before: u64, after: u64) -> f64 {
    (after as f64 / before as f64 - 1.0) * 100.0
}
