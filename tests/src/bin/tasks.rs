//! Plays the tasks of `tests/tasks` to the end with each strategy, and prints what the answers cost:
//! `cargo run -p lro-tests --bin tasks`. tests/tasks/README.md has the flags.

use std::process::ExitCode;

use lro_tests::tasks::documents::{Place, Raw, Server, pairs};
use lro_tests::tasks::player::Player;
use lro_tests::tasks::strategies::NAMES;
use lro_tests::tasks::table::{self, Row};
use lro_tests::tasks::task;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("tasks: {error}");
            ExitCode::FAILURE
        }
    }
}

/// True when all answers of ours are right.
fn run() -> Result<bool, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).map(String::as_str)
    };
    let documents = task::documents()?;
    let place = Place::new(&documents)?;
    let raws = place.raws(&documents)?;
    if let Some(raw) = value("--document").and_then(|name| raws.get(name)) {
        return look(&place, raw);
    }
    let mut pairs = pairs(&raws)?;
    if let Some(only) = value("--only") {
        pairs.retain(|(_, task)| task.id.contains(only));
    }
    for (raw, task) in &mut pairs {
        task.answer = raw.answer(task)?;
    }
    let chosen =
        |name: &&'static str| value("--strategies").is_none_or(|names| names.split(',').any(|one| one == *name));
    let mut rows = Vec::new();
    for name in NAMES.into_iter().filter(chosen) {
        let mut player = Player::new(&place, name);
        let outcomes = player.play_all(&pairs)?;
        for outcome in &outcomes {
            if arguments.iter().any(|argument| argument == "--show") {
                println!("== {name} {} {}\n{}", outcome.id, outcome.is_right, outcome.log);
            }
        }
        rows.push(Row { name, definitions: player.definitions()?, outcomes });
    }
    println!("{}", table::strategies(&rows));
    Ok(true)
}

/// Prints what a person needs who writes a task: the first records, our response and our description.
fn look(place: &Place, raw: &Raw) -> Result<bool, String> {
    let records = raw.records(None);
    println!("{} records, {} bytes; the first:", records.len(), raw.text.len());
    records.iter().take(2).for_each(|record| println!("{record}"));
    let mut player = Player::new(place, "full");
    let ours = player.proxy(Server::of(&raw.document))?;
    ours.look(raw)?.iter().for_each(|text| println!("{text}"));
    Ok(true)
}
